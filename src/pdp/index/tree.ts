import { pushTo } from '../model/lists.ts';
import { type ConditionTable, Op } from './entries.ts';

/**
 * The adaptive tree over conditions. A node reads one dimension. Its branches are the symbols that conditions ask
 * for, one branch for a value that is there at all (`exists`), one for one that is absent, one for rules that do
 * not ask, and, in trees of denies, one for an unknown value, in which every condition on the dimension is
 * already counted as met. `notIn` has no branch: it stays with the rules and is tested at the leaf.
 */
export interface Trees {
  /** Per node, `nodeStride` numbers; see `Node`. */
  readonly nodes: Int32Array;
  /** Open addressing: node, symbol, child; node is -1 where empty. */
  readonly edges: Int32Array;
  /**
   * Per leaf: number of items, and for each item: key, number of conditions that are still to be tested, and for each of these a head (dimension
   * times eight, plus four where the second number is a condition, plus the operator) and its symbol or condition.
   * What a leaf needs lies in one place, since memory, not arithmetic, is what a decision waits for.
   */
  readonly items: Int32Array;
}

/**
 * A reference to what is below: -1 for nothing; from -2 down a rule that needs no test, its key being -2 minus the
 * reference; an even number for a node, an odd one for a leaf, half of it (rounded down) being where it begins.
 */
export const nothing = -1;

export const nodeStride = 6;
export const Node = {
  /** The smallest key below. */
  least: 0,
  dimension: 1,
  /** References. */
  other: 2,
  present: 3,
  absent: 4,
  unknown: 5,
} as const;

/** Bit 30 stands for all conditions from the thirtieth on. */
export const maskBits = 30;
export const restBit = 1 << maskBits;

/** How many rules a leaf may hold before a further split is looked for. */
const leafSize = 3;

export function hashEdge(node: number, symbol: number): number {
  const mixed = Math.imul(node, 0x9e3779b1) ^ Math.imul(symbol + 1, 0x85ebca6b);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

/** What a tree is built from: keys in ascending order, and for each its conditions and which are to be tested. */
export interface TreeRule {
  readonly key: number;
  readonly conditions: readonly number[];
  readonly mask: number;
}

/** All conditions are to be tested. */
export function fullMask(count: number): number {
  return 2 ** Math.min(count, maskBits) - 1 + (count > maskBits ? restBit : 0);
}

interface Item {
  readonly rule: TreeRule;
  readonly mask: number;
}

export class TreeBuilder {
  readonly #conditions: ConditionTable;
  readonly #nodes: number[] = [];
  readonly #edges: number[] = [];
  readonly #items: number[] = [];
  #budget = 0;

  constructor(conditions: ConditionTable) {
    this.#conditions = conditions;
  }

  /** The root of a tree over these rules. `denies`: an unknown condition does not keep a rule from matching. */
  add(rules: readonly TreeRule[], denies: boolean): number {
    let size = 1024;
    const items = rules.map((rule) => {
      for (const id of rule.conditions) size += 1 + this.#conditions.count(id);
      return { rule, mask: rule.mask };
    });
    // Copies of a rule under several values are bounded by a multiple of what was written.
    this.#budget = size * 8;
    return this.#build(items, denies);
  }

  #build(items: readonly Item[], denies: boolean): number {
    const dimension = items.length > leafSize && this.#budget > 0 ? this.#choose(items) : -1;
    return dimension < 0 ? this.#leaf(items) : this.#split(items, dimension, denies);
  }

  #leaf(items: readonly Item[]): number {
    const [only] = items;
    if (only !== undefined && items.length === 1 && only.mask === 0) return -2 - only.rule.key;
    const start = this.#items.push(items.length) - 1;
    for (const item of items) this.#item(item);
    return start * 2 + 1;
  }

  #item({ rule, mask }: Item): void {
    const count = this.#items.push(rule.key, 0) - 1;
    rule.conditions.forEach((id, i) => {
      const open = i < maskBits ? (mask & (1 << i)) !== 0 : (mask & restBit) !== 0;
      if (!open) return;
      const op = this.#conditions.op(id);
      const symbols = this.#conditions.symbols(id);
      const single = op <= Op.notIn && symbols.length === 1;
      const head = this.#conditions.dimension(id) * 8 + (single ? 0 : 4) + op;
      this.#items.push(head, single ? (symbols[0] as number) : id);
      this.#items[count] = (this.#items[count] as number) + 1;
    });
  }

  #node(items: readonly Item[], dimension: number): number {
    const least = (items[0] as Item).rule.key;
    return this.#nodes.push(least, dimension, nothing, nothing, nothing, nothing) / nodeStride - 1;
  }

  /** The position of a rule's first open condition on a dimension that has a branch, or -1. */
  #open(item: Item, dimension: number): number {
    const { conditions } = item.rule;
    for (let i = 0; i < conditions.length && i < maskBits; i++) {
      const id = conditions[i] as number;
      if ((item.mask & (1 << i)) === 0 || this.#conditions.dimension(id) !== dimension) continue;
      if (this.#conditions.op(id) !== Op.notIn) return i;
    }
    return -1;
  }

  /** The dimension that leaves the fewest candidates for a value drawn evenly from those asked for. */
  #choose(items: readonly Item[]): number {
    const asked = new Map<number, { rules: number; copies: number; symbols: Set<number> }>();
    for (const item of items) {
      const { conditions } = item.rule;
      let last = -1;
      for (let i = 0; i < conditions.length && i < maskBits; i++) {
        const id = conditions[i] as number;
        if ((item.mask & (1 << i)) === 0 || this.#conditions.op(id) === Op.notIn) continue;
        const dimension = this.#conditions.dimension(id);
        if (dimension === last) continue;
        last = dimension;
        let counts = asked.get(dimension);
        if (counts === undefined) {
          counts = { rules: 0, copies: 0, symbols: new Set() };
          asked.set(dimension, counts);
        }
        counts.rules++;
        const symbols =
          this.#conditions.op(id) === Op.in ? this.#conditions.symbols(id) : [-this.#conditions.op(id)];
        counts.copies += symbols.length;
        for (const symbol of symbols) counts.symbols.add(symbol);
      }
    }
    let best = -1;
    let least = items.length * 0.95;
    for (const [dimension, { rules, copies, symbols }] of asked) {
      const cost = items.length - rules + copies / symbols.size;
      if (cost < least || (cost === least && best >= 0 && dimension < best)) {
        best = dimension;
        least = cost;
      }
    }
    return best;
  }

  #split(items: readonly Item[], dimension: number, denies: boolean): number {
    const other: Item[] = [];
    const present: Item[] = [];
    const absent: Item[] = [];
    const unknown: Item[] = [];
    const bySymbol = new Map<number, Item[]>();
    for (const item of items) {
      const i = this.#open(item, dimension);
      if (i < 0) {
        other.push(item);
        continue;
      }
      const rest = { rule: item.rule, mask: item.mask & ~(1 << i) };
      const id = item.rule.conditions[i] as number;
      if (denies) unknown.push(rest);
      if (this.#conditions.op(id) === Op.exists) present.push(rest);
      else if (this.#conditions.op(id) === Op.notExists) absent.push(rest);
      else {
        for (const symbol of this.#conditions.symbols(id)) {
          pushTo(bySymbol, symbol, rest);
        }
      }
    }
    const node = this.#node(items, dimension);
    const at = node * nodeStride;
    const child = (below: readonly Item[]): number => {
      if (below.length === 0) return nothing;
      // A copy costs what it holds, and looking for the next split walks all of that again.
      for (const { rule } of below) this.#budget -= 1 + rule.conditions.length;
      return this.#build(below, denies);
    };
    for (const [symbol, below] of bySymbol) this.#edges.push(node, symbol, child(below));
    this.#nodes[at + Node.other] = child(other);
    this.#nodes[at + Node.present] = child(present);
    this.#nodes[at + Node.absent] = child(absent);
    this.#nodes[at + Node.unknown] = child(unknown);
    return node * 2;
  }

  build(): Trees {
    let size = 4;
    while (size < (this.#edges.length / 3) * 1.5) size *= 2;
    const edges = new Int32Array(size * 3).fill(-1);
    for (let i = 0; i < this.#edges.length; i += 3) {
      let slot = hashEdge(this.#edges[i] as number, this.#edges[i + 1] as number) & (size - 1);
      while (edges[slot * 3] !== -1) slot = (slot + 1) & (size - 1);
      for (let k = 0; k < 3; k++) edges[slot * 3 + k] = this.#edges[i + k] as number;
    }
    return { nodes: Int32Array.from(this.#nodes), edges, items: Int32Array.from(this.#items) };
  }
}
