import { expect, test } from 'vitest';
import { createEngine } from '../../../src/pdp/engine.ts';
import { compile } from '../../../src/pdp/index/compile.ts';
import { neverPresent } from '../../../src/pdp/model/aliases.ts';
import { Random } from '../../oracle/random.ts';
import { loadValues } from '../loading.ts';
import { inboundOf } from './documents.ts';

/** A list of many items over many tags with negations: what would be 2^40 rows as a table. */

const tags = 40;
const at = { dataplane: 'backend-1' };
const actions = ['Allow', 'Deny', 'AllowWithShadowDeny', 'DenyWithShadowAllow'] as const;

interface Item {
  tags: Record<string, string>;
  action: (typeof actions)[number];
}

function randomItems(random: Random, count: number): Item[] {
  const names = Array.from({ length: tags }, (_, i) => `tag-${i}`);
  return Array.from({ length: count }, () => ({
    action: random.pick(actions),
    tags: Object.fromEntries(
      random.some(names, 3, 6).map((tag) => [tag, `${random.chance(0.4) ? '!' : ''}v${random.below(3)}`]),
    ),
  }));
}

function load(items: readonly Item[]) {
  const from = items.map((item) => ({
    targetRef: { kind: 'MeshSubset', tags: item.tags },
    default: { action: item.action },
  }));
  return loadValues(inboundOf({}), { type: 'MeshTrafficPermission', name: 'p', from });
}

function randomClient(random: Random): Record<string, string | string[]> {
  const client: Record<string, string | string[]> = {};
  for (let i = 0; i < tags; i++) {
    if (random.chance(0.3)) continue;
    const value = `v${random.below(3)}`;
    client[`tag-${i}`] = random.chance(0.1) ? [value, `v${random.below(3)}`] : value;
  }
  return client;
}

/** The last item all of whose tags hold: of a positive one some value is equal, of a negated one none. */
function lastMatch(items: readonly Item[], client: Record<string, string | string[]>): number {
  return items.findLastIndex((item) =>
    Object.entries(item.tags).every(([tag, wanted]) => {
      const has = [client[tag] ?? []].flat();
      return wanted.startsWith('!') ? !has.includes(wanted.slice(1)) : has.includes(wanted);
    }),
  );
}

test('[TAG7] [LST1] [SRC10] 200 items over 40 tags are what the last match says', () => {
  const winners = new Set<number>();
  for (let seed = 1; seed <= 10; seed++) {
    const random = new Random(seed);
    const items = randomItems(random, 200);
    const { rules, inventory, snapshot } = load(items);
    const engine = createEngine(rules, inventory, snapshot);
    for (let i = 0; i < 200; i++) {
      const client = randomClient(random);
      const { by, shadowBy } = engine.decide({ source: { mesh: 'default', tags: client }, destination: at });
      const wanted = lastMatch(items, client);
      expect([seed, i, by?.index ?? -1, shadowBy?.index ?? -1]).toEqual([seed, i, wanted, wanted]);
      winners.add(seed * 1000 + wanted);
    }
  }
  expect(winners.size).toBeGreaterThan(200);
});

/** Everything that is stored, in numbers. */
function sizes(items: number) {
  const loaded = load(randomItems(new Random(7), items));
  const compiled = compile(loaded.rules, 'reported', neverPresent);
  const written = loaded.rules.reduce((sum, { when }) => sum + 1 + when.length, 0);
  const { entries, conditions, trees } = compiled;
  const columns = Object.values(entries).reduce((sum, { length }) => sum + length, 0);
  const numbers = columns + conditions.table.length + trees.cells.length;
  return { written, numbers, entries: entries.rules.length };
}

test('[TAG7] a list is stored in numbers that grow as its items do', () => {
  const [small, large, larger] = [100, 200, 400].map(sizes);
  for (const { written, numbers } of [small!, large!, larger!]) expect(numbers / written).toBeLessThan(40);
  expect(large!.numbers / small!.numbers).toBeLessThan(2.5);
  expect(larger!.numbers / large!.numbers).toBeLessThan(2.5);
  expect(larger!.entries).toBeLessThanOrEqual(2 * 400);
});
