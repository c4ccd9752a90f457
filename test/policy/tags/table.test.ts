import { describe, expect, test } from 'vitest';
import { createEngine } from '../../../src/pdp/engine.ts';
import { mostTags, type Table, type TableRow, tagTables } from '../../../src/policy/tags/table.ts';
import { Random } from '../../oracle/random.ts';
import { loadValues, violationsIn } from '../loading.ts';
import { inboundOf } from './documents.ts';
import { randomClient, randomPermission } from './random-lists.ts';

const plane = inboundOf({ 'kuma.io/service': 'backend', version: 'v1' });
const at = { dataplane: 'backend-1' };

function rowOf(tables: readonly unknown[], client: { mesh: string; tags: Record<string, string> }) {
  const table = (tables as Table[]).find(({ mesh }) => mesh === client.mesh);
  const rows = table?.rows.filter((row) => isOf(row, client.tags)) ?? [];
  return { rows, known: table !== undefined };
}

function isOf({ tags, not }: TableRow, has: Record<string, string>): boolean {
  const all = [...tags].every(([tag, value]) => has[tag] === value);
  return all && [...not].every(([tag, values]) => has[tag] === undefined || !values.includes(has[tag]));
}

describe('[TAG8] [LST1] the table and the list', () => {
  test('agree on every client with one value per tag, each of which has one row', () => {
    let verdicts = 0;
    let crossed = 0;
    for (let seed = 1; seed <= 400; seed++) {
      const random = new Random(seed);
      const count = random.between(1, 4);
      const documents = Array.from({ length: count }, (_, i) => randomPermission(random, `p-${i}`));
      const { rules, inventory, snapshot, violations } = loadValues(plane, ...documents);
      expect(violations).toEqual([]);
      const engine = createEngine(rules, inventory, snapshot);
      const route = random.pick([undefined, 'r1', 'r2', 'none']);
      const destination = { ...at, ...(route !== undefined && { route }) };
      const tables = tagTables(rules, inventory, destination);
      for (let i = 0; i < 25; i++) {
        const client = randomClient(random);
        const { rows, known } = rowOf(tables, client);
        if (known) expect([seed, i, rows.length]).toEqual([seed, i, 1]);
        const { by, shadowBy } = engine.decide({ source: { ...client, complete: true }, destination });
        const name = (one: { kri: string; index: number } | null | undefined) =>
          one && `${one.kri}${one.index}`;
        expect([seed, i, name(by), name(shadowBy)]).toEqual([
          seed,
          i,
          name(rows[0]?.rule?.origin ?? null),
          name(rows[0]?.shadowRule?.origin ?? null),
        ]);
        if (by !== null) verdicts++;
        if (by !== null && client.mesh === 'other') crossed++;
      }
    }
    expect(verdicts).toBeGreaterThan(4_000);
    expect(crossed).toBeGreaterThan(300);
  });
});

function permission(tags: readonly string[]): object {
  const from = tags.map((tag) => ({
    targetRef: { kind: 'MeshSubset', tags: { [tag]: 'on' } },
    default: { action: 'Allow' },
  }));
  return { type: 'MeshTrafficPermission', name: 'p', from };
}

describe('[TAG8] the bound', () => {
  const tables = (count: number) => {
    const loaded = loadValues(plane, permission(Array.from({ length: count }, (_, i) => `t${i}`)));
    expect(violationsIn(loaded)).toEqual([]);
    return tagTables(loaded.rules, loaded.inventory, at);
  };

  test('twelve tags have all their combinations', () => {
    const [table] = tables(mostTags) as Table[];
    expect(table!.rows).toHaveLength(2 ** mostTags);
  });

  test('one more is refused, with the number that there would be', () => {
    expect(tables(mostTags + 1)).toEqual([{ mesh: 'default', tags: 13, combinations: 8192n }]);
    expect(tables(40)).toEqual([{ mesh: 'default', tags: 40, combinations: 2n ** 40n }]);
  });

  test('values of one tag exclude each other', () => {
    const from = Array.from({ length: mostTags }, (_, i) => ({
      targetRef: { kind: 'MeshSubset', tags: { version: `v${i}` } },
      default: { action: 'Deny' },
    }));
    const { rules, inventory } = loadValues(plane, { type: 'MeshTrafficPermission', name: 'p', from });
    const [table] = tagTables(rules, inventory, at) as Table[];
    expect(table!.rows).toHaveLength(mostTags + 1);
    expect(table!.rows.at(-1)!.not.get('version')).toHaveLength(mostTags);
  });
});

test('[TAG8] without tags there is one row, and without a list none', () => {
  const everybody = { type: 'MeshTrafficPermission', name: 'p', from: [{ default: { action: 'Deny' } }] };
  const one = loadValues(plane, everybody);
  const [table] = tagTables(one.rules, one.inventory, at) as Table[];
  expect(table!.rows.map(({ tags, rule }) => [tags.size, rule?.origin.effect])).toEqual([[0, 'deny']]);
  const none = loadValues(plane);
  expect(tagTables(none.rules, none.inventory, at)).toEqual([]);
});
