import { formatViolation } from '../../../../src/pdp/model/violation.ts';
import { checkFilter } from '../../../envoy/proto/check.ts';
import { type Lab, openLab } from '../../../support/envoy/lab.ts';
import { trusts } from './certificates.ts';
import { compareClient, type Difference, isExact } from './compare.ts';
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

/** All that differs on these sets, in one lab. */
export type Compare<C extends Counts> = (worlds: readonly WorldSet[], counts: C) => Promise<Difference[]>;

/** Ends with the first lab in which something differs. */
export async function compareSets<C extends Counts>(
  { from, count, tags }: Plan,
  counts: C,
  compare: Compare<C>,
): Promise<Difference[]> {
  for (let start = from; start < from + count; start += setsOfLab) {
    const worlds: WorldSet[] = [];
    for (let seed = start; seed < Math.min(start + setsOfLab, from + count); seed++) {
      const world = worldSet(seed, tags(seed));
      counts.sets++;
      counts.rules(world.set.loaded.rules);
      const [first] = world.exports;
      if (first !== undefined && isExact(first.exported)) counts.exactSets++;
      worlds.push(world);
    }
    const differences = await compare(worlds, counts);
    if (differences.length > 0) return differences;
  }
  return [];
}

interface Job {
  readonly world: WorldSet;
  readonly form: Form;
  readonly listener: string;
}

/** Every form of each set against the PDP and the interpreter. */
export const compareExports: Compare<Counts> = async (worlds, counts) => {
  const trust = await trusts();
  const jobs = worlds.flatMap((world) =>
    world.exports.map((form, index): Job => ({ world, form, listener: `${world.seed}-${index}` })),
  );
  const lab = await openLab(
    jobs.map(({ world, form, listener }) => listenerFor(listener, form, trust(world.seed))),
  );
  try {
    return await inTurn(jobs, (job) => compareJob(lab, job, counts));
  } finally {
    await lab.stop();
  }
};

/** A few at a time. */
export async function inTurn<Job>(
  jobs: readonly Job[],
  work: (job: Job) => Promise<Difference[]>,
): Promise<Difference[]> {
  const queue = [...jobs];
  const differences: Difference[] = [];
  const worker = async () => {
    for (let job = queue.shift(); job !== undefined; job = queue.shift())
      differences.push(...(await work(job)));
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return differences;
}

async function compareJob(lab: Lab, { world, form, listener }: Job, counts: Counts): Promise<Difference[]> {
  counts.exports++;
  counts.formed(form);
  const faults = form.exported.filters.flatMap(checkFilter).map(formatViolation);
  if (faults.length > 0) throw new Error(`seed ${world.seed}, ${listener}: ${faults.join('\n')}`);
  const found: Difference[] = [];
  for (const client of world.clients) {
    found.push(...(await compareClient(lab, listener, world, form, client, counts)));
  }
  return found;
}
