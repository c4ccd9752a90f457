import { trustRank } from '../model/trust.ts';
import { floorBits } from './dimension.ts';
import { noCode } from './fingerprint.ts';
import type { SymbolSink } from './trie.ts';

/** What a request shows of an attribute. `maybe`: one of several values, it is unknown which (DST5, DST8). */
export const State = { known: 0, absent: 1, unknown: 2, maybe: 3 } as const;

// What is exported is read and checked anew at each use; what a module keeps for itself is a number in the code.
const { absent, unknown } = State;
const none = noCode;
const meetsAll = trustRank.attested;

/** One attribute's numbers lie together: a decision waits for memory more than for arithmetic. */
const stride = 1 << floorBits;
/**
 * Ready: from the request's `base` on if the attribute was read; above it, by one more than its trust, if one exact value
 * is all that there is to say.
 */
const cell = { ready: 0, state: 1, trust: 2, start: 3, end: 4, exact: 5, marks: 6 } as const;
export const cellStride = stride;
export const Cell = cell;
/** Of `cell.marks`. */
export const Mark = {
  shared: 1,
  dated: 2,
  /** The exact code is a fingerprint that some other value may have too. */
  open: 4,
  /** The text of an open one stands in the bytes of a request. */
  written: 8,
} as const;
const { shared: sharedMark, dated: datedMark, open: openMark } = Mark;

/** Before it no codes are kept. */
export const firstCode = 1;

/** What has been read of one request: per attribute a row of numbers, and a list of codes that rows point into. */
export class Cells implements SymbolSink {
  codes = new Int32Array(256);
  end = firstCode;
  /** Above all that cells of earlier requests have in `cell.ready`. */
  base = 0;
  visited = 0;
  readonly cells: Int32Array;
  readonly #since: Float64Array;

  constructor(attributes: number) {
    this.cells = new Int32Array(attributes * stride);
    this.#since = new Float64Array(attributes);
  }

  absent(attribute: number, trust: number): void {
    this.set(attribute, absent, trust);
  }

  unknown(attribute: number): void {
    this.set(attribute, unknown, meetsAll);
  }

  /** Unknown because pods that share an ID differ. */
  shared(attribute: number): void {
    this.unknown(attribute);
    this.mark(attribute, sharedMark);
  }

  /** What vouches for a value is better than where it was stated, and says nothing of when. */
  trusted(attribute: number, trust: number): void {
    this.cells[attribute * stride + cell.trust] = trust;
    this.unmark(attribute, datedMark);
  }

  /** Forgets a value that something better takes the place of. */
  clear(attribute: number): void {
    this.end = this.start(attribute);
    this.cells[attribute * stride + cell.exact] = none;
    this.unmark(attribute, datedMark | openMark);
  }

  capped(attribute: number, trust: number): void {
    this.cells[attribute * stride + cell.trust] = trust;
  }

  dated(attribute: number, since: number): void {
    this.mark(attribute, datedMark);
    this.#since[attribute] = since;
  }

  /** One exact value is all that there is to say. */
  alone(attribute: number): void {
    const at = attribute * stride;
    this.cells[at + cell.ready] = this.base + 1 + (this.cells[at + cell.trust] as number);
  }

  protected mark(attribute: number, mark: number): void {
    const at = attribute * stride + cell.marks;
    this.cells[at] = (this.cells[at] as number) | mark;
  }
  protected unmark(attribute: number, mark: number): void {
    const at = attribute * stride + cell.marks;
    this.cells[at] = (this.cells[at] as number) & ~mark;
  }
  protected marked(attribute: number, mark: number): boolean {
    return ((this.cells[attribute * stride + cell.marks] as number) & mark) !== 0;
  }

  set(attribute: number, state: number, trust: number): void {
    const at = attribute * stride;
    this.cells[at + cell.state] = state;
    this.cells[at + cell.trust] = trust;
    this.cells[at + cell.exact] = none;
  }

  exactly(attribute: number, code: number): void {
    this.room(1);
    this.cells[attribute * stride + cell.exact] = code;
    this.codes[this.end++] = code;
  }

  protected room(symbols: number): void {
    if (this.end + symbols <= this.codes.length) return;
    const wider = new Int32Array((this.end + symbols) * 2);
    wider.set(this.codes);
    this.codes = wider;
  }

  /** Of one that was read: whether one exact value is all that there is to say, whatever its trust. */
  isSingle(attribute: number): boolean {
    return (this.cells[attribute * stride + cell.ready] as number) > this.base;
  }

  /** These are of an attribute whose state has been asked for. */
  trust(attribute: number): number {
    const at = attribute * stride;
    const single = (this.cells[at + cell.ready] as number) - this.base - 1;
    return single >= 0 ? single : (this.cells[at + cell.trust] as number);
  }
  start(attribute: number): number {
    return this.cells[attribute * stride + cell.start] as number;
  }
  /** Where its codes end; of one plain value nobody asks. */
  stop(attribute: number): number {
    return this.cells[attribute * stride + cell.end] as number;
  }
  /** The exact code of its value, or `none`. */
  exact(attribute: number): number {
    return this.cells[attribute * stride + cell.exact] as number;
  }
  /** When its value was seen; NaN if nobody says. */
  since(attribute: number): number {
    return this.marked(attribute, datedMark) ? (this.#since[attribute] as number) : Number.NaN;
  }
  isShared(attribute: number): boolean {
    return this.marked(attribute, sharedMark);
  }
}
