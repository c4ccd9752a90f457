import { Cell, cellStride, State } from './cells.ts';
import { type Compiled, entryStride } from './compile.ts';
import type { Reading } from './reading.ts';
import { edgeSlot, edgeStride, Head, headBits, Node, nothing, scanned } from './tree.ts';
import { Truth, type Truths } from './truths.ts';

/** No rule has this key. */
export const none = 0x7fffffff;

// What is exported is read and checked anew at each use; what a module keeps for itself is a number in the code.
const { absent, maybe, unknown } = State;
const { no, unknown: unclear } = Truth;
const stride = cellStride;
const exactCell = Cell.exact;
const { least: leastCell, head: headCell, other: otherCell, size: sizeCell, edges } = Node;
const { condition: conditionBit, codes: codesBit, operator: operatorBits } = Head;
const headShift = headBits;
const edgeSize = edgeStride;
const scannedEdges = scanned;
const nowhere = nothing;

/** Finds the smallest key that matches below a root; `bound` is the smallest found so far. */
export class Search {
  /** Tree nodes visited since the counter was last set to zero. */
  visited = 0;
  readonly #reading: Reading;
  readonly #truths: Truths;
  readonly #values: Int32Array;
  readonly #dimensions: Int32Array;
  readonly #cells: Int32Array;
  readonly #listEntries: Int32Array;
  readonly #entryCount: number;
  #denies = false;

  constructor(compiled: Compiled, reading: Reading, truths: Truths) {
    this.#reading = reading;
    this.#truths = truths;
    this.#values = reading.cells;
    this.#dimensions = compiled.dimensions;
    this.#cells = compiled.trees.cells;
    this.#listEntries = compiled.groups.listEntries;
    this.#entryCount = compiled.entries.length / entryStride;
  }

  least(root: number, denies: boolean, bound: number): number {
    this.#denies = denies;
    return this.#below(root, bound);
  }

  entryOf(key: number): number {
    return key < this.#entryCount ? key : (this.#listEntries[key - this.#entryCount] as number);
  }

  #below(root: number, bound: number): number {
    const cells = this.#cells;
    let reference = root;
    let least = bound;
    while (reference !== nowhere) {
      if (reference < nowhere) return Math.min(least, -2 - reference);
      this.visited++;
      const at = reference >> 1;
      if ((reference & 1) === 1) return this.#leaf(at, least);
      if ((cells[at + leastCell] as number) >= least) return least;
      const head = cells[at + headCell] as number;
      const dimension = head >> 1;
      const attribute = this.#dimensions[dimension * 2] as number;
      if (this.#reading.plain(attribute) >= (this.#dimensions[dimension * 2 + 1] as number)) {
        const edge = this.#edge(at, this.#values[attribute * stride + exactCell] as number);
        if (edge >= 0 && this.#reading.settle(attribute, cells[edge + 2] as number))
          least = this.#below(cells[edge + 1] as number, least);
        if ((head & 1) !== 0) least = this.#rare(at, 0, least);
      } else {
        const state = this.#reading.dimension(dimension);
        if (state !== absent && state !== unknown) least = this.#several(at, attribute, state, least);
        else if ((head & 1) !== 0) least = this.#rare(at, state === absent ? 1 : 2, least);
      }
      reference = cells[at + otherCell] as number;
    }
    return least;
  }

  /** What is not one exact value alone: patterns that hold for it, or several values. */
  #several(at: number, attribute: number, state: number, bound: number): number {
    const reading = this.#reading;
    let least = bound;
    if (state === maybe && !this.#denies) {
      // Of one of several values an allow needs the one that is certain, if there is one.
      const edge = this.#edge(at, reading.exact(attribute));
      if (edge >= 0) least = this.#below(this.#cells[edge + 1] as number, least);
    } else {
      const end = reading.stop(attribute);
      for (let i = reading.start(attribute); i < end; i++) {
        const code = reading.codes[i] as number;
        const edge = this.#edge(at, code);
        // A pattern that holds needs no comparison of texts.
        if (edge >= 0 && (code >= 0 || reading.settle(attribute, this.#cells[edge + 2] as number)))
          least = this.#below(this.#cells[edge + 1] as number, least);
      }
    }
    return ((this.#cells[at + headCell] as number) & 1) === 0 ? least : this.#rare(at, 0, least);
  }

  /** The branches for what is there at all, absent, unknown. */
  #rare(at: number, branch: number, bound: number): number {
    const cells = this.#cells;
    const child = cells[at + edges + edgeSize * (cells[at + sizeCell] as number) + branch] as number;
    return child === nowhere ? bound : this.#below(child, bound);
  }

  /** Where the edge for a code stands, or -1. */
  #edge(node: number, code: number): number {
    const cells = this.#cells;
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

  #leaf(start: number, bound: number): number {
    const cells = this.#cells;
    const count = cells[start] as number;
    let at = start + 1;
    for (let i = 0; i < count; i++) {
      const key = cells[at] as number;
      if (key >= bound) return bound;
      const end = at + 2 + (cells[at + 1] as number);
      if (this.#holds(at + 2, end)) return key;
      at = end;
    }
    return bound;
  }

  /** Whether conditions as a leaf has them let a rule match: all true, or for a deny none false. */
  #holds(from: number, end: number): boolean {
    const cells = this.#cells;
    const reading = this.#reading;
    for (let at = from; at < end; ) {
      const head = cells[at] as number;
      const dimension = head >> headShift;
      const attribute = this.#dimensions[dimension * 2] as number;
      const listed = (head & codesBit) !== 0;
      const first = listed ? at + 3 : at + 1;
      const next = listed
        ? first + 2 * (cells[at + 2] as number)
        : (head & conditionBit) === 0
          ? at + 3
          : at + 2;
      // By far the most: one of a few exact values is asked for, and there is no more to say than one value.
      if (
        (listed || (head & conditionBit) === 0) &&
        reading.plain(attribute) >= (this.#dimensions[dimension * 2 + 1] as number)
      ) {
        const code = this.#values[attribute * stride + exactCell] as number;
        let same = first;
        while (same < next && cells[same] !== code) same += 2;
        const meets = same < next && reading.settle(attribute, cells[same + 1] as number);
        if (meets !== ((head & 1) === 0)) return false;
      } else {
        const single = (head & conditionBit) === 0;
        const argument = cells[at + 1] as number;
        const truth = this.#truths.test(
          dimension,
          head & operatorBits,
          single ? argument : -1,
          single ? -1 : argument,
        );
        if (truth === no || (truth === unclear && !this.#denies)) return false;
      }
      at = next;
    }
    return true;
  }
}
