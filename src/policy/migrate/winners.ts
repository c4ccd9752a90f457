import type { Ground, Item } from './ground.ts';
import type { Matching } from './matching.ts';
import { none } from './others.ts';
import type { World } from './world.ts';

/** Of every source the item that decides about it, in both worlds; `nobody` where none matches. */
export interface Winners {
  readonly enforced: Int32Array;
  readonly shadow: Int32Array;
}

export const nobody = -1;

/** All items of a ground in one row, weakest first, so that a number names one. */
export interface Row {
  readonly items: readonly Item[];
  /** By item. */
  readonly policies: Int32Array;
  readonly tiers: Readonly<Record<World, Int8Array>>;
  /** Where the items of a policy begin. */
  readonly starts: readonly number[];
}

export function rowOf({ policies }: Ground): Row {
  const items: Item[] = [];
  const starts = policies.map((policy) => {
    const start = items.length;
    for (const item of policy.items) items.push(item);
    return start;
  });
  return {
    items,
    policies: Int32Array.from(items, ({ policy }) => policy),
    tiers: {
      enforced: Int8Array.from(items, (item) => tierOf(item, 'enforced')),
      shadow: Int8Array.from(items, (item) => tierOf(item, 'shadow')),
    },
    starts,
  };
}

export function tierOf({ enforced, shadow }: Item, world: World): number {
  return world === 'shadow' ? shadow : (enforced ?? none);
}

export function allows(item: Item, world: World): boolean {
  return tierOf(item, world) === 3;
}

/** The items of a group. */
export function* strongestFirst(
  ground: Ground,
  { items, starts }: Row,
  group: number,
): Generator<Item, void> {
  for (const policy of policiesOf(ground, group).reverse()) {
    const end = starts[policy + 1] ?? items.length;
    for (let number = end - 1; number >= starts[policy]!; number--) yield items[number]!;
  }
}

/** The policies of a group, weakest first. */
export function policiesOf(ground: Ground, group: number): Int32Array {
  return Int32Array.from(
    ground.groups[group]!.scopes.flatMap((scope) => ground.scopes[scope]!.policies),
  ).sort();
}

interface Node {
  readonly policies: readonly number[];
  readonly below: Map<string, Node>;
  readonly groups: number[];
}

/**
 * The winners of every group in turn; they are not to be kept. Most groups begin with the same weak policies, those
 * of the whole mesh: lists are walked as a tree, so that what several begin with is worked out once.
 */
export function eachGroup(
  ground: Ground,
  row: Row,
  matching: Matching,
  visit: (group: number, winners: Winners) => void,
): void {
  const root = treeOf(ground);
  const start = { enforced: empty(matching.count), shadow: empty(matching.count) };
  const waiting: { node: Node; winners: Winners }[] = [{ node: root, winners: start }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    let { node } = next;
    const { winners } = next;
    apply(node, row, matching, winners);
    // What nobody else continues from need not be copied.
    while (node.groups.length === 0 && node.below.size === 1) {
      node = [...node.below.values()][0]!;
      apply(node, row, matching, winners);
    }
    for (const group of node.groups) visit(group, winners);
    for (const below of node.below.values())
      waiting.push({
        node: below,
        winners: { enforced: winners.enforced.slice(), shadow: winners.shadow.slice() },
      });
  }
}

function empty(count: number): Int32Array {
  return new Int32Array(count).fill(nobody);
}

function apply({ policies }: Node, { items, starts }: Row, matching: Matching, winners: Winners): void {
  const { enforced, shadow } = winners;
  for (const policy of policies) {
    const end = starts[policy + 1] ?? items.length;
    for (let number = starts[policy]!; number < end; number++) {
      const item = items[number]!;
      const isEnforced = item.enforced !== null;
      matching.of(item.when).forEach((source) => {
        if (isEnforced) enforced[source] = number;
        shadow[source] = number;
      });
    }
  }
}

function treeOf(ground: Ground): Node {
  const root: Node = { policies: [], below: new Map(), groups: [] };
  for (const group of ground.groups.keys()) {
    let node = root;
    for (const { key, policies } of runsOf(ground, policiesOf(ground, group))) {
      let below = node.below.get(key);
      if (below === undefined) {
        below = { policies, below: new Map(), groups: [] };
        node.below.set(key, below);
      }
      node = below;
    }
    node.groups.push(group);
  }
  return root;
}

/** Policies of one scope that stand together. */
function* runsOf(ground: Ground, policies: Int32Array): Generator<{ key: string; policies: number[] }, void> {
  let from = 0;
  while (from < policies.length) {
    const { scope } = ground.policies[policies[from]!]!;
    let to = from + 1;
    while (to < policies.length && ground.policies[policies[to]!]!.scope === scope) to++;
    yield {
      key: `${policies[from]}-${policies[to - 1]}-${scope}`,
      policies: [...policies.subarray(from, to)],
    };
    from = to;
  }
}
