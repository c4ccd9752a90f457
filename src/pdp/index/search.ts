import { type Compiled, entryStride } from './compile.ts';
import { type Reading, State, Truth } from './reading.ts';
import { hashEdge, maskBits, Node, nodeStride, restBit } from './tree.ts';

/** No rule has this key. */
export const none = 0x7fffffff;

/** Finds the smallest key that matches below a root; `bound` is the smallest found so far. */
export class Search {
  /** Tree nodes visited since the counter was last set to zero. */
  visited = 0;
  readonly #reading: Reading;
  readonly #nodes: Int32Array;
  readonly #edges: Int32Array;
  readonly #edgeMask: number;
  readonly #items: Int32Array;
  readonly #entries: Int32Array;
  readonly #entryConditions: Int32Array;
  readonly #listEntries: Int32Array;
  readonly #entryCount: number;
  #denies = false;

  constructor(compiled: Compiled, reading: Reading) {
    this.#reading = reading;
    this.#nodes = compiled.trees.nodes;
    this.#edges = compiled.trees.edges;
    this.#edgeMask = compiled.trees.edges.length / 3 - 1;
    this.#items = compiled.trees.items;
    this.#entries = compiled.entries;
    this.#entryConditions = compiled.entryConditions;
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
    const reading = this.#reading;
    const nodes = this.#nodes;
    let node = root;
    let least = bound;
    while (node >= 0) {
      this.visited++;
      const at = node * nodeStride;
      if ((nodes[at] as number) >= least) return least;
      const dimension = nodes[at + Node.dimension] as number;
      if (dimension < 0) return this.#leaf(nodes[at + 2] as number, nodes[at + 3] as number, least);
      const state = reading.dimension(dimension);
      if (state === State.known || (state === State.maybe && this.#denies)) {
        const attribute = reading.attributeOf(dimension);
        const end = reading.ends[attribute] as number;
        for (let i = reading.starts[attribute] as number; i < end; i++) {
          const child = this.#edge(node, reading.symbols[i] as number);
          if (child >= 0) least = this.#below(child, least);
        }
        const present = nodes[at + Node.present] as number;
        if (present >= 0) least = this.#below(present, least);
      } else if (state === State.absent) {
        const absent = nodes[at + Node.absent] as number;
        if (absent >= 0) least = this.#below(absent, least);
      } else if (state === State.unknown) {
        const unknown = nodes[at + Node.unknown] as number;
        if (unknown >= 0) least = this.#below(unknown, least);
      }
      node = nodes[at + Node.other] as number;
    }
    return least;
  }

  #edge(node: number, symbol: number): number {
    const edges = this.#edges;
    let slot = hashEdge(node, symbol) & this.#edgeMask;
    for (;;) {
      const owner = edges[slot * 3] as number;
      if (owner === node && edges[slot * 3 + 1] === symbol) return edges[slot * 3 + 2] as number;
      if (owner === -1) return -1;
      slot = (slot + 1) & this.#edgeMask;
    }
  }

  #leaf(first: number, count: number, bound: number): number {
    const items = this.#items;
    for (let i = first; i < first + count; i++) {
      const key = items[i * 2] as number;
      if (key >= bound) return bound;
      const mask = items[i * 2 + 1] as number;
      if (mask === 0 || this.#holds(this.entryOf(key), mask)) return key;
    }
    return bound;
  }

  /** Whether the conditions of the mask let an entry match: all true, or for a deny none false. */
  #holds(entry: number, mask: number): boolean {
    const first = this.#entries[entry * entryStride + 3] as number;
    for (let rest = mask & ~restBit; rest !== 0; rest &= rest - 1) {
      if (!this.#lets(this.#entryConditions[first + 31 - Math.clz32(rest & -rest)] as number)) return false;
    }
    if ((mask & restBit) === 0) return true;
    const end = first + (this.#entries[entry * entryStride + 4] as number);
    for (let i = first + maskBits; i < end; i++) {
      if (!this.#lets(this.#entryConditions[i] as number)) return false;
    }
    return true;
  }

  #lets(condition: number): boolean {
    const truth = this.#reading.truth(condition);
    return truth === Truth.yes || (truth === Truth.unknown && this.#denies);
  }
}
