import { countingOf } from '../../pdp/explain/counting.ts';
import { viewOf } from '../../pdp/explain/view.ts';
import type { Inventory } from '../../pdp/model/inventory.ts';
import { operatorChannel, type RequestDestination } from '../../pdp/model/request.ts';
import type { Rule } from '../../pdp/model/rule.ts';
import { type ListedItem, listedItems, type World, worlds } from './items.ts';

/**
 * The full table with negations of one inbound's tag permissions (SPEC TAG8): every combination of the tags that
 * items name, and for each the item that counts. A view and no more: nothing is decided by it, since it has a row for
 * each combination where the list has one item for each that was written.
 */

export interface TableRow {
  /** Tags that the client has, one value each. */
  readonly tags: ReadonlyMap<string, string>;
  /** Of tags not among them, the values that it has not. */
  readonly not: ReadonlyMap<string, readonly string[]>;
  /** The item that counts; undefined where none matches. */
  readonly rule: Rule | undefined;
  readonly shadowRule: Rule | undefined;
}

export interface Table {
  /** The clients' mesh. */
  readonly mesh: string;
  readonly rows: readonly TableRow[];
}

export interface TooManyTags {
  readonly mesh: string;
  /** Distinct pairs of tag and value: each may hold or not. */
  readonly tags: number;
  readonly combinations: bigint;
}

export const mostTags = 12;

/** One table for each mesh whose clients an item names. The destination is a dataplane of the inventory. */
export function tagTables(
  rules: readonly Rule[],
  inventory: Inventory,
  destination: RequestDestination,
): readonly (Table | TooManyTags)[] {
  const view = viewOf({ destination }, inventory, operatorChannel);
  const items = listedItems(rules, destination.mesh ?? 'default', view.see);
  const meshes = [...new Set(items.map(({ mesh }) => mesh))].sort();
  return meshes.map((mesh) =>
    tableOf(
      mesh,
      items.filter((item) => item.mesh === mesh),
    ),
  );
}

function tableOf(mesh: string, items: readonly ListedItem[]): Table | TooManyTags {
  const named = new Map<string, Set<string>>();
  for (const { tags } of items)
    for (const { tag, value } of tags) {
      const values = named.get(tag) ?? new Set();
      named.set(tag, values.add(value));
    }
  const count = [...named.values()].reduce((sum, values) => sum + values.size, 0);
  if (count > mostTags) return { mesh, tags: count, combinations: 2n ** BigInt(count) };
  const strongestFirst = items.toReversed();
  const rows = combinations([...named]).map((tags): TableRow => {
    const winner = (world: World) => {
      const matching = strongestFirst.filter((item) => item.counts.includes(world) && matches(item, tags));
      return countingOf(matching, ({ rule, isSure }) => ({ tier: rule[world], isSure }))?.rule;
    };
    const [rule, shadowRule] = worlds.map(winner);
    const not = new Map(
      [...named].filter(([tag]) => !tags.has(tag)).map(([tag, values]) => [tag, [...values]]),
    );
    return { tags, not, rule, shadowRule };
  });
  return { mesh, rows };
}

/** Each tag has one of its values or none of them, so that no row has two values of one tag. */
function combinations(
  named: readonly (readonly [string, ReadonlySet<string>])[],
): ReadonlyMap<string, string>[] {
  let all: ReadonlyMap<string, string>[] = [new Map()];
  for (const [tag, values] of named)
    all = all.flatMap((tags) => [...[...values].map((value) => new Map([...tags, [tag, value]])), tags]);
  return all;
}

function matches({ tags }: ListedItem, has: ReadonlyMap<string, string>): boolean {
  return tags.every(({ tag, value, negated }) => (has.get(tag) === value) !== negated);
}
