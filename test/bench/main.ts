import { parseArgs } from 'node:util';
import { documentTimes } from './documents.ts';
import type { Figures } from './one.ts';
import { comparePeers } from './peers/compare.ts';
import { growthLines, peerLines, table, verdicts } from './report.ts';
import { measuredNow, writePart } from './results.ts';
import { runOne } from './run.ts';
import { type WorkloadName, workloadNames } from './workloads/types.ts';

const usage = `usage: npm run bench -- [options]

  --quick          S, A, H and M at 10,000 rules, in under a minute
  --only S,A       these workloads only (S, A, H, M, U, T)
  --sizes 1000     these numbers of rules only
  --peers          also OPA (wasm, Go) and Cedar on the same data
  --json           one JSON object on standard output
  --write          rewrite what was measured in test/bench/RESULTS.md: all workloads and sizes, or the peers

Exits with 1 if a target is missed, except with --quick.`;

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    sizes: { type: 'string' },
    peers: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** A list is of one mesh: nobody writes ten thousand items by hand. */
const listSizes = [200, 1_000];

async function main(): Promise<number> {
  if (flags.help) {
    console.log(usage);
    return 0;
  }
  const names = flags.only?.split(',') ?? (flags.quick ? ['S', 'A', 'H', 'M'] : [...workloadNames]);
  const given = flags.sizes?.split(',').map(Number);
  const sizes = given ?? (flags.quick ? [10_000] : [1_000, 10_000, 100_000]);
  const unknown = names.find((name) => !(workloadNames as readonly string[]).includes(name));
  if (unknown !== undefined || sizes.some((size) => !Number.isInteger(size) || size < 100)) {
    console.error(usage);
    return 2;
  }

  const figures: Figures[] = [];
  for (const name of names as WorkloadName[]) {
    for (const size of given === undefined && name === 'T' ? listSizes : sizes)
      figures.push(await runOne(name, size, flags.quick));
  }
  const whole = !flags.quick && flags.only === undefined && flags.sizes === undefined;
  const documents = whole ? documentTimes() : [];
  const peers = flags.peers ? await comparePeers(names as WorkloadName[], sizes) : [];

  const judged = verdicts(figures, peers);
  const lines = [...table(figures), ...growthLines(figures), ...documents];
  const beside = peerLines(peers);
  if (flags.json) console.log(JSON.stringify(asObject(figures, peers)));
  else console.log([...lines, '', ...beside].join('\n'));
  for (const missed of judged.filter((one) => !one.reached)) console.error(`missed: ${missed.what}`);
  if (flags.write && whole) writePart('core', measuredNow(), lines);
  if (flags.write && flags.peers) writePart('peers', measuredNow(), beside);
  return !flags.quick && judged.some((one) => !one.reached) ? 1 : 0;
}

function asObject(figures: readonly Figures[], peers: readonly object[]): object {
  const result: Record<string, Record<string, object>> = {};
  for (const { workload, size, perSec, yardstick, ratio, ...rest } of figures) {
    result[workload] ??= {};
    result[workload][size] = {
      perSec: Math.round(perSec.median),
      yardstick: Math.round(yardstick.median),
      ratio: Number(ratio.median.toFixed(3)),
      spread: [Number(ratio.low.toFixed(3)), Number(ratio.high.toFixed(3))],
      ...rest,
    };
  }
  return peers.length === 0 ? result : { ...result, peers };
}

process.exitCode = await main();
