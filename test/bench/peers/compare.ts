import { Disagreement } from '../check.ts';
import { type Spread, spread } from '../measure.ts';
import { reference } from '../reference.ts';
import { generators } from '../workloads/index.ts';
import type { Workload, WorkloadName } from '../workloads/types.ts';
import { EngineProcess, type Loaded } from './engine.ts';
import { type PeerName, peerNames } from './types.ts';

/** One engine on one workload, beside Placet in the same rounds. */
export interface Compared extends Loaded {
  readonly workload: WorkloadName;
  readonly size: number;
  readonly peer: PeerName;
  readonly perSec: Spread;
  /** Placet's decisions per second over this engine's. */
  readonly faster: number;
  /** What Placet keeps in memory over what this engine keeps. */
  readonly memory: number;
  /** Verdicts checked, all of which agreed. */
  readonly agreed: number;
}

const distinct = 10_000;
const roundCount = 5;
const budgetMs = 500;

/** Workloads that every engine can express: no unknown values, no trust, no ordered lists. */
const comparable: readonly WorkloadName[] = ['S', 'A', 'H'];

function takesPart(peer: PeerName, { name, size }: Workload): boolean {
  // Cedar looks at every policy for every request, and takes minutes to load 100k of them.
  if (peer === 'cedar-wasm') return size <= 10_000;
  // For permissions on IDs it would be the same.
  return peer !== 'opa-wasm-tuned' || name !== 'S';
}

export async function comparePeers(
  names: readonly WorkloadName[],
  sizes: readonly number[],
): Promise<Compared[]> {
  const compared: Compared[] = [];
  for (const name of names.filter((one) => comparable.includes(one))) {
    for (const size of sizes) compared.push(...(await compareOne(generators[name](size, distinct))));
  }
  return compared;
}

export async function compareOne(
  workload: Workload,
  names: readonly PeerName[] = peerNames,
): Promise<Compared[]> {
  const { name, size } = workload;
  const engines: EngineProcess[] = [];
  const costs: Loaded[] = [];
  const rates: number[][] = [];
  try {
    for (const peer of names.filter((one) => takesPart(one, workload))) {
      process.stderr.write(`${name} at ${size} rules: loading ${peer}\n`);
      const engine = new EngineProcess(peer, workload);
      engines.push(engine);
      costs.push(await engine.loaded());
      rates.push([]);
    }
    const agreed = await agree(workload, engines);
    // The first round warms up and is not counted.
    for (let i = 0; i <= roundCount; i++) {
      for (const [k, engine] of engines.entries()) {
        const rate = await engine.round(budgetMs);
        if (i > 0) rates[k]!.push(rate);
      }
    }
    const medians = rates.map((one) => spread(one));
    const placet = engines.findIndex((one) => one.name === 'placet');
    return engines.map((engine, k) => ({
      workload: name,
      size,
      peer: engine.name,
      perSec: medians[k]!,
      ...costs[k]!,
      faster: (medians[placet]?.median ?? 0) / medians[k]!.median,
      memory: (costs[placet]?.retainedMb ?? 0) / costs[k]!.retainedMb,
      agreed: agreed[k]!,
    }));
  } finally {
    for (const engine of engines) engine.close();
  }
}

/** Every engine against the reference; Cedar on fewer requests, because it is slow. */
async function agree(workload: Workload, engines: readonly EngineProcess[]): Promise<number[]> {
  const checks = workload.size >= 100_000 ? 60 : 300;
  const expected = reference(workload);
  const texts = workload.requests.slice(0, checks);
  const want = texts.map((text) => (expected(text).decision === 'allow' ? '1' : '0')).join('');
  const counts: number[] = [];
  for (const engine of engines) {
    const count = engine.name === 'cedar-wasm' ? Math.min(checks, 20) : checks;
    const got = await engine.check(count);
    if (got !== want.slice(0, count)) {
      const at = [...got].findIndex((verdict, i) => verdict !== want[i]);
      throw new Disagreement(
        `${engine.name} on ${workload.name} at ${workload.size} differs, for ${texts[at]}`,
      );
    }
    counts.push(count);
  }
  return counts;
}
