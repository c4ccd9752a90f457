import { describe, expect, test } from 'vitest';
import { both } from '../export/world.ts';
import { verifyFilters } from './exported.ts';
import type { Json, Mutant } from './planting.ts';
import { spiffeMutants } from './spiffe-mutants.ts';
import * as spiffe from './spiffe-world.ts';
import { tagMutants } from './tag-mutants.ts';
import * as tags from './tag-world.ts';

const worlds = {
  list: { ...spiffe, filters: [spiffe.list] },
  trees: { ...spiffe, filters: [spiffe.trees] },
  tags,
};

const verify = (world: (typeof worlds)[Mutant['world']], filters: readonly unknown[], most = 500_000) =>
  verifyFilters(both(...world.documents), world.destination, filters, most);

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

const mutants = [...spiffeMutants, ...tagMutants];

function caught(mutant: Mutant, filters: readonly unknown[]): boolean {
  const planted = structuredClone(filters) as Json[];
  mutant.plant(planted);
  const { compared, violations } = verify(worlds[mutant.world], planted, 20_000);
  expect(violations).toEqual([]);
  return compared.some(({ differing }) => differing > 0);
}

describe('planted mistakes', () => {
  test.each(mutants.map((mutant) => [mutant.name, mutant] as const))('[VER11] by hand: %s', (_, mutant) => {
    expect(caught(mutant, worlds[mutant.world].filters)).toBe(true);
  });

  test.each(mutants.map((mutant) => [mutant.name, mutant] as const))('[VER11] exported: %s', (_, mutant) => {
    const { documents, destination } = worlds[mutant.world];
    const form = mutant.world === 'trees' ? 'tree' : 'list';
    const { filters } = both(...documents).exporter.export(destination, { form });
    expect(caught(mutant, filters)).toBe(true);
  });
});
