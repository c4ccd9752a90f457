import { pushTo } from '../model/lists.ts';
import { type ConditionTable, Op } from './entries.ts';
import { noCode } from './fingerprint.ts';
import type { Codes } from './vocabulary.ts';

/**
 * The adaptive tree over conditions. A node reads one dimension. Its branches are the symbols that conditions ask
 * for, one branch for a value that is there at all (`exists`), one for one that is absent, one for rules that do
 * not ask, and, in trees of denies, one for an unknown value, in which every condition on the dimension is
 * already counted as met. `notIn` has no branch: it stays with the rules and is tested at the leaf.
 */
export interface Trees {
  /**
   * Nodes and leaves, each right before what is below it: memory, not arithmetic, is what a decision waits for, and
   * what lies in a row comes along. A node is `Node.edges` numbers, its edges (`edgeStride` numbers each: code, reference, text; from
   * `scanned` edges on a hash table of them, empty where the reference is `nothing`), and if its head says so the
   * references for present, absent and unknown values. A leaf is the number of its items, and for each item: key, how
   * many numbers follow, and its conditions that are still to be tested, each a head (`Head`) and a code and its text; or a condition, its number of codes and these, with
   * texts; or a condition. Texts are strings of the table.
   */
  readonly cells: Int32Array;
}

/**
 * A reference to what is below: -1 for nothing; from -2 down a rule that needs no test, its key being -2 minus the
 * reference; an even number for a node, an odd one for a leaf, half of it (rounded down) being where it begins.
 */
export const nothing = -1;

export const Node = {
  /** The smallest key below. */
  least: 0,
  /** Twice the dimension, plus one if it has branches for present, absent and unknown values. */
  head: 1,
  /** Reference for rules that do not ask. */
  other: 2,
  /** Edges, or slots of their hash table. */
  size: 3,
  edges: 4,
} as const;

export const edgeStride = 3;
/** So many edges are looked through one by one. */
export const scanned = 8;

export function edgeSlot(code: number): number {
  return code ^ (code >>> 13);
}

/** The dimension stands above these bits. */
export const headBits = 4;
export const Head = { operator: 3, condition: 4, codes: 8 } as const;

/** A list of so many values at most stands in the leaf itself. */
const mostInLeaf = 8;

/** Bit 30 stands for all conditions from the thirtieth on. */
export const maskBits = 30;
export const restBit = 1 << maskBits;

/** How many rules a leaf may hold before a further split is looked for. */
const leafSize = 3;

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
  readonly #codes: Int32Array;
  readonly #texts: Int32Array;
  readonly #likelihoods = new Map<number, number>();
  readonly #cells: number[] = [];
  #budget = 0;

  constructor(conditions: ConditionTable, { codes, texts }: Codes) {
    this.#conditions = conditions;
    this.#codes = codes;
    this.#texts = texts;
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
    const start = this.#cells.push(items.length) - 1;
    for (const item of items) this.#item(item);
    return start * 2 + 1;
  }

  #item({ rule, mask }: Item): void {
    const cells = this.#cells;
    const start = cells.push(rule.key, 0);
    const open = rule.conditions.filter((_, i) =>
      i < maskBits ? (mask & (1 << i)) !== 0 : (mask & restBit) !== 0,
    );
    // What is least likely to hold is tested first: most rules fail by their first test, and read no attribute more.
    for (const id of open.sort((a, b) => this.#likelihood(a) - this.#likelihood(b))) {
      const op = this.#conditions.op(id);
      const count = this.#conditions.count(id);
      const head = (this.#conditions.dimension(id) << headBits) + op;
      if (op <= Op.notIn && count === 1) cells.push(head, ...this.#codesOf(id));
      else if (op === Op.in && count <= mostInLeaf)
        cells.push(head + Head.condition + Head.codes, id, count, ...this.#codesOf(id));
      else cells.push(head + Head.condition, id);
    }
    cells[start - 1] = cells.length - start;
  }

  /** The code of each of its values, and its text. */
  #codesOf(id: number): number[] {
    const symbols = this.#conditions.symbols(id);
    return symbols.flatMap((symbol) => [this.#codes[symbol] as number, this.#texts[symbol] as number]);
  }

  /** How likely a condition is to hold for a value drawn evenly from those that are asked for. */
  #likelihood(id: number): number {
    let likelihood = this.#likelihoods.get(id);
    if (likelihood === undefined) {
      likelihood = this.#share(id);
      this.#likelihoods.set(id, likelihood);
    }
    return likelihood;
  }

  #share(id: number): number {
    const op = this.#conditions.op(id);
    if (op >= Op.exists) return 1;
    // Patterns hold for more than one value, and to see which of them do takes a walk.
    if (this.#conditions.symbols(id).some((symbol) => (this.#codes[symbol] as number) > noCode)) return 0.5;
    const share = this.#conditions.count(id) / this.#conditions.asked(this.#conditions.dimension(id));
    return op === Op.in ? share : 1 - share;
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
    return this.#node(items, dimension, { other, bySymbol, present, absent, unknown }, denies) * 2;
  }

  #node(items: readonly Item[], dimension: number, below: Branches, denies: boolean): number {
    const cells = this.#cells;
    const { other, bySymbol, present, absent, unknown } = below;
    const rare = present.length + absent.length + unknown.length > 0;
    const size = bySymbol.size <= scanned ? bySymbol.size : tableSize(bySymbol.size);
    const least = (items[0] as Item).rule.key;
    const at = cells.push(least, dimension * 2 + (rare ? 1 : 0), nothing, size) - Node.edges;
    for (let i = 0; i < size; i++) cells.push(0, nothing, 0);
    if (rare) cells.push(nothing, nothing, nothing);
    const child = (items: readonly Item[]): number => {
      if (items.length === 0) return nothing;
      // A copy costs what it holds, and looking for the next split walks all of that again.
      for (const { rule } of items) this.#budget -= 1 + rule.conditions.length;
      return this.#build(items, denies);
    };
    // Every decision that comes here goes on there.
    cells[at + Node.other] = child(other);
    for (const [symbol, items] of bySymbol) {
      const code = this.#codes[symbol] as number;
      let slot = size <= scanned ? 0 : edgeSlot(code);
      let edge = edgeAt(at, size, slot);
      while (cells[edge + 1] !== nothing) edge = edgeAt(at, size, ++slot);
      cells[edge] = code;
      cells[edge + 2] = this.#texts[symbol] as number;
      cells[edge + 1] = child(items);
    }
    const rest = at + Node.edges + size * edgeStride;
    [present, absent, unknown].forEach((items, i) => {
      if (items.length > 0) cells[rest + i] = child(items);
    });
    return at;
  }

  build(): Trees {
    return { cells: Int32Array.from(this.#cells) };
  }
}

/** Where the edge in a slot stands. */
function edgeAt(node: number, size: number, slot: number): number {
  return node + Node.edges + edgeStride * (size <= scanned ? slot : slot & (size - 1));
}

interface Branches {
  readonly other: readonly Item[];
  readonly bySymbol: ReadonlyMap<number, readonly Item[]>;
  readonly present: readonly Item[];
  readonly absent: readonly Item[];
  readonly unknown: readonly Item[];
}

function tableSize(edges: number): number {
  let size = 2 * scanned;
  while (size < edges * 1.5) size *= 2;
  return size;
}
