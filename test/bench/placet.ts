import { open, type Placet } from '../../src/index.ts';
import { createEngine } from '../../src/pdp/engine.ts';
import { load } from '../../src/policy/load.ts';

export function openPlacet(documents: readonly object[]): Placet {
  return open(documents);
}

/** How long the rules take to compile, without reading the documents. */
export function compileMs(documents: readonly object[]): number {
  const wrapped = documents.map((value) => ({ value, place: () => undefined }));
  const { rules, inventory, snapshot } = load(wrapped, () => '');
  const start = performance.now();
  createEngine(rules, inventory, snapshot);
  return performance.now() - start;
}

/** Nodes of tries and trees that single decisions visit. */
export function nodesVisited(placet: Placet, requests: readonly string[]): { median: number; high: number } {
  const counts: number[] = [];
  let before = placet.visited;
  for (const text of requests) {
    placet.decide(JSON.parse(text));
    counts.push(placet.visited - before);
    before = placet.visited;
  }
  counts.sort((a, b) => a - b);
  return { median: counts[counts.length >> 1] ?? 0, high: counts.at(-1) ?? 0 };
}
