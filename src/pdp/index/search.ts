import { type Compiled, entryStride } from './compile.ts';
import { type Reading, State } from './reading.ts';
import { hashEdge, Node, nodeStride, nothing } from './tree.ts';

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
  readonly #listEntries: Int32Array;
  readonly #entryCount: number;
  #denies = false;

  constructor(compiled: Compiled, reading: Reading) {
    this.#reading = reading;
    this.#nodes = compiled.trees.nodes;
    this.#edges = compiled.trees.edges;
    this.#edgeMask = compiled.trees.edges.length / 3 - 1;
    this.#items = compiled.trees.items;
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
    let reference = root;
    let least = bound;
    while (reference !== nothing) {
      if (reference < nothing) return Math.min(least, -2 - reference);
      this.visited++;
      const node = reference >> 1;
      if ((reference & 1) === 1) return this.#leaf(node, least);
      const at = node * nodeStride;
      if ((nodes[at + Node.least] as number) >= least) return least;
      const dimension = nodes[at + Node.dimension] as number;
      const state = reading.dimension(dimension);
      if (state === State.maybe && !this.#denies) least = this.#certain(node, dimension, least);
      else if (state === State.known || state === State.maybe) {
        const attribute = reading.attributeOf(dimension);
        const end = reading.stop(attribute);
        for (let i = reading.start(attribute); i < end; i++) {
          const child = this.#edge(node, reading.symbols[i] as number);
          if (child !== nothing) least = this.#below(child, least);
        }
        const present = nodes[at + Node.present] as number;
        if (present !== nothing) least = this.#below(present, least);
      } else if (state === State.absent) {
        const absent = nodes[at + Node.absent] as number;
        if (absent !== nothing) least = this.#below(absent, least);
      } else if (state === State.unknown) {
        const unknown = nodes[at + Node.unknown] as number;
        if (unknown !== nothing) least = this.#below(unknown, least);
      }
      reference = nodes[at + Node.other] as number;
    }
    return least;
  }

  /** Of one of several values an allow needs the one that is certain, if there is one. */
  #certain(node: number, dimension: number, bound: number): number {
    const exact = this.#reading.exact(this.#reading.attributeOf(dimension));
    const child = exact < 0 ? nothing : this.#edge(node, exact);
    const least = child === nothing ? bound : this.#below(child, bound);
    const present = this.#nodes[node * nodeStride + Node.present] as number;
    return present === nothing ? least : this.#below(present, least);
  }

  #edge(node: number, symbol: number): number {
    const edges = this.#edges;
    let slot = hashEdge(node, symbol) & this.#edgeMask;
    for (;;) {
      const owner = edges[slot * 3] as number;
      if (owner === node && edges[slot * 3 + 1] === symbol) return edges[slot * 3 + 2] as number;
      if (owner === -1) return nothing;
      slot = (slot + 1) & this.#edgeMask;
    }
  }

  #leaf(start: number, bound: number): number {
    const items = this.#items;
    const count = items[start] as number;
    let at = start + 1;
    for (let i = 0; i < count; i++) {
      const key = items[at] as number;
      if (key >= bound) return bound;
      const end = at + 2 + 2 * (items[at + 1] as number);
      if (this.#reading.holds(items, at + 2, end, this.#denies)) return key;
      at = end;
    }
    return bound;
  }
}
