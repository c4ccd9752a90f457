import { getHeapStatistics } from 'node:v8';
import type { Decide } from './measure.ts';

function collect(): void {
  if (globalThis.gc === undefined) throw new Error('the bench needs node --expose-gc');
  globalThis.gc();
  globalThis.gc();
}

/** Megabytes alive after a collection: JavaScript objects, and beside them array buffers and memory of WebAssembly. */
export function retainedMb(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1e6;
}

export function residentMb(): number {
  collect();
  return process.memoryUsage().rss / 1e6;
}

/** Bytes that one decision leaves behind for the collector, over slices short enough that it does not run. */
export function bytesPerDecision(requests: readonly string[], decide: Decide): number {
  const counts: number[] = [];
  for (let at = 0; at + 400 <= Math.min(requests.length, 4_000); at += 400) {
    const objects: unknown[] = requests.slice(at, at + 400).map((text) => JSON.parse(text));
    collect();
    const before = getHeapStatistics().used_heap_size;
    for (const object of objects) decide(object);
    counts.push((getHeapStatistics().used_heap_size - before) / 400);
  }
  return Math.round(counts.sort((a, b) => a - b)[counts.length >> 1] ?? 0);
}
