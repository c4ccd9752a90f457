import type { Clause } from './clauses.ts';
import { all, type Expression, foldId, isAll, isAny, isLeaf, type Leaf } from './expression.ts';

/** Where in a tree over IDs something is filed. */
export interface Key {
  readonly match: 'exact' | 'prefix';
  readonly value: string;
}

/** One way for a clause to match: an ID of the key, and the rest. Without a key it is tested for every peer. */
export interface Item {
  readonly clause: Clause;
  readonly key?: Key;
  readonly rest: Expression;
}

/** A clause without whose it is: rules that ask alike are parted alike, and once. */
type Part = Pick<Item, 'key' | 'rest'>;
const parted = new WeakMap<object, readonly Part[]>();

export function itemsOf(clause: Clause): readonly Item[] {
  const { when } = clause;
  if (typeof when === 'boolean') return [{ clause, rest: when }];
  let parts = parted.get(when);
  if (parts === undefined) {
    parts = partsOf(when);
    parted.set(when, parts);
  }
  return parts.map((part) => ({ clause, ...part }));
}

function partsOf(when: Expression): readonly Part[] {
  const factors = isAll(when) ? when.all : [when];
  let best: readonly Leaf[] | undefined;
  let others: readonly Expression[] = factors;
  for (const factor of factors) {
    const ids = idLeaves(factor);
    if (ids === undefined || (best !== undefined && cost(best) <= cost(ids))) continue;
    best = ids;
    others = factors.filter((other) => other !== factor);
  }
  if (best === undefined) return [{ rest: when }];
  const rest = all(others);
  return best.flatMap((leaf) => filed(leaf, rest));
}

/** A factor that is an ID, or one of several. */
function idLeaves(factor: Expression): readonly Leaf[] | undefined {
  if (isLeaf(factor)) return isFiled(factor) ? [factor] : undefined;
  if (!isAny(factor)) return undefined;
  const ids = factor.any.filter((part): part is Leaf => isLeaf(part) && isFiled(part));
  return ids.length === factor.any.length ? ids : undefined;
}

function isFiled({ of, match, starts }: Leaf): boolean {
  return of === 'id' && (match !== 'regex' || (starts ?? '') !== '');
}

/** Whole IDs tell the most: all else that is asked of the ID is known then. */
function cost(ids: readonly Leaf[]): number {
  const open = ids.filter(({ match }) => match !== 'exact').length;
  return open * 1_000_000 + ids.length;
}

function filed(leaf: Leaf, rest: Expression): readonly Part[] {
  const { match, value } = leaf;
  const exact = (): readonly Part[] => {
    const left = foldId(rest, value);
    return left === false ? [] : [{ key: { match: 'exact', value }, rest: left }];
  };
  switch (match) {
    case 'exact':
      return exact();
    case 'prefix':
      return [{ key: { match: 'prefix', value }, rest }];
    case 'under':
      return [...exact(), { key: { match: 'prefix', value: `${value}/` }, rest }];
    case 'regex':
      return [{ key: { match: 'prefix', value: leaf.starts as string }, rest: all([leaf, rest]) }];
  }
}
