import { type ConditionTable, Op, Scope } from './entries.ts';
import { noCode } from './fingerprint.ts';
import type { Sizes } from './sizes.ts';
import {
  Column,
  ColumnEntry,
  careful,
  columnOf,
  rulesInTable,
  shiftBits,
  slotOf,
  Table,
} from './table-cells.ts';
import { doesAllow, nothing, scopeOf, traitBits } from './tree-cells.ts';
import type { Codes, Vocabulary } from './vocabulary.ts';

/** A rule, and the conditions of it that are still to be tested. */
export interface TableItem {
  readonly key: number;
  readonly traits: number;
  readonly open: readonly number[];
}

interface Cell {
  readonly item: number;
  readonly condition: number;
}

/** What rules ask of one dimension, at most one condition of each. */
interface Draft {
  readonly head: number;
  readonly cells: Cell[];
}

/**
 * Columns are common about which one rule in so many asks, so many of them at most. They are looked at all at once, before
 * it is known whether a rule wants them, since what takes long is to wait: which column to look at next is known only when
 * the one before has been.
 */
const commonShare = 5;
const mostCommon = 8;

/** Writes tables into the cells of a tree. */
export class TableBuilder {
  readonly #conditions: ConditionTable;
  readonly #vocabulary: Vocabulary;
  readonly #codes: Codes;
  readonly #sizes: Sizes;
  readonly #cells: number[];

  constructor(
    conditions: ConditionTable,
    vocabulary: Vocabulary,
    codes: Codes,
    sizes: Sizes,
    cells: number[],
  ) {
    this.#conditions = conditions;
    this.#vocabulary = vocabulary;
    this.#codes = codes;
    this.#sizes = sizes;
    this.#cells = cells;
  }

  /** Where the first of the tables of these rules begins, which come in ascending order of their keys. */
  add(items: readonly TableItem[]): number {
    let next: number = nothing;
    const last = items.length - 1 - ((items.length - 1) % rulesInTable);
    for (let from = last; from >= 0; from -= rulesInTable)
      next = this.#table(items.slice(from, from + rulesInTable), next);
    return next;
  }

  #table(items: readonly TableItem[], next: number): number {
    const cells = this.#cells;
    const where = (is: (traits: number) => boolean): number =>
      bits(items.flatMap(({ traits }, item) => (is(traits) ? item : [])));
    const denies = where((traits) => !doesAllow(traits));
    const apart = where((traits) => scopeOf(traits) !== Scope.both);
    const columns = this.#columns(items);
    const asked = items.map(() => new Map<number, number>());
    columns.forEach(({ cells }, i) => {
      for (const { item, condition } of cells) asked[item]!.set(condition, i);
    });
    const common = items.length >= this.#sizes.common ? this.#common(columns, items.length) : 0;
    for (const { head } of columns.toReversed()) cells.push(head, 0, 0);
    const at =
      cells.push(
        where(() => true),
        denies,
        apart,
        0,
        next,
        common,
      ) - Table.ofRules;
    items.forEach(({ key, traits }, item) => {
      cells.push(bits(asked[item]!.values()), (key << traitBits) | traits);
    });
    const symbols = columns.map((column, i) => this.#column(column, denies, columnOf(at, i)));
    // Few are compared: what every decision looks at stands closer together without them.
    symbols.forEach((own, i) => {
      cells[cells[columnOf(at, i) + Column.entries]! + ColumnEntry.code] = cells.length - 1;
      for (const symbol of own) cells.push(this.#codes.texts[symbol]!);
    });
    const others = items.map(({ open }, item) => open.filter((condition) => !asked[item]!.has(condition)));
    if (others.some((conditions) => conditions.length > 0)) cells[at + Table.others] = this.#others(others);
    return at;
  }

  /** Where for each rule stands where its conditions do that have no column. */
  #others(others: readonly (readonly number[])[]): number {
    const cells = this.#cells;
    const first = cells.length;
    for (const _ of others) cells.push(0);
    others.forEach((conditions, item) => {
      if (conditions.length === 0) return;
      cells[first + item] = cells.length;
      cells.push(conditions.length, ...conditions.map((condition) => this.#conditions.kept(condition)));
    });
    return first;
  }

  /** The columns for what has one, those first that leave the fewest rules for a value drawn evenly from those asked for. */
  #columns(items: readonly TableItem[]): readonly Draft[] {
    const drafts = new Map<number, Draft[]>();
    items.forEach(({ open, traits }, item) => {
      for (const condition of open) {
        if (
          this.#conditions.op(condition) <= Op.notIn &&
          this.#conditions.count(condition) > this.#sizes.values
        )
          continue;
        const head = this.#vocabulary.standing(this.#conditions.dimension(condition), doesAllow(traits));
        const same = drafts.get(head) ?? [];
        drafts.set(head, same);
        // Of a second condition of one rule on the same there is a column of its own.
        const draft = same.find(({ cells }) => cells.at(-1)!.item !== item);
        if (draft === undefined) same.push({ head, cells: [{ item, condition }] });
        else draft.cells.push({ item, condition });
      }
    });
    const costs = new Map<Draft, number>();
    for (const draft of [...drafts.values()].flat()) costs.set(draft, this.#left(draft, items.length));
    const order = (one: Draft, other: Draft) => costs.get(one)! - costs.get(other)! || one.head - other.head;
    return [...costs.keys()].sort(order).slice(0, this.#sizes.columns);
  }

  /** How many of the columns, from the first on, are common. */
  #common(columns: readonly Draft[], rules: number): number {
    const end = columns.findIndex(
      (column) => column.cells.length * commonShare < rules || this.#isWalked(column),
    );
    return Math.min(end < 0 ? columns.length : end, mostCommon);
  }

  /** How many rules a column leaves, about; more than there are for one of patterns. */
  #left(column: Draft, rules: number): number {
    let copies = 0;
    const values = new Set<number>();
    for (const { condition } of column.cells) {
      const op = this.#conditions.op(condition);
      const symbols = op <= Op.notIn ? this.#conditions.symbols(condition) : [-op];
      for (const symbol of symbols) values.add(symbol);
      copies += symbols.length;
    }
    return (this.#isWalked(column) ? rules : 0) + rules - column.cells.length + copies / values.size;
  }

  /** Whether a column is of patterns, for which texts have to be walked. */
  #isWalked({ cells }: Draft): boolean {
    return cells.some(
      ({ condition }) =>
        this.#conditions.op(condition) <= Op.notIn &&
        this.#conditions.symbols(condition).some((symbol) => this.#codes.codes[symbol]! > noCode),
    );
  }

  /** The symbols that its entries are of. */
  #column({ cells: asks }: Draft, denies: number, row: number): readonly number[] {
    const { codes } = this.#codes;
    const cells = this.#cells;
    const of = (...ops: number[]): number =>
      bits(asks.flatMap(({ item, condition }) => (ops.includes(this.#conditions.op(condition)) ? item : [])));
    const silent = ~bits(asks.map(({ item }) => item));
    const others = silent | of(Op.notIn, Op.exists);
    const right = new Map<number, number>();
    for (const { item, condition } of asks) {
      if (this.#conditions.op(condition) > Op.notIn) continue;
      // It is right for what others are not, and the other way round.
      for (const symbol of this.#conditions.symbols(condition))
        right.set(symbol, (right.get(symbol) ?? others) ^ (1 << item));
    }
    const asked = Array.from(right.keys(), (symbol) => codes[symbol]!);
    const { shape, slots, isPerfect } = slotsFor(asked);
    const absent = silent | of(Op.notIn, Op.notExists);
    if (!isPerfect || absent !== others || others !== silent) {
      cells[row + Column.head]! |= careful;
      cells.push(absent, silent | denies);
    }
    for (let i = slots.length - 4; i >= 0; i -= 4)
      cells.push(slots[i]! | (slots[i + 1]! << 8) | (slots[i + 2]! << 16) | (slots[i + 3]! << 24));
    cells[row + Column.shape] = shape;
    cells[row + Column.entries] = cells.length;
    cells.push(0, others);
    for (const [symbol, rules] of right) cells.push(codes[symbol]!, rules);
    return [...right.keys()];
  }
}

/** Tried before codes share slots. */
const roomiest = 4;

/** The fewest slots in which codes have one each; in each the number of the entry, from 1 on, or 0. */
function slotsFor(codes: readonly number[]): { shape: number; slots: Uint8Array; isPerfect: boolean } {
  let size = 2;
  while (size <= codes.length) size *= 2;
  for (const most = size * roomiest; ; size *= 2) {
    const slots = new Uint8Array(Math.max(size, 4));
    for (let shift = 0; shift < 32; shift++) {
      const shape = ((size - 1) << shiftBits) | shift;
      slots.fill(0);
      const isPerfect = codes.every((code, i) => {
        const slot = slotOf(code, shape);
        if (slots[slot] !== 0) return false;
        slots[slot] = i + 1;
        return true;
      });
      if (isPerfect) return { shape, slots, isPerfect };
    }
    if (size < most) continue;
    const shape = (size - 1) << shiftBits;
    slots.fill(0);
    codes.forEach((code, i) => {
      let slot = slotOf(code, shape);
      while (slots[slot] !== 0) slot = (slot + 1) & (size - 1);
      slots[slot] = i + 1;
    });
    return { shape, slots, isPerfect: false };
  }
}

function bits(places: Iterable<number>): number {
  let all = 0;
  for (const place of places) all |= 1 << place;
  return all;
}
