import type { StatedAttributes } from '../model/request.ts';
import { trustRank } from '../model/trust.ts';
import type { Attached } from './attach.ts';
import { Cell, cellStride, firstCode, Mark, State } from './cells.ts';
import { AttributeColumn, attributeStride } from './compile.ts';
import { floorBits, floorMask } from './dimension.ts';
import { fingerprint, fingerprintAt, interned, noCode } from './fingerprint.ts';
import type { Sources } from './given.ts';
import { type Keeper, KeptCells } from './kept-cells.ts';
import { Settled } from './settled.ts';
import { matchTrie, type Trie } from './trie.ts';
import { Walks } from './walks.ts';
import { isOfTarget, Way } from './ways.ts';
import type { WrittenAttributes } from './written.ts';

// What is exported is read and checked anew at each use; what a module keeps for itself is a number in the code.
const { known, unknown, maybe } = State;

/** Where values come from that are not plainly stated. It answers through `known`, `absent`, `unknown`. */
export interface ValueSource extends Sources {
  read(attribute: number, into: Reading): void;
}

const { open: openMark, written: writtenMark } = Mark;
const stride = cellStride;
const lowest = floorMask;
const attributeShift = floorBits;
const cell = Cell;
const noCodes = firstCode;
const none = noCode;
const untailed = interned;
const meetsAll = trustRank.attested;
const { identity: byIdentity, stated: byStated, outright: byOutright } = Way;

/**
 * One request's values as codes. What `Given` has not read off a string is read when a rule first asks for it. All text
 * is looked at here; conditions, trees and tables see integers. One reading serves all decisions of an engine in turn.
 */
export class Reading extends Settled {
  readonly attached: Attached;
  readonly #source: ValueSource;
  /** Per attribute: root of its trie, or -1. */
  readonly #roots: Int32Array;
  readonly #tails: Int32Array;
  readonly #trie: Trie;
  readonly #depths: Int32Array;
  readonly #walks: Walks;
  /** Per attribute 1 if it is settled by a stated string, and patterns are all that is asked of that. */
  readonly #walked: Uint8Array;
  readonly #kept: KeptCells;

  constructor(attached: Attached, source: ValueSource) {
    const { compiled, keys } = attached;
    super(attached, source);
    const column = (index: number) =>
      Int32Array.from(keys, (_, id) => compiled.attributes[id * attributeStride + index] as number);
    this.attached = attached;
    this.#source = source;
    this.#roots = column(AttributeColumn.root);
    this.#tails = column(AttributeColumn.tail);
    this.#trie = compiled.trie;
    this.#depths = column(AttributeColumn.depth);
    this.#walks = new Walks(compiled.trie);
    this.#walked = Uint8Array.from(keys, (_, id) => {
      const way = this.wayTo(id);
      const isStated = way === byStated || way === byOutright;
      return isStated && (this.#roots[id] as number) >= 0 && attached.exact[id] === undefined ? 1 : 0;
    });
    this.#kept = new KeptCells(
      Array.from(column(AttributeColumn.kind), (kind, id) => isOfTarget(kind, keys[id] as string)),
    );
  }

  /** What is stated, whether nothing but itself says what the SPIFFE ID is, and the trust of that. */
  give(
    stated: StatedAttributes | WrittenAttributes | undefined,
    isAlone: boolean,
    identityTrust: number,
  ): void {
    this.from(stated, isAlone, identityTrust);
    this.end = noCodes;
  }

  /** Reads an attribute that was not yet. */
  load(attribute: number): void {
    this.cells[attribute * stride + cell.ready] = this.base;
    const { outright, namespace } = this.destination;
    if (outright === undefined && namespace === undefined && this.#kept.has(attribute))
      return this.#loadKept(attribute);
    if (this.isWritten) {
      const stated = this.written(attribute);
      if (stated !== undefined) return this.#loadWritten(attribute, stated);
    }
    const way = this.wayTo(attribute);
    const value = this.given(attribute, way);
    if (typeof value !== 'string') return this.#read(attribute, undefined, 0);
    const trust = this.trustOfGiven(attribute, way);
    const tail = this.simple[attribute] as number;
    if (tail > 0) {
      this.texts[attribute] = value;
      this.#simply(attribute, trust, fingerprint(value, tail), openMark);
    } else if (this.#walked[attribute] === 1) this.#loadWalked(attribute, value, trust);
    else if (way === byIdentity) this.#loadIdentity(attribute, value, trust);
    else this.#read(attribute, value, trust);
  }

  /** Of what only patterns are asked of. */
  #loadWalked(attribute: number, value: string, trust: number): void {
    const at = attribute * stride;
    const cells = this.cells;
    const start = this.end;
    this.room(2 * (this.#depths[attribute] as number));
    this.#walks.walk(this.#roots[attribute] as number, value, this);
    if (this.end === start) return this.#simply(attribute, trust, none, 0);
    cells[at + cell.state] = known;
    cells[at + cell.trust] = trust;
    cells[at + cell.start] = start;
    cells[at + cell.end] = this.end;
    cells[at + cell.exact] = none;
    cells[at + cell.marks] = 0;
  }

  #loadWritten(attribute: number, stated: WrittenAttributes): void {
    const row = stated.find(attribute);
    if (row < 0) return this.#read(attribute, undefined, 0);
    const trust = this.trustOfGiven(attribute, this.wayTo(attribute));
    const tail = this.simple[attribute] as number;
    if (this.#walked[attribute] === 1) this.#loadWalked(attribute, stated.textOf(row), trust);
    else if (tail === 0) this.#read(attribute, stated.textOf(row), trust);
    else this.#simply(attribute, trust, stated.fingerprintOf(row, tail), openMark | writtenMark);
  }

  /** Of the SPIFFE ID, which is there as bytes. */
  #loadIdentity(attribute: number, value: string, trust: number): void {
    const { identity } = this.#source;
    const tail = this.#tails[attribute] as number;
    const isInterned = tail === untailed;
    const exact = isInterned
      ? (this.exactValues[attribute]?.get(value) ?? none)
      : fingerprintAt(identity.view, 0, identity.length, tail);
    this.texts[attribute] = value;
    this.#simply(attribute, trust, exact, isInterned ? 0 : openMark);
    const patterns = identity.end;
    if (patterns === 0) return;
    this.room(1 + patterns);
    const start = this.end;
    this.codes[this.end++] = exact;
    for (let i = 0; i < patterns; i++) this.codes[this.end++] = identity.codes[i] as number;
    const at = attribute * stride;
    const cells = this.cells;
    cells[at + cell.start] = start;
    cells[at + cell.end] = this.end;
    cells[at + cell.ready] = this.base;
    cells[at + cell.state] = known;
    cells[at + cell.trust] = trust;
  }

  #loadKept(attribute: number): void {
    const target = this.destination.target as Keeper;
    if (this.#kept.restore(attribute, target, this)) return;
    this.#read(attribute, undefined, 0);
    this.settleAll(attribute);
    this.#kept.keep(attribute, target, this);
  }

  /** By far the most. Where there are no patterns it has no list of codes: the first place of all is nobody's. */
  #simply(attribute: number, trust: number, exact: number, marks: number): void {
    const at = attribute * stride;
    const cells = this.cells;
    cells[at + cell.ready] = this.base + 1 + trust;
    cells[at + cell.marks] = marks;
    cells[at + cell.exact] = exact;
  }

  #read(attribute: number, value: string | undefined, trust: number): void {
    const at = attribute * stride;
    const cells = this.cells;
    cells[at + cell.start] = this.end;
    cells[at + cell.exact] = none;
    cells[at + cell.marks] = 0;
    if (value === undefined) this.#source.read(attribute, this);
    else this.known(attribute, value, trust);
    const most = cells[at + cell.exact] === none ? 0 : 1;
    const alone = cells[at + cell.state] === known && this.end - (cells[at + cell.start] as number) <= most;
    if (alone) this.alone(attribute);
    cells[at + cell.end] = this.end;
  }

  known(attribute: number, value: string, trust: number): void {
    this.set(attribute, known, trust);
    const tail = this.#tails[attribute] as number;
    if (tail === untailed) this.#intern(attribute, value);
    else {
      this.texts[attribute] = value;
      this.mark(attribute, openMark);
      this.exactly(attribute, fingerprint(value, tail));
    }
    this.#patterns(attribute, value);
  }

  /** The same for what is cheap to look up: strings so short that the parser of the request gives equal ones as one. */
  knownShort(attribute: number, value: string, trust: number): void {
    this.set(attribute, known, trust);
    this.add(attribute, value);
  }

  /** One of several values. */
  oneOf(attribute: number, values: readonly string[]): void {
    this.set(attribute, maybe, meetsAll);
    for (const value of values) this.add(attribute, value);
    this.cells[attribute * stride + cell.exact] = none;
  }

  /** A value for certain, and perhaps one of the others too. */
  perhaps(attribute: number, value: string, others: readonly string[]): void {
    this.oneOf(attribute, others);
    this.add(attribute, value);
  }

  /** Adds the codes of one value more; a tag may have several. */
  add(attribute: number, value: string): void {
    this.settleAll(attribute);
    this.#intern(attribute, value);
    this.#patterns(attribute, value);
  }

  #intern(attribute: number, value: string): void {
    const code = this.exactValues[attribute]?.get(value);
    if (code !== undefined) this.exactly(attribute, code);
  }

  #patterns(attribute: number, value: string): void {
    const root = this.#roots[attribute] as number;
    if (root < 0) return;
    this.room(2 * (this.#depths[attribute] as number));
    matchTrie(this.#trie, root, value, this);
  }

  state(attribute: number): number {
    const at = attribute * stride;
    if ((this.cells[at + cell.ready] as number) < this.base) this.load(attribute);
    return (this.cells[at + cell.ready] as number) > this.base
      ? known
      : (this.cells[at + cell.state] as number);
  }

  /** Whether one exact value is all that there is to say of an attribute, and it is trusted as a dimension asks for. */
  isPlain(dimension: number): boolean {
    const cells = this.cells;
    const base = this.base;
    const at = (dimension & ~lowest) + cell.ready;
    if ((cells[at] as number) < base) this.load(dimension >> attributeShift);
    return (cells[at] as number) > base + (dimension & lowest);
  }

  /** Of one that was read and is not plain: whether it is known all the same, and trusted as a dimension asks for. */
  isKnown(dimension: number): boolean {
    const cells = this.cells;
    const at = dimension & ~lowest;
    if (cells[at + cell.ready] !== this.base || cells[at + cell.state] !== known) return false;
    return (cells[at + cell.trust] as number) >= (dimension & lowest);
  }

  /** The state of an attribute as a dimension sees it: below its floor a value, or an absence, is unknown. */
  dimension(dimension: number): number {
    const at = dimension & ~lowest;
    if ((this.cells[at + cell.ready] as number) < this.base) this.load(dimension >> attributeShift);
    const single = (this.cells[at + cell.ready] as number) - this.base - 1;
    if (single >= 0) return single < (dimension & lowest) ? unknown : known;
    const below = (this.cells[at + cell.trust] as number) < (dimension & lowest);
    return below ? unknown : (this.cells[at + cell.state] as number);
  }
}
