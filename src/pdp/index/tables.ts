import { Cell, State } from './cells.ts';
import type { Compiled } from './compile.ts';
import { floorBits, floorMask } from './dimension.ts';
import type { Reading } from './reading.ts';
import { none, Smallest } from './smallest.ts';
import {
  Column,
  ColumnEntry,
  careful,
  columnStride,
  entryOf,
  entryStride,
  numbersOfSlots,
  ruleStride,
  shiftBits,
  Table,
  TableRule,
  textOf,
} from './table-cells.ts';
import { doesAllow, NodeBit, nodeBits, nothing, traitBits } from './tree-cells.ts';
import { Truth, type Truths } from './truths.ts';

// What is exported is read and checked anew at each use; what a module keeps for itself is a number in the code.
const { known, absent, unknown } = State;
const { no, unknown: unclear } = Truth;
const lowest = floorMask;
const attributeShift = floorBits;
const exactCell = Cell.exact;
const { denies: deniesCell, apart: apartCell, others: othersCell } = Table;
const { next: nextCell, common: commonCell } = Table;
const asksCell = Table.ofRules + TableRule.asks;
const keyCell = Table.ofRules + TableRule.key;
const ruleSize = ruleStride;
const { shape: shapeCell, entries: entriesCell } = Column;
const { right: rightCell } = ColumnEntry;
const columnSize = columnStride;
const entrySize = entryStride;
const shiftCount = shiftBits;
const carefulBit = careful;
const nobody = none;
const headShift = nodeBits;
const mixedBit = NodeBit.mixed;
const traitShift = traitBits;
const nowhere = nothing;

/** Finds the smallest key of each world that matches in tables. */
export class Tables extends Smallest {
  /** Nodes of trees, columns of tables and conditions without one visited so far. */
  visited = 0;
  protected readonly reading: Reading;
  protected readonly values: Int32Array;
  protected readonly cells: Int32Array;
  readonly #truths: Truths;
  /** The columns that `#byCommon` looked at. */
  #seen = 0;

  constructor(compiled: Compiled, reading: Reading, truths: Truths) {
    super();
    this.reading = reading;
    this.values = reading.cells;
    this.cells = compiled.trees.cells;
    this.#truths = truths;
  }

  protected table(first: number): void {
    let at = first;
    while (at !== nowhere && (this.bound === nobody || this.#keyOf(at, 0) < this.bound))
      if (this.#pass(at)) at = this.cells[at + nextCell] as number;
  }

  /**
   * False: a value was not what its fingerprint is of, which is known from here on. Which values are asked for is found by
   * codes alone, without a branch that nobody could foresee; texts are compared of what would decide.
   */
  #pass(at: number): boolean {
    const { cells, values, reading } = this;
    const { base } = reading;
    /** The rules that are right for all that was looked at, and the columns that were. */
    let left = cells[at] as number;
    let seen = 0;
    if (!this.allows) left &= cells[at + deniesCell] as number;
    if (this.after >= 0) left &= this.#behind(at);
    if ((cells[at + commonCell] as number) !== 0) {
      left = this.#byCommon(at, left);
      seen = this.#seen;
    }
    const apart = cells[at + apartCell] as number;
    while (left !== 0) {
      const rule = 31 - Math.clz32(left & -left);
      if (this.bound !== nobody && this.#keyOf(at, rule) >= this.bound) break;
      if (apart !== 0 && !this.#isWanted(at, rule)) {
        left &= left - 1;
        continue;
      }
      const open = (cells[at + asksCell + ruleSize * rule] as number) & ~seen;
      if (open === 0) {
        if (!this.#isSure(at, rule)) return false;
        this.#met(at, rule);
        left &= left - 1;
        continue;
      }
      this.visited++;
      seen |= open & -open;
      const column = at - columnSize * (32 - Math.clz32(open & -open));
      const head = cells[column] as number;
      const row = (head >> headShift) & ~lowest;
      if ((values[row] as number) < base) reading.load(row >> attributeShift);
      // By far the most: there is no more to say than one exact value, and it is trusted as is asked for.
      if ((values[row] as number) > base + ((head >> headShift) & lowest) && (head & carefulBit) === 0)
        left &= rightOf(cells, column, values[row + exactCell] as number);
      else left &= this.#odd(at, column, head);
    }
    return true;
  }

  /** The rules that the common columns leave. No look waits for another, and none is behind a branch. */
  #byCommon(at: number, rules: number): number {
    const { cells, values } = this;
    const { base } = this.reading;
    const common = cells[at + commonCell] as number;
    let left = rules;
    let seen = 0;
    for (let i = 0; i < common; i++) {
      const column = at - columnSize * (i + 1);
      const head = cells[column] as number;
      const row = (head >> headShift) & ~lowest;
      const floor = (head >> headShift) & lowest;
      // All bits if one exact value is all there is to say, and trusted; none if not, which is left for later.
      const plain = ((base + floor - (values[row] as number)) >> 31) & ((head & carefulBit) - 1);
      left &= rightOf(cells, column, values[row + exactCell] as number) | ~plain;
      seen |= (1 << i) & plain;
    }
    this.visited += common;
    this.#seen = seen;
    return left;
  }

  /** Whether the values that a rule asks for are those of the request, and not others with their fingerprints. */
  #isSure(table: number, rule: number): boolean {
    const { cells, values, reading } = this;
    for (let open = cells[table + asksCell + ruleSize * rule] as number; open !== 0; open &= open - 1) {
      const column = table - columnSize * (32 - Math.clz32(open & -open));
      const head = cells[column] as number;
      const row = (head >> headShift) & ~lowest;
      const floor = (head >> headShift) & lowest;
      // What is not plain was compared when it was looked at.
      if ((values[row] as number) <= reading.base + floor || (head & carefulBit) !== 0) continue;
      const entries = cells[column + entriesCell] as number;
      const entry = entryOf(
        cells,
        values[row + exactCell] as number,
        cells[column + shapeCell] as number,
        entries,
      );
      // None, though the rule is left: a look at another column has found the value to be another since.
      if (entry === entries) return false;
      if (!reading.settle(row >> attributeShift, textOf(cells, entries, entry))) return false;
    }
    return true;
  }

  /** The rules with keys that are of interest. */
  #behind(table: number): number {
    let rules = 0;
    for (let rule = 31 - Math.clz32(this.cells[table] as number); rule >= 0; rule--)
      if (this.#keyOf(table, rule) > this.after) rules |= 1 << rule;
    return rules;
  }

  #keyOf(table: number, rule: number): number {
    return (this.cells[table + keyCell + ruleSize * rule] as number) >> traitShift;
  }

  /** Whether a rule could be the first of a world. */
  #isWanted(table: number, rule: number): boolean {
    const key = this.cells[table + keyCell + ruleSize * rule] as number;
    return this.counts(key >> traitShift, key);
  }

  #met(table: number, rule: number): void {
    const key = this.cells[table + keyCell + ruleSize * rule] as number;
    const others = this.cells[table + othersCell] as number;
    if (others === 0 || this.#besides(this.cells[others + rule] as number, doesAllow(key)))
      this.take(key >> traitShift, key);
  }

  #one(column: number, attribute: number, code: number): number {
    const cells = this.cells;
    const entries = cells[column + entriesCell] as number;
    const entry = entryOf(cells, code, cells[column + shapeCell] as number, entries);
    // A pattern that holds needs no comparison of texts.
    const isAsked =
      entry === entries || code >= 0 || this.reading.settle(attribute, textOf(cells, entries, entry));
    return cells[(isAsked ? entry : entries) + rightCell] as number;
  }

  /** What is not one exact value that is believed: others, several, or none. */
  #odd(table: number, column: number, head: number): number {
    const denies = this.cells[table + deniesCell] as number;
    const dimension = head >> headShift;
    const attribute = dimension >> attributeShift;
    if (this.reading.isPlain(dimension)) return this.#one(column, attribute, this.reading.exact(attribute));
    if (this.reading.isKnown(dimension)) return this.#any(column, head, attribute);
    const state = this.reading.dimension(dimension);
    const right = this.#by(column, head, attribute, state, denies);
    const raw = this.reading.state(attribute);
    if (state === raw || (head & mixedBit) === 0) return right;
    // Below the floor of allows the denies of the column have none.
    return (right & ~denies) | (this.#by(column, head, attribute, raw, denies) & denies);
  }

  #by(column: number, head: number, attribute: number, state: number, denies: number): number {
    if (state === absent || state === unknown) {
      const entries = this.cells[column + entriesCell] as number;
      if ((head & carefulBit) === 0)
        return (this.cells[entries + rightCell] as number) | (state === absent ? 0 : denies);
      const rest = entries - numbersOfSlots(this.cells[column + shapeCell] as number);
      return this.cells[rest - (state === absent ? 2 : 1)] as number;
    }
    if (state !== known) return this.#oneOf(column, attribute, denies);
    const reading = this.reading;
    return reading.isSingle(attribute)
      ? this.#one(column, attribute, reading.exact(attribute))
      : this.#any(column, head, attribute);
  }

  /** Of several values, and of patterns, each may be asked for. */
  #any(column: number, head: number, attribute: number): number {
    const { cells, reading } = this;
    const others = cells[(cells[column + entriesCell] as number) + rightCell] as number;
    const careful = (head & carefulBit) !== 0;
    let added = 0;
    let removed = 0;
    const end = reading.stop(attribute);
    for (let i = reading.start(attribute); i < end; i++) {
      const code = reading.codes[i] as number;
      const right = code < 0 || careful ? this.#one(column, attribute, code) : rightOf(cells, column, code);
      added |= right & ~others;
      removed |= others & ~right;
    }
    return (others & ~removed) | added;
  }

  /** Of one of several values an allow needs the one that is certain, and a deny any. */
  #oneOf(column: number, attribute: number, denies: number): number {
    const reading = this.reading;
    const others = this.cells[(this.cells[column + entriesCell] as number) + rightCell] as number;
    const exact = reading.exact(attribute);
    let [added, removed, surelyAdded, surelyRemoved] = [0, 0, 0, 0];
    const end = reading.stop(attribute);
    for (let i = reading.start(attribute); i < end; i++) {
      const code = reading.codes[i] as number;
      const right = this.#one(column, attribute, code);
      added |= right & ~others;
      removed |= others & ~right;
      if (code !== exact) continue;
      surelyAdded = right & ~others;
      surelyRemoved = others & ~right;
    }
    const ofAllows = (others & ~removed) | surelyAdded;
    const ofDenies = (others & ~surelyRemoved) | added;
    return (ofAllows & ~denies) | (ofDenies & denies);
  }

  /** Whether conditions that have no column let their rule match: all true, or for a deny none false. */
  #besides(first: number, allows: boolean): boolean {
    if (first === 0) return true;
    const end = first + 1 + (this.cells[first] as number);
    for (let at = first + 1; at < end; at++) {
      this.visited++;
      const truth = this.#truths.of(this.cells[at] as number);
      if (truth === no || (truth === unclear && allows)) return false;
    }
    return true;
  }
}

/** The rules that a code is right for in a column that is not careful. */
function rightOf(cells: Int32Array, column: number, code: number): number {
  const shape = cells[column + shapeCell] as number;
  const entries = cells[column + entriesCell] as number;
  const slot = (code >>> shape) & (shape >>> shiftCount);
  const number = ((cells[entries - 1 - (slot >> 2)] as number) >>> ((slot & 3) << 3)) & 255;
  const entry = entries + entrySize * number;
  const difference = (cells[entry] as number) ^ code;
  const differs = (difference | -difference) >> 31;
  return (cells[entries + rightCell] as number) | ((cells[entry + rightCell] as number) & ~differs);
}
