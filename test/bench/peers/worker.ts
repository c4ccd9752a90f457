import { createInterface } from 'node:readline';
import { slice } from '../measure.ts';
import { residentMb, retainedMb } from '../memory.ts';
import { generators } from '../workloads/index.ts';
import type { Workload, WorkloadName } from '../workloads/types.ts';
import type { Peer, PeerName } from './types.ts';

/**
 * One engine in a process of its own, so that its memory can be told from the others'. Loads, says what that cost,
 * then answers commands on standard input with one line of JSON each; the Go program speaks the same.
 */

type Make = (workload: Workload) => Peer | Promise<Peer>;

/** Imported before memory is first looked at: what counts is policies, not code. */
async function makerOf(name: PeerName): Promise<Make> {
  if (name === 'opa-wasm') return (await import('./opa-wasm.ts')).opaWasm;
  if (name === 'opa-wasm-tuned') return (await import('./opa-wasm.ts')).opaWasmTuned;
  if (name === 'cedar-wasm') return (await import('./cedar.ts')).cedarWasm;
  const { openPlacet } = await import('../placet.ts');
  return ({ documents }) => {
    const placet = openPlacet(documents);
    const decide = (request: unknown): boolean => placet.decide(request).decision === 'allow';
    return { name, decide };
  };
}

/** Decisions per second of time spent in the engine, over whole slices, until the budget is spent. */
function round(peer: Peer, requests: readonly string[], budgetMs: number): number {
  let done = 0;
  let clocked = 0;
  let at = 0;
  // A slow engine does not get to the end of a slice.
  while (clocked < budgetMs) {
    const objects: unknown[] = requests.slice(at, at + slice).map((text) => JSON.parse(text));
    at = (at + slice) % requests.length;
    const start = performance.now();
    for (const object of objects) {
      peer.decide(object);
      done++;
      if ((done & 31) === 0 && performance.now() - start + clocked > 2 * budgetMs) break;
    }
    clocked += performance.now() - start;
  }
  return (1_000 * done) / clocked;
}

const [name, workloadName, size, distinct] = process.argv.slice(2);
const workload = generators[workloadName as WorkloadName](Number(size), Number(distinct));
const make = await makerOf(name as PeerName);
const retainedBefore = retainedMb();
const residentBefore = residentMb();
const start = performance.now();
const peer = await make(workload);
const loadMs = performance.now() - start;
const answer = (value: object): void => console.log(JSON.stringify(value));
answer({
  loadMs,
  retainedMb: retainedMb() - retainedBefore,
  residentMb: residentMb() - residentBefore,
});

for await (const line of createInterface({ input: process.stdin })) {
  const [command, argument] = line.split(' ');
  if (command === 'check') {
    const texts = workload.requests.slice(0, Number(argument));
    answer({ verdicts: texts.map((text) => (peer.decide(JSON.parse(text)) ? '1' : '0')).join('') });
  } else {
    answer({ perSec: round(peer, workload.requests, Number(argument)) });
  }
}
