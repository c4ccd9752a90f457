import { check } from './check.ts';
import { rounds, type Spread, spread } from './measure.ts';
import { bytesPerDecision, retainedMb } from './memory.ts';
import { compileMs, nodesVisited, openPlacet } from './placet.ts';
import { generators } from './workloads/index.ts';
import type { WorkloadName } from './workloads/types.ts';

/**
 * One workload at one size, in a process of its own, so that neither the heap nor what the compiler learnt of
 * another workload is in the figures. Prints one line of JSON.
 */
export interface Figures {
  readonly workload: WorkloadName;
  readonly size: number;
  readonly perSec: Spread;
  readonly yardstick: Spread;
  readonly ratio: Spread;
  readonly bytes: number;
  readonly openMs: number;
  readonly compileMs: number;
  readonly heapMb: number;
  readonly nodes: { readonly median: number; readonly high: number };
  readonly checked: number;
  readonly allowed: number;
}

export interface Effort {
  readonly requests: number;
  readonly rounds: number;
  readonly opens: number;
  readonly checks: number;
}

export function one(name: WorkloadName, size: number, effort: Effort): Figures {
  const workload = generators[name](size, effort.requests);
  const before = retainedMb();
  const opens: number[] = [];
  const open = (): ReturnType<typeof openPlacet> => {
    const start = performance.now();
    const opened = openPlacet(workload.documents);
    opens.push(performance.now() - start);
    return opened;
  };
  const placet = open();
  const heapMb = retainedMb() - before;
  for (let i = 1; i < effort.opens; i++) open();

  const { checked, allowed } = check(workload, (request) => placet.decide(request), effort.checks);
  const measured = rounds(workload.requests, (request) => placet.decide(request), effort.rounds);
  const nodes = nodesVisited(placet, workload.requests.slice(0, 2_000));
  return {
    workload: name,
    size,
    perSec: spread(measured.map((round) => round.perSec)),
    yardstick: spread(measured.map((round) => round.yardstick)),
    ratio: spread(measured.map((round) => round.perSec / round.yardstick)),
    bytes: bytesPerDecision(workload.requests, (request) => placet.decide(request)),
    openMs: spread(opens).median,
    compileMs: spread(Array.from({ length: effort.opens }, () => compileMs(workload.documents))).median,
    heapMb,
    nodes,
    checked,
    allowed,
  };
}

if (import.meta.main) {
  const [name, size, effort] = process.argv.slice(2);
  console.log(JSON.stringify(one(name as WorkloadName, Number(size), JSON.parse(effort!) as Effort)));
}
