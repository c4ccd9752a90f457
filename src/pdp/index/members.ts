import type { Compiled } from './compile.ts';
import { GroupRow, groupStride } from './groups.ts';
import { ruleStride, Table, TableRule } from './table-cells.ts';
import { doesAllow, edgeStride, Node, NodeBit, nothing, traitBits } from './tree-cells.ts';

/** Entries of denies, and of allows. */
type Both = readonly [denies: Int32Array, allows: Int32Array];

/**
 * The entries of groups, read back off the trees that decisions search: what is listed here is what is searched, so
 * that no exporter can come to know other rules than `decide` does.
 */
export class Members {
  readonly #compiled: Compiled;
  readonly #entryCount: number;
  readonly #kept = new Map<number, Both>();

  constructor(compiled: Compiled) {
    this.#compiled = compiled;
    this.#entryCount = compiled.entries.rules.length;
  }

  /** Ascending, each once. */
  denies(group: number): Int32Array {
    return this.#of(group)[0];
  }

  allows(group: number): Int32Array {
    return this.#of(group)[1];
  }

  #of(group: number): Both {
    let both = this.#kept.get(group);
    if (both === undefined) {
      both = this.#read(group);
      this.#kept.set(group, both);
    }
    return both;
  }

  #read(group: number): Both {
    const keys = [new Set<number>(), new Set<number>()] as const;
    this.#collect(this.#compiled.groups.table[group * groupStride + GroupRow.root] as number, keys);
    const [denies, allows] = keys.map((set) => Int32Array.from(set, (key) => this.#entryOf(key)).sort());
    return [denies as Int32Array, allows as Int32Array];
  }

  #entryOf(key: number): number {
    return key < this.#entryCount
      ? key
      : (this.#compiled.groups.listEntries[key - this.#entryCount] as number);
  }

  #collect(root: number, keys: Keys): void {
    const { cells } = this.#compiled.trees;
    const open = [root];
    for (let reference = open.pop(); reference !== undefined; reference = open.pop()) {
      if (reference === nothing) continue;
      if (reference < nothing) add(keys, (-2 - reference) >> traitBits, -2 - reference);
      else if ((reference & 1) === 1) tableKeys(cells, reference >> 1, keys);
      else {
        const at = reference >> 1;
        const end = at + Node.edges + edgeStride * (cells[at + Node.size] as number);
        open.push(cells[at + Node.other] as number);
        for (let i = at + Node.edges + 1; i < end; i += edgeStride) open.push(cells[i] as number);
        if (((cells[at + Node.head] as number) & NodeBit.rare) === 0) continue;
        for (let i = 0; i < 3; i++) open.push(cells[end + i] as number);
      }
    }
  }
}

/** Of rules that deny, and of those that allow. */
type Keys = readonly [Set<number>, Set<number>];

function tableKeys(cells: Int32Array, first: number, keys: Keys): void {
  for (let at = first; at !== nothing; at = cells[at + Table.next] as number) {
    const rules = 32 - Math.clz32(cells[at + Table.rules] as number);
    for (let rule = 0; rule < rules; rule++) {
      const key = cells[at + Table.ofRules + ruleStride * rule + TableRule.key] as number;
      add(keys, key >> traitBits, key);
    }
  }
}

function add(keys: Keys, key: number, traits: number): void {
  keys[doesAllow(traits) ? 1 : 0].add(key);
}
