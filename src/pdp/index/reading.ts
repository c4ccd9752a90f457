import { trustRank } from '../model/trust.ts';
import type { Attached } from './attach.ts';
import { attributeStride } from './compile.ts';
import { type ExactTable, hashPrime, hashSeed, lookUpExact } from './exact.ts';
import type { StringTable } from './strings.ts';
import { matchTrie, type SymbolSink, type Trie } from './trie.ts';

/** What a request shows of an attribute. `maybe`: one of several values, it is unknown which (DST5). */
export const State = { known: 0, absent: 1, unknown: 2, maybe: 3 } as const;

export const Truth = { no: 0, yes: 1, unknown: 2 } as const;

/** Where values come from; implemented over a request. It answers through `known`, `absent`, `unknown` of the reading. */
export interface ValueSource {
  /** Reads one attribute of the current request into `into`. */
  read(attribute: number, into: Reading): void;
}

const meetsAll = trustRank.attested;

/**
 * One request's values as symbols, each attribute read at most once and only when a rule asks for it. All text is
 * looked at here; conditions and trees see integers. One reading serves all decisions of an engine in turn.
 */
export class Reading implements SymbolSink {
  symbols = new Int32Array(256);
  end = 0;
  visited = 0;
  readonly states: Uint8Array;
  readonly trusts: Uint8Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** The exact symbol of a value, or -1. */
  readonly exacts: Int32Array;
  /** 1 where an unknown value is unknown only because pods that share an ID differ. */
  readonly shared: Uint8Array;
  readonly since: Float64Array;
  readonly #stamps: Uint32Array;
  #stamp = 0;
  #units = new Uint16Array(1024);
  readonly #exact: ExactTable;
  readonly #strings: StringTable;
  readonly #trie: Trie;
  #source: ValueSource | undefined;
  readonly attached: Attached;
  readonly #attributes: Int32Array;
  readonly #dimensions: Int32Array;
  readonly #conditions: Int32Array;
  readonly #conditionSymbols: Int32Array;

  constructor(attached: Attached) {
    this.attached = attached;
    const count = attached.keys.length;
    this.states = new Uint8Array(count);
    this.trusts = new Uint8Array(count);
    this.starts = new Int32Array(count);
    this.ends = new Int32Array(count);
    this.exacts = new Int32Array(count);
    this.shared = new Uint8Array(count);
    this.since = new Float64Array(count);
    this.#stamps = new Uint32Array(count);
    this.#exact = attached.compiled.exact;
    this.#strings = attached.compiled.strings;
    this.#trie = attached.compiled.trie;
    this.#attributes = attached.compiled.attributes;
    this.#dimensions = attached.compiled.dimensions;
    this.#conditions = attached.compiled.conditions.table;
    this.#conditionSymbols = attached.compiled.conditions.symbols;
  }

  begin(source: ValueSource): void {
    this.#source = source;
    this.end = 0;
    this.#stamp++;
    if (this.#stamp > 0xffff_fff0) {
      this.#stamps.fill(0);
      this.#stamp = 1;
    }
  }

  state(attribute: number): number {
    if (this.#stamps[attribute] !== this.#stamp) {
      this.#stamps[attribute] = this.#stamp;
      this.starts[attribute] = this.end;
      this.exacts[attribute] = -1;
      this.shared[attribute] = 0;
      this.since[attribute] = Number.NaN;
      (this.#source as ValueSource).read(attribute, this);
      this.ends[attribute] = this.end;
    }
    return this.states[attribute] as number;
  }

  known(attribute: number, value: string, trust: number): void {
    this.states[attribute] = State.known;
    this.trusts[attribute] = trust;
    this.add(attribute, value);
  }

  absent(attribute: number, trust: number): void {
    this.states[attribute] = State.absent;
    this.trusts[attribute] = trust;
  }

  unknown(attribute: number): void {
    this.states[attribute] = State.unknown;
    this.trusts[attribute] = meetsAll;
  }

  /** Adds the symbols of one value; a tag may have several. Its text is walked once. */
  add(attribute: number, value: string): void {
    const at = attribute * attributeStride;
    const length = value.length;
    this.#room(2 * (this.#attributes[at + 4] as number) + 1, length);
    const units = this.#units;
    let hash = hashSeed;
    for (let i = 0; i < length; i++) {
      const unit = value.charCodeAt(i);
      units[i] = unit;
      hash = Math.imul(hash ^ unit, hashPrime);
    }
    const symbol = lookUpExact(this.#exact, this.#strings, attribute, units, length, hash);
    if (symbol >= 0) {
      this.exacts[attribute] = symbol;
      this.symbols[this.end++] = symbol;
    }
    const root = this.#attributes[at + 3] as number;
    if (root >= 0) matchTrie(this.#trie, root, units, length, this);
  }

  #room(symbols: number, units: number): void {
    if (this.end + symbols > this.symbols.length) {
      const wider = new Int32Array((this.end + symbols) * 2);
      wider.set(this.symbols);
      this.symbols = wider;
    }
    if (units > this.#units.length) this.#units = new Uint16Array(units * 2);
  }

  /** The state of an attribute as a dimension sees it: below its floor a value, or an absence, is unknown. */
  dimension(dimension: number): number {
    const attribute = this.#dimensions[dimension * 2] as number;
    const state = this.state(attribute);
    return (this.trusts[attribute] as number) < (this.#dimensions[dimension * 2 + 1] as number)
      ? State.unknown
      : state;
  }

  attributeOf(dimension: number): number {
    return this.#dimensions[dimension * 2] as number;
  }

  truth(condition: number): number {
    const at = condition * 4;
    return this.#truth(this.#conditions[at] as number, this.#conditions[at + 1] as number, -1, at);
  }

  /** A condition as a leaf has it: see `Trees.items`. */
  inlineTruth(head: number, argument: number): number {
    const single = (head & 4) === 0;
    return this.#truth(head >> 3, head & 3, single ? argument : -1, single ? -1 : argument * 4);
  }

  #truth(dimension: number, op: number, symbol: number, at: number): number {
    const state = this.dimension(dimension);
    if (state === State.unknown) return Truth.unknown;
    // Operators: 0 in, 1 notIn, 2 exists, 3 notExists; odd ones hold for what is absent.
    if (state === State.absent) return op & 1;
    if (op >= 2) return op === 2 ? Truth.yes : Truth.no;
    const attribute = this.#dimensions[dimension * 2] as number;
    const meets = symbol >= 0 ? this.#has(attribute, symbol) : this.#meets(attribute, at);
    if (state === State.maybe && meets) return Truth.unknown;
    return meets === (op === 0) ? Truth.yes : Truth.no;
  }

  #has(attribute: number, symbol: number): boolean {
    const end = this.ends[attribute] as number;
    for (let i = this.starts[attribute] as number; i < end; i++) if (this.symbols[i] === symbol) return true;
    return false;
  }

  #meets(attribute: number, at: number): boolean {
    const first = this.#conditions[at + 2] as number;
    const count = this.#conditions[at + 3] as number;
    const end = this.ends[attribute] as number;
    for (let i = this.starts[attribute] as number; i < end; i++) {
      if (includes(this.#conditionSymbols, first, count, this.symbols[i] as number)) return true;
    }
    return false;
  }
}

/** Whether an ascending run of `count` numbers from `first` has this one. */
function includes(sorted: Int32Array, first: number, count: number, wanted: number): boolean {
  let low = first;
  let high = first + count - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const value = sorted[middle] as number;
    if (value === wanted) return true;
    if (value < wanted) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}
