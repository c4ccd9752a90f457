import { setFlagsFromString } from 'node:v8';
import { describe, expect, test } from 'vitest';
import { nodesVisited, openPlacet } from '../bench/placet.ts';
import { nodesTarget } from '../bench/targets.ts';
import { generators } from '../bench/workloads/index.ts';
import type { WorkloadName } from '../bench/workloads/types.ts';

/** Cost is counted, not clocked: the same on every machine, however busy. */
function nodes(name: WorkloadName, size: number): { median: number; high: number } {
  const { documents, requests } = generators[name](size, 1_000);
  return nodesVisited(openPlacet(documents), requests);
}

describe('nodes visited', () => {
  test('a SPIFFE ID among 100k matchers takes at most 12', () => {
    expect(nodes('S', 100_000).high).toBeLessThanOrEqual(nodesTarget);
  });

  test.each(['S', 'A', 'M', 'U'] as const)(
    '%s: twenty times the rules do not make it twice as many',
    (name) => {
      const small = nodes(name, 500);
      const large = nodes(name, 10_000);
      expect(small.median).toBeGreaterThan(0);
      expect(large.median).toBeLessThanOrEqual(2 * small.median);
    },
  );

  test('H: in a universe that does not grow, nodes grow more slowly than the rules do', () => {
    expect(nodes('H', 10_000).median).toBeLessThan(10 * nodes('H', 1_000).median);
  });
});

test('however many values a set has, objects that are made alike later are alike to the engine', () => {
  setFlagsFromString('--allow-natives-syntax');
  const areAlike = new Function('one', 'other', 'return %HaveSameMap(one, other)') as (
    one: object,
    other: object,
  ) => boolean;
  const { documents } = generators.A(10_000, 0);
  const nobodys = Symbol('a name that nobody had before');
  const opened = openPlacet(documents);
  const made = () => ({ [nobodys]: 1, callback: 2, args: 3 });
  expect(areAlike(made(), made())).toBe(true);
  expect(opened.snapshot).not.toBe('');
});
