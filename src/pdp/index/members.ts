import { type Compiled, entryStride } from './compile.ts';
import { allowSlots, groupStride, listSlot, Row, rootOf } from './groups.ts';
import { Node, nodeStride, nothing } from './tree.ts';

/**
 * The entries of groups, read back off the trees that decisions search: what is listed here is what is searched, so
 * that no exporter can come to know other rules than `decide` does.
 */
export class Members {
  readonly #compiled: Compiled;
  readonly #entryCount: number;
  /** Per node: where its branches by symbol begin in `#branches`; one more at the end. */
  readonly #starts: Int32Array;
  readonly #branches: Int32Array;
  readonly #denies = new Map<number, Int32Array>();
  readonly #allows = new Map<number, Int32Array>();

  constructor(compiled: Compiled) {
    this.#compiled = compiled;
    this.#entryCount = compiled.entries.length / entryStride;
    const { nodes, edges } = compiled.trees;
    const starts = new Int32Array(nodes.length / nodeStride + 1);
    for (let at = 0; at < edges.length; at += 3) {
      const node = edges[at] as number;
      if (node >= 0) starts[node + 1] = (starts[node + 1] as number) + 1;
    }
    for (let node = 1; node < starts.length; node++)
      starts[node] = (starts[node] as number) + (starts[node - 1] as number);
    const next = starts.slice();
    const branches = new Int32Array(starts.at(-1) as number);
    for (let at = 0; at < edges.length; at += 3) {
      const node = edges[at] as number;
      if (node < 0) continue;
      branches[next[node] as number] = edges[at + 2] as number;
      next[node] = (next[node] as number) + 1;
    }
    this.#starts = starts;
    this.#branches = branches;
  }

  /** Ascending, each once. */
  denies(group: number): Int32Array {
    return this.#kept(this.#denies, group, ~allowSlots);
  }

  allows(group: number): Int32Array {
    return this.#kept(this.#allows, group, allowSlots);
  }

  #kept(cache: Map<number, Int32Array>, group: number, wanted: number): Int32Array {
    let entries = cache.get(group);
    if (entries === undefined) {
      entries = this.#read(group, wanted);
      cache.set(group, entries);
    }
    return entries;
  }

  #read(group: number, wanted: number): Int32Array {
    const { groups } = this.#compiled;
    const slots = groups.table[group * groupStride + Row.slots] as number;
    const keys = new Set<number>();
    for (let slot = 0; slot < listSlot + 6; slot++) {
      if ((slots & wanted & (1 << slot)) !== 0) this.#collect(rootOf(groups, group, slot), keys);
    }
    return Int32Array.from(keys, (key) => this.#entryOf(key)).sort();
  }

  #entryOf(key: number): number {
    return key < this.#entryCount
      ? key
      : (this.#compiled.groups.listEntries[key - this.#entryCount] as number);
  }

  #collect(root: number, keys: Set<number>): void {
    const { nodes, items } = this.#compiled.trees;
    const open = [root];
    for (let reference = open.pop(); reference !== undefined; reference = open.pop()) {
      if (reference === nothing) continue;
      if (reference < nothing) keys.add(-2 - reference);
      else if ((reference & 1) === 1) leafKeys(items, reference >> 1, keys);
      else {
        const node = reference >> 1;
        const at = node * nodeStride;
        for (const field of [Node.other, Node.present, Node.absent, Node.unknown])
          open.push(nodes[at + field] as number);
        const end = this.#starts[node + 1] as number;
        for (let i = this.#starts[node] as number; i < end; i++) open.push(this.#branches[i] as number);
      }
    }
  }
}

function leafKeys(items: Int32Array, start: number, keys: Set<number>): void {
  const count = items[start] as number;
  let at = start + 1;
  for (let i = 0; i < count; i++) {
    keys.add(items[at] as number);
    at += 2 + 2 * (items[at + 1] as number);
  }
}
