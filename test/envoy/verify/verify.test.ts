import { describe, expect, test } from 'vitest';
import { looseChain } from '../../../src/envoy/verify/chains.ts';
import type { Destination } from '../../../src/envoy/verify/evidence.ts';
import { resourcesOf } from '../../../src/envoy/verify/resources.ts';
import { type ChainReport, verifyChain } from '../../../src/envoy/verify/verify.ts';
import { createEngine } from '../../../src/pdp/engine.ts';
import { loadValues, violationsIn } from '../../policy/loading.ts';
import { type Json, mutants } from './mutants.ts';
import * as spiffe from './spiffe-world.ts';
import * as tags from './tag-world.ts';

const worlds = {
  list: { ...spiffe, filters: [spiffe.list] },
  trees: { ...spiffe, filters: [spiffe.trees] },
  tags,
};

function verify(
  world: { documents: readonly object[]; destination: Destination },
  filters: readonly unknown[],
  most = 500_000,
): ChainReport {
  const loaded = loadValues(...world.documents);
  expect(violationsIn(loaded)).toEqual([]);
  const engine = createEngine(loaded.rules, loaded.inventory, loaded.snapshot);
  return verifyChain(looseChain(filters), resourcesOf([]), {
    ...loaded,
    decide: (request, channel) => engine.decide(request, channel),
    destination: world.destination,
    shadow: true,
    most,
  });
}

describe('filters that are right', () => {
  test.each(['list', 'trees', 'tags'] as const)(
    '[VER10] %s: no difference, and much of it is allowed',
    (name) => {
      const world = worlds[name];
      const { compared, violations, checks } = verify(world, world.filters);
      expect(violations).toEqual([]);
      expect(checks.filter(({ state }) => state === 'fails')).toEqual([]);
      for (const { differences, tried, allowed, possible } of compared) {
        expect(differences).toEqual([]);
        expect(tried).toBe(possible);
        console.log(`${name}: ${tried} requests, ${allowed} allowed`);
      }
    },
  );
});

describe('planted mistakes', () => {
  test.each(mutants.map((mutant) => [mutant.name, mutant] as const))('[VER11] %s', (_, mutant) => {
    const world = worlds[mutant.world];
    const filters = structuredClone(world.filters) as unknown as Json[];
    mutant.plant(filters);
    const { compared, violations } = verify(world, filters, 20_000);
    expect(violations).toEqual([]);
    expect(compared.map(({ differing }) => differing > 0)).toEqual([true]);
  });
});
