import { pushTo } from '../model/lists.ts';
import { type ConditionTable, Op } from './entries.ts';
import type { Sizes } from './sizes.ts';
import { TableBuilder } from './table.ts';
import {
  doesAllow,
  edgeSlot,
  edgeStride,
  Node,
  NodeBit,
  nothing,
  scanned,
  type Trees,
  traitBits,
} from './tree-cells.ts';
import type { Codes, Vocabulary } from './vocabulary.ts';

/**
 * The adaptive tree over conditions of all rules of a group, whatever they do. A node reads one attribute at a floor. Its
 * branches are the symbols that conditions ask for, one branch for a value that is there at all (`exists`), one for one
 * that is absent, one for rules that do not ask, and, for denies, one for an unknown value, in which every condition
 * on it is already counted as met. `notIn` has no branch: it stays with the rules. What a node narrows too little goes
 * into tables.
 */

/** Bit 30 stands for all conditions from the thirtieth on. */
export const maskBits = 30;
const restBit = 1 << maskBits;

/** What a tree is built from: keys in ascending order, and for each its conditions and which are to be tested. */
export interface TreeRule {
  readonly key: number;
  readonly conditions: readonly number[];
  readonly mask: number;
  /** See `traitsOf`. */
  readonly traits: number;
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
  readonly #vocabulary: Vocabulary;
  readonly #codes: Int32Array;
  readonly #texts: Int32Array;
  readonly #cells: number[] = [];
  readonly #tables: TableBuilder;
  readonly #sizes: Sizes;
  #budget = 0;
  readonly #leaves = new Map<string, number>();

  constructor(conditions: ConditionTable, vocabulary: Vocabulary, symbols: Codes, sizes: Sizes) {
    this.#sizes = sizes;
    this.#conditions = conditions;
    this.#vocabulary = vocabulary;
    this.#codes = symbols.codes;
    this.#texts = symbols.texts;
    this.#tables = new TableBuilder(conditions, vocabulary, symbols, sizes, this.#cells);
  }

  /** The root of a tree over these rules. */
  add(rules: readonly TreeRule[]): number {
    if (rules.length === 0) return nothing;
    let size = 1024;
    this.#leaves.clear();
    const items = rules.map((rule) => {
      for (const id of rule.conditions) size += 1 + this.#conditions.count(id);
      return { rule, mask: rule.mask };
    });
    // Copies of a rule under several values are bounded by a multiple of what was written.
    this.#budget = size * 8;
    return this.#build(items);
  }

  #build(items: readonly Item[]): number {
    const head = items.length > this.#sizes.tabled && this.#budget > 0 ? this.#choose(items) : -1;
    return head < 0 ? this.#leaf(items) : this.#split(items, head);
  }

  #leaf(items: readonly Item[]): number {
    const [only] = items;
    if (only !== undefined && items.length === 1 && only.mask === 0)
      return -2 - ((only.rule.key << traitBits) | only.rule.traits);
    const name = items.map(({ rule, mask }) => `${rule.key} ${mask}`).join();
    let start = this.#leaves.get(name);
    if (start === undefined) {
      start = this.#tables.add(
        items.map(({ rule, mask }) => ({ ...rule, open: open(rule.conditions, mask) })),
      );
      this.#leaves.set(name, start);
    }
    return start * 2 + 1;
  }

  /** The head of a node, without its branches, for a condition of a rule. */
  #head({ traits }: TreeRule, id: number): number {
    return this.#vocabulary.standing(this.#conditions.dimension(id), doesAllow(traits));
  }

  /** The position of a rule's first open condition that a node with this head has a branch for, or -1. */
  #open(item: Item, head: number): number {
    const { conditions } = item.rule;
    for (let i = 0; i < conditions.length && i < maskBits; i++) {
      const id = conditions[i] as number;
      if ((item.mask & (1 << i)) === 0 || this.#head(item.rule, id) !== head) continue;
      if (this.#conditions.op(id) !== Op.notIn) return i;
    }
    return -1;
  }

  /** The head of the node that leaves the fewest candidates for a value drawn evenly from those asked for. */
  #choose(items: readonly Item[]): number {
    const asked = new Map<number, { rules: number; copies: number; symbols: Set<number> }>();
    for (const item of items) {
      const { conditions } = item.rule;
      let last = -1;
      for (let i = 0; i < conditions.length && i < maskBits; i++) {
        const id = conditions[i] as number;
        if ((item.mask & (1 << i)) === 0 || this.#conditions.op(id) === Op.notIn) continue;
        const head = this.#head(item.rule, id);
        if (head === last) continue;
        last = head;
        let counts = asked.get(head);
        if (counts === undefined) {
          counts = { rules: 0, copies: 0, symbols: new Set() };
          asked.set(head, counts);
        }
        counts.rules++;
        const symbols =
          this.#conditions.op(id) === Op.in ? this.#conditions.symbols(id) : [-this.#conditions.op(id)];
        counts.copies += symbols.length;
        for (const symbol of symbols) counts.symbols.add(symbol);
      }
    }
    let best = -1;
    let least = items.length - this.#sizes.spared;
    for (const [head, { rules, copies, symbols }] of asked) {
      const cost = items.length - rules + copies / symbols.size;
      if (cost < least || (cost === least && best >= 0 && head < best)) {
        best = head;
        least = cost;
      }
    }
    return best;
  }

  #split(items: readonly Item[], head: number): number {
    const other: Item[] = [];
    const present: Item[] = [];
    const absent: Item[] = [];
    const unknown: Item[] = [];
    const bySymbol = new Map<number, Item[]>();
    for (const item of items) {
      const i = this.#open(item, head);
      if (i < 0) {
        other.push(item);
        continue;
      }
      const rest = { rule: item.rule, mask: item.mask & ~(1 << i) };
      const id = item.rule.conditions[i] as number;
      if (!doesAllow(item.rule.traits)) unknown.push(rest);
      if (this.#conditions.op(id) === Op.exists) present.push(rest);
      else if (this.#conditions.op(id) === Op.notExists) absent.push(rest);
      else {
        for (const symbol of this.#conditions.symbols(id)) {
          pushTo(bySymbol, symbol, rest);
        }
      }
    }
    return this.#node(items, head, { other, bySymbol, present, absent, unknown }) * 2;
  }

  #node(items: readonly Item[], head: number, below: Branches): number {
    const cells = this.#cells;
    const { other, bySymbol, present, absent, unknown } = below;
    const rare = present.length + absent.length + unknown.length > 0;
    const size = bySymbol.size <= scanned ? bySymbol.size : tableSize(bySymbol.size);
    const least = (items[0] as Item).rule.key;
    const at = cells.push(least, head + (rare ? NodeBit.rare : 0), nothing, size) - Node.edges;
    for (let i = 0; i < size; i++) cells.push(0, nothing, 0);
    if (rare) cells.push(nothing, nothing, nothing);
    const child = (items: readonly Item[]): number => {
      if (items.length === 0) return nothing;
      // A copy costs what it holds, and looking for the next split walks all of that again.
      for (const { rule } of items) this.#budget -= 1 + rule.conditions.length;
      return this.#build(items);
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

function open(conditions: readonly number[], mask: number): readonly number[] {
  return conditions.filter((_, i) => (i < maskBits ? (mask & (1 << i)) !== 0 : (mask & restBit) !== 0));
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
