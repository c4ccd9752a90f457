import { type Compiled, entryStride } from './compile.ts';
import { allowSlots, groupStride, listSlot, Row, rootOf } from './groups.ts';
import { edgeStride, Node, nothing } from './tree.ts';

/**
 * The entries of groups, read back off the trees that decisions search: what is listed here is what is searched, so
 * that no exporter can come to know other rules than `decide` does.
 */
export class Members {
  readonly #compiled: Compiled;
  readonly #entryCount: number;
  readonly #denies = new Map<number, Int32Array>();
  readonly #allows = new Map<number, Int32Array>();

  constructor(compiled: Compiled) {
    this.#compiled = compiled;
    this.#entryCount = compiled.entries.length / entryStride;
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
    const { cells } = this.#compiled.trees;
    const open = [root];
    for (let reference = open.pop(); reference !== undefined; reference = open.pop()) {
      if (reference === nothing) continue;
      if (reference < nothing) keys.add(-2 - reference);
      else if ((reference & 1) === 1) leafKeys(cells, reference >> 1, keys);
      else {
        const at = reference >> 1;
        const end = at + Node.edges + edgeStride * (cells[at + Node.size] as number);
        open.push(cells[at + Node.other] as number);
        for (let i = at + Node.edges + 1; i < end; i += edgeStride) open.push(cells[i] as number);
        if (((cells[at + Node.head] as number) & 1) === 0) continue;
        for (let i = 0; i < 3; i++) open.push(cells[end + i] as number);
      }
    }
  }
}

function leafKeys(cells: Int32Array, start: number, keys: Set<number>): void {
  const count = cells[start] as number;
  let at = start + 1;
  for (let i = 0; i < count; i++) {
    keys.add(cells[at] as number);
    at += 2 + (cells[at + 1] as number);
  }
}
