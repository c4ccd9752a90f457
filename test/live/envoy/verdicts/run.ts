import { checkFilter } from '../../../../src/envoy/proto/check.ts';
import { formatViolation } from '../../../../src/pdp/model/violation.ts';
import { type Lab, openLab } from '../../../support/envoy/lab.ts';
import { anySigned, bundles } from './certificates.ts';
import { compareClient, type Difference } from './compare.ts';
import type { Counts } from './counts.ts';
import { listenerFor } from './listener.ts';
import { type Form, type WorldSet, worldSet } from './sets.ts';

/** Many sets in one Envoy, each form of each a listener. */
const setsOfLab = 50;
const atOnce = 12;

export interface Plan {
  readonly from: number;
  readonly count: number;
  /** Whether a seed's meshes have certificates of tags. */
  readonly tags: (seed: number) => boolean;
}

/** Ends with the first lab in which something differs. */
export async function compareSets({ from, count, tags }: Plan, counts: Counts): Promise<Difference[]> {
  for (let start = from; start < from + count; start += setsOfLab) {
    const worlds: WorldSet[] = [];
    for (let seed = start; seed < Math.min(start + setsOfLab, from + count); seed++) {
      const world = worldSet(seed, tags(seed));
      counts.sets++;
      counts.rules(world.set.loaded.rules);
      const [first] = world.exports;
      if (first?.exported.report.policies.every((one) => one.class === 'exact')) counts.exactSets++;
      worlds.push(world);
    }
    const differences = await compareWorlds(worlds, counts);
    if (differences.length > 0) return differences;
  }
  return [];
}

interface Job {
  readonly world: WorldSet;
  readonly form: Form;
  readonly listener: string;
}

async function compareWorlds(worlds: readonly WorldSet[], counts: Counts): Promise<Difference[]> {
  const loose = await anySigned();
  const strict = await bundles();
  const jobs = worlds.flatMap((world) =>
    world.exports.map((form, index): Job => ({ world, form, listener: `${world.seed}-${index}` })),
  );
  const specs = jobs.map(({ world, form, listener }) =>
    // Every fourth set with all that an export relies on.
    listenerFor(listener, form, world.seed % 4 === 0 ? strict : loose),
  );
  const lab = await openLab(specs);
  try {
    const differences: Difference[] = [];
    const queue = [...jobs];
    const worker = async () => {
      for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
        differences.push(...(await compareJob(lab, job, counts)));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    return differences;
  } finally {
    await lab.stop();
  }
}

async function compareJob(lab: Lab, { world, form, listener }: Job, counts: Counts): Promise<Difference[]> {
  const { report, routes } = form.exported;
  counts.exports++;
  if (report.policies.some((one) => one.class === 'narrower')) counts.narrower++;
  counts.forms.add(`${report.filter} ${report.form} ${report.shadow}`);
  if (routes.length > 0) counts.routed++;
  const faults = form.exported.filters.flatMap(checkFilter).map(formatViolation);
  if (faults.length > 0) throw new Error(`seed ${world.seed}, ${listener}: ${faults.join('\n')}`);
  const found: Difference[] = [];
  for (const client of world.clients) {
    found.push(...(await compareClient(lab, listener, world, form, client, counts)));
  }
  return found;
}
