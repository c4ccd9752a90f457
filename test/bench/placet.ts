import type { Snapshot } from '../../src/gateway/service.ts';
import { open, type Placet } from '../../src/index.ts';
import { createEngine } from '../../src/pdp/engine.ts';
import { load } from '../../src/policy/load.ts';

export function openPlacet(documents: readonly object[]): Placet {
  return open(documents);
}

function loaded(documents: readonly object[]) {
  const wrapped = documents.map((value) => ({ value, place: () => undefined }));
  return load(wrapped, () => '');
}

/** As a service has them that read them itself. */
export function snapshotOf(documents: readonly object[]): Snapshot {
  const { rules, inventory, snapshot } = loaded(documents);
  const { snapshot: name, decide, scan, named } = createEngine(rules, inventory, snapshot || 'bench');
  return { name, since: Date.now(), inventory, decide, scan, named, placeOf: () => undefined };
}

/** How long the rules take to compile, without reading the documents. */
export function compileMs(documents: readonly object[]): number {
  const { rules, inventory, snapshot } = loaded(documents);
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
