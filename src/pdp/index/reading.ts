import type { StatedAttributes } from '../model/request.ts';
import { isOwnKey } from '../model/rule.ts';
import { trustRank } from '../model/trust.ts';
import type { Attached } from './attach.ts';
import { attributeStride } from './compile.ts';
import { matchTrie, type SymbolSink, type Trie } from './trie.ts';
import { Kind } from './vocabulary.ts';

/** What a request shows of an attribute. `maybe`: one of several values, it is unknown which (DST5, DST8). */
export const State = { known: 0, absent: 1, unknown: 2, maybe: 3 } as const;

export const Truth = { no: 0, yes: 1, unknown: 2 } as const;

/** Where values come from that are not plainly stated. It answers through `known`, `absent`, `unknown`. */
export interface ValueSource {
  read(attribute: number, into: Reading): void;
  /** Whether a stated string is all there is to know of this key of the source. */
  isPlain(key: string): boolean;
}

/** One attribute's numbers lie together: a decision waits for memory more than for arithmetic. */
const stride = 8;
const Cell = { stamp: 0, state: 1, trust: 2, start: 3, end: 4, exact: 5, shared: 6, dated: 7 } as const;

const meetsAll = trustRank.attested;

/**
 * One request's values as symbols, each attribute read at most once and only when a rule asks for it. All text is
 * looked at here; conditions and trees see integers. One reading serves all decisions of an engine in turn.
 */
export class Reading implements SymbolSink {
  symbols = new Int32Array(256);
  end = 0;
  visited = 0;
  readonly #since: Float64Array;
  readonly attached: Attached;
  readonly #source: ValueSource;
  readonly #cells: Int32Array;
  /** Per attribute: 1 if a string stated by the source settles it, 2 if by a destination given outright. */
  readonly #plain: Uint8Array;
  readonly #keys: readonly string[];
  readonly #exact: Attached['exact'];
  /** Per attribute: root of its trie, or -1. */
  readonly #roots: Int32Array;
  readonly #trie: Trie;
  readonly #attributes: Int32Array;
  readonly #dimensions: Int32Array;
  readonly #conditions: Int32Array;
  readonly #conditionSymbols: Int32Array;
  #stamp = 0;
  #stated: StatedAttributes | undefined;
  #outright: StatedAttributes | undefined;
  #trust = 0;

  constructor(attached: Attached, source: ValueSource) {
    const { compiled, keys } = attached;
    this.attached = attached;
    this.#source = source;
    this.#keys = keys;
    this.#cells = new Int32Array(keys.length * stride);
    this.#since = new Float64Array(keys.length);
    this.#exact = attached.exact;
    this.#roots = Int32Array.from(keys, (_, id) => compiled.attributes[id * attributeStride + 3] as number);
    this.#trie = compiled.trie;
    this.#attributes = compiled.attributes;
    this.#dimensions = compiled.dimensions;
    this.#conditions = compiled.conditions.table;
    this.#conditionSymbols = compiled.conditions.symbols;
    this.#plain = Uint8Array.from(keys, (key, id) => {
      const kind = compiled.attributes[id * attributeStride + 1];
      if (kind === Kind.attribute) return source.isPlain(key) ? 1 : 0;
      return kind === Kind.destination && !isOwnKey(key) ? 2 : 0;
    });
  }

  /** `stated` and `outright` are where a string settles an attribute, at this trust. */
  begin(stated: StatedAttributes | undefined, outright: StatedAttributes | undefined, trust: number): void {
    this.#stated = stated;
    this.#outright = outright;
    this.#trust = trust;
    this.end = 0;
    this.#stamp++;
    if (this.#stamp === 0x7fff_ffff) {
      this.#cells.fill(0);
      this.#stamp = 1;
    }
  }

  #load(attribute: number): void {
    const at = attribute * stride;
    const cells = this.#cells;
    cells[at] = this.#stamp;
    cells[at + Cell.start] = this.end;
    cells[at + Cell.exact] = -1;
    cells[at + Cell.shared] = 0;
    cells[at + Cell.dated] = 0;
    const plain = this.#plain[attribute];
    const stated = plain === 1 ? this.#stated : plain === 2 ? this.#outright : undefined;
    const value = stated?.[this.#keys[attribute] as string];
    if (typeof value === 'string') this.known(attribute, value, this.#trust);
    else this.#source.read(attribute, this);
    cells[at + Cell.end] = this.end;
  }

  known(attribute: number, value: string, trust: number): void {
    this.#set(attribute, State.known, trust);
    this.add(attribute, value);
  }

  absent(attribute: number, trust: number): void {
    this.#set(attribute, State.absent, trust);
  }

  unknown(attribute: number): void {
    this.#set(attribute, State.unknown, meetsAll);
  }

  /** Unknown because pods that share an ID differ. */
  shared(attribute: number): void {
    this.unknown(attribute);
    this.#cells[attribute * stride + Cell.shared] = 1;
  }

  /** What vouches for a value is better than where it was stated, and says nothing of when. */
  trusted(attribute: number, trust: number): void {
    this.#cells[attribute * stride + Cell.trust] = trust;
    this.#cells[attribute * stride + Cell.dated] = 0;
  }

  /** Forgets a value that something better takes the place of. */
  clear(attribute: number): void {
    this.end = this.start(attribute);
    this.#cells[attribute * stride + Cell.exact] = -1;
    this.#cells[attribute * stride + Cell.dated] = 0;
  }

  capped(attribute: number, trust: number): void {
    this.#cells[attribute * stride + Cell.trust] = trust;
  }

  dated(attribute: number, since: number): void {
    this.#cells[attribute * stride + Cell.dated] = 1;
    this.#since[attribute] = since;
  }

  /** One of several values. */
  oneOf(attribute: number, values: readonly string[]): void {
    this.#set(attribute, State.maybe, meetsAll);
    for (const value of values) this.add(attribute, value);
    this.#cells[attribute * stride + Cell.exact] = -1;
  }

  /** A value for certain, and perhaps one of the others too. */
  perhaps(attribute: number, value: string, others: readonly string[]): void {
    this.oneOf(attribute, others);
    this.add(attribute, value);
  }

  #set(attribute: number, state: number, trust: number): void {
    this.#cells[attribute * stride + Cell.state] = state;
    this.#cells[attribute * stride + Cell.trust] = trust;
  }

  /** Adds the symbols of one value; a tag may have several. */
  add(attribute: number, value: string): void {
    const symbol = this.#exact[attribute]?.get(value);
    const root = this.#roots[attribute] as number;
    if (this.end + 1 >= this.symbols.length) this.#room(1);
    if (symbol !== undefined) {
      this.#cells[attribute * stride + Cell.exact] = symbol;
      this.symbols[this.end++] = symbol;
    }
    if (root < 0) return;
    this.#room(2 * (this.#attributes[attribute * attributeStride + 4] as number));
    matchTrie(this.#trie, root, value, this);
  }

  #room(symbols: number): void {
    if (this.end + symbols <= this.symbols.length) return;
    const wider = new Int32Array((this.end + symbols) * 2);
    wider.set(this.symbols);
    this.symbols = wider;
  }

  state(attribute: number): number {
    if (this.#cells[attribute * stride] !== this.#stamp) this.#load(attribute);
    return this.#cells[attribute * stride + Cell.state] as number;
  }

  /** These are of an attribute whose state has been asked for. */
  trust(attribute: number): number {
    return this.#cells[attribute * stride + Cell.trust] as number;
  }
  start(attribute: number): number {
    return this.#cells[attribute * stride + Cell.start] as number;
  }
  stop(attribute: number): number {
    return this.#cells[attribute * stride + Cell.end] as number;
  }
  /** The exact symbol of its value, or -1. */
  exact(attribute: number): number {
    return this.#cells[attribute * stride + Cell.exact] as number;
  }
  /** When its value was seen; NaN if nobody says. */
  since(attribute: number): number {
    return this.#cells[attribute * stride + Cell.dated] === 1
      ? (this.#since[attribute] as number)
      : Number.NaN;
  }
  isShared(attribute: number): boolean {
    return this.#cells[attribute * stride + Cell.shared] === 1;
  }

  /** The state of an attribute as a dimension sees it: below its floor a value, or an absence, is unknown. */
  dimension(dimension: number): number {
    const attribute = this.#dimensions[dimension * 2] as number;
    const at = attribute * stride;
    if (this.#cells[at] !== this.#stamp) this.#load(attribute);
    const below = (this.#cells[at + Cell.trust] as number) < (this.#dimensions[dimension * 2 + 1] as number);
    return below ? State.unknown : (this.#cells[at + Cell.state] as number);
  }

  attributeOf(dimension: number): number {
    return this.#dimensions[dimension * 2] as number;
  }

  truth(condition: number): number {
    const at = condition * 4;
    return this.#truth(this.#conditions[at] as number, this.#conditions[at + 1] as number, -1, at);
  }

  /** Whether conditions as a leaf has them, see `Trees.items`, let a rule match: all true, or for a deny none false. */
  holds(items: Int32Array, from: number, end: number, denies: boolean): boolean {
    const cells = this.#cells;
    const dimensions = this.#dimensions;
    for (let k = from; k < end; k += 2) {
      const head = items[k] as number;
      const argument = items[k + 1] as number;
      const at = (dimensions[(head >> 3) * 2] as number) * stride;
      if (cells[at] !== this.#stamp) this.#load(at / stride);
      // By far the most: one exact value is asked for, and one is known, of which there is no more to say.
      if ((head & 7) === 0 && cells[at + Cell.state] === State.known) {
        const known = (cells[at + Cell.trust] as number) >= (dimensions[(head >> 3) * 2 + 1] as number);
        const exact = cells[at + Cell.exact] as number;
        if (known && exact === argument) continue;
        const symbols = (cells[at + Cell.end] as number) - (cells[at + Cell.start] as number);
        if (known && symbols === (exact < 0 ? 0 : 1)) return false;
      }
      const single = (head & 4) === 0;
      const truth = this.#truth(head >> 3, head & 3, single ? argument : -1, single ? -1 : argument * 4);
      if (truth === Truth.no || (truth === Truth.unknown && !denies)) return false;
    }
    return true;
  }

  #truth(dimension: number, op: number, symbol: number, condition: number): number {
    const state = this.dimension(dimension);
    if (state === State.unknown) return Truth.unknown;
    // Operators: 0 in, 1 notIn, 2 exists, 3 notExists; odd ones hold for what is absent.
    if (state === State.absent) return op & 1;
    if (op >= 2) return op === 2 ? Truth.yes : Truth.no;
    const at = (this.#dimensions[dimension * 2] as number) * stride;
    const end = this.#cells[at + Cell.end] as number;
    let meets = false;
    for (let i = this.#cells[at + Cell.start] as number; i < end && !meets; i++) {
      const one = this.symbols[i] as number;
      meets = symbol >= 0 ? one === symbol : this.#includes(condition, one);
    }
    if (state === State.maybe && meets) {
      const certain = this.#cells[at + Cell.exact] as number;
      const met = symbol >= 0 ? certain === symbol : certain >= 0 && this.#includes(condition, certain);
      if (!met) return Truth.unknown;
    }
    return meets === (op === 0) ? Truth.yes : Truth.no;
  }

  /** Whether a condition's symbols, which are in ascending order, have this one. */
  #includes(condition: number, wanted: number): boolean {
    const sorted = this.#conditionSymbols;
    let low = this.#conditions[condition + 2] as number;
    let high = low + (this.#conditions[condition + 3] as number) - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const value = sorted[middle] as number;
      if (value === wanted) return true;
      if (value < wanted) low = middle + 1;
      else high = middle - 1;
    }
    return false;
  }
}
