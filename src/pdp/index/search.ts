import { Cell, State } from './cells.ts';
import type { Compiled } from './compile.ts';
import { attributeOf, floorBits, floorMask } from './dimension.ts';
import type { Reading } from './reading.ts';
import { Tables } from './tables.ts';
import { edgeSlot, edgeStride, Node, NodeBit, nodeBits, nothing, scanned, traitBits } from './tree-cells.ts';
import type { Truths } from './truths.ts';

// What is exported is read and checked anew at each use; what a module keeps for itself is a number in the code.
const { known, absent, maybe, unknown } = State;
const lowest = floorMask;
const attributeShift = floorBits;
const exactCell = Cell.exact;
const { least: leastCell, head: headCell, other: otherCell, size: sizeCell, edges } = Node;
const nodeShift = nodeBits;
const { rare: rareBit, mixed: mixedBit } = NodeBit;
const traitShift = traitBits;
const edgeSize = edgeStride;
const scannedEdges = scanned;
const nowhere = nothing;

/** Finds the smallest key of each world that matches in trees that are gone through one after another. */
export class Search extends Tables {
  readonly #listEntries: Int32Array;
  readonly #entryCount: number;

  constructor(compiled: Compiled, reading: Reading, truths: Truths) {
    super(compiled, reading, truths);
    this.#listEntries = compiled.groups.listEntries;
    this.#entryCount = compiled.entries.rules.length;
  }

  tree(root: number, allows: boolean): void {
    this.allows = allows;
    this.#below(root);
  }

  entryOf(key: number): number {
    return key < this.#entryCount ? key : (this.#listEntries[key - this.#entryCount] as number);
  }

  #below(root: number): void {
    const cells = this.cells;
    let reference = root;
    while (reference !== nowhere) {
      if (reference < nowhere) return this.#met((-2 - reference) >> traitShift, -2 - reference);
      this.visited++;
      const at = reference >> 1;
      if ((reference & 1) === 1) return this.table(at);
      if ((cells[at + leastCell] as number) >= this.bound) return;
      const head = cells[at + headCell] as number;
      const dimension = head >> nodeShift;
      if (this.reading.isPlain(dimension)) {
        const row = dimension & ~lowest;
        const edge = this.#edge(at, this.values[row + exactCell] as number);
        if (edge >= 0 && this.reading.settle(dimension >> attributeShift, cells[edge + 2] as number))
          this.#below(cells[edge + 1] as number);
        if ((head & rareBit) !== 0) this.#rare(at, 0);
      } else this.#odd(at, head, attributeOf(dimension));
      reference = cells[at + otherCell] as number;
    }
  }

  /** What is not one exact value that is believed: others, several, or none. */
  #odd(at: number, head: number, attribute: number): void {
    const reading = this.reading;
    const state = reading.dimension(head >> nodeShift);
    const raw = reading.state(attribute);
    if (state === raw || (head & mixedBit) === 0) return this.#branches(at, head, attribute, state);
    // Below the floor of allows there are only denies to look for, which have none.
    const allows = this.allows;
    this.allows = false;
    this.#branches(at, head, attribute, raw);
    this.allows = allows;
  }

  #branches(at: number, head: number, attribute: number, state: number): void {
    if (state === known) this.#several(at, attribute);
    else if (state === maybe) this.#perhaps(at, attribute);
    if ((head & rareBit) !== 0) this.#rare(at, state === absent ? 1 : state === unknown ? 2 : 0);
  }

  /** Patterns that hold for a value, or several values. */
  #several(at: number, attribute: number): void {
    const reading = this.reading;
    if (reading.isSingle(attribute)) return this.#along(at, attribute, reading.exact(attribute));
    const end = reading.stop(attribute);
    for (let i = reading.start(attribute); i < end; i++)
      this.#along(at, attribute, reading.codes[i] as number);
  }

  /** Of one of several values an allow needs the one that is certain, if there is one. */
  #perhaps(at: number, attribute: number): void {
    const reading = this.reading;
    const allows = this.allows;
    const end = reading.stop(attribute);
    for (let i = reading.start(attribute); i < end; i++) {
      const code = reading.codes[i] as number;
      this.allows = allows && code === reading.exact(attribute);
      this.#along(at, attribute, code);
    }
    this.allows = allows;
  }

  /** Along the edge of a code. A pattern that holds needs no comparison of texts. */
  #along(at: number, attribute: number, code: number): void {
    const edge = this.#edge(at, code);
    if (edge < 0) return;
    if (code >= 0 || this.reading.settle(attribute, this.cells[edge + 2] as number))
      this.#below(this.cells[edge + 1] as number);
  }

  /** The branches for what is there at all, absent, unknown. */
  #rare(at: number, branch: number): void {
    const cells = this.cells;
    const child = cells[at + edges + edgeSize * (cells[at + sizeCell] as number) + branch] as number;
    if (child !== nowhere) this.#below(child);
  }

  #met(key: number, traits: number): void {
    if (key < this.bound && this.counts(key, traits)) this.take(key, traits);
  }

  /** Where the edge for a code stands, or -1. */
  #edge(node: number, code: number): number {
    const cells = this.cells;
    const size = cells[node + sizeCell] as number;
    const first = node + edges;
    if (size <= scannedEdges) {
      const end = first + edgeSize * size;
      for (let at = first; at < end; at += edgeSize) if (cells[at] === code) return at;
      return -1;
    }
    for (let slot = edgeSlot(code); ; slot++) {
      const at = first + edgeSize * (slot & (size - 1));
      if (cells[at + 1] === nowhere) return -1;
      if (cells[at] === code) return at;
    }
  }
}
