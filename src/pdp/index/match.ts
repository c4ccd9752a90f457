import type { Found } from '../targets.ts';
import type { Compiled } from './compile.ts';
import { allowSlots, groupStride, listSlot, Row, rootOf } from './groups.ts';
import type { Reading } from './reading.ts';
import { none, Search } from './search.ts';
import type { Truths } from './truths.ts';

export { none };

// What is exported is read and checked anew at each use; what a module keeps for itself is a number in the code.
const stride = groupStride;
const { slots: slotsCell, list: listCell } = Row;
const firstListSlot = listSlot;
/** The first slots of a list's denies, and of its allows. */
const firstOfLists = [firstListSlot, firstListSlot + 3];
const allowing = allowSlots;
const nobody = none;

/** The best entry of each world. */
export interface Winners {
  enforced: number;
  shadow: number;
}

/** Finds, over the groups of a destination, the rule that decides in each world. */
export class Match {
  readonly #compiled: Compiled;
  readonly #table: Int32Array;
  readonly #search: Search;
  readonly #winners: Winners = { enforced: nobody, shadow: nobody };

  constructor(compiled: Compiled, reading: Reading, truths: Truths) {
    this.#compiled = compiled;
    this.#table = compiled.groups.table;
    this.#search = new Search(compiled, reading, truths);
  }

  /** Tree nodes visited so far. */
  get visited(): number {
    return this.#search.visited;
  }

  /** The smallest entry of each world that matches in any group. Entries are in order of tiers, so bounds prune. */
  winners({ groups, allows, count }: Found): Winners {
    const winners = this.#winners;
    winners.enforced = nobody;
    winners.shadow = nobody;
    let listed = false;
    for (let i = 0; i < count; i++) {
      const group = groups[i] as number;
      const slots = this.#table[group * stride + slotsCell] as number;
      if (slots >>> firstListSlot !== 0) listed = true;
      else this.#group(group, allows[i] === 1 ? slots : slots & ~allowing, winners);
    }
    if (listed) this.#lists(groups, count, winners);
    return winners;
  }

  #group(group: number, slots: number, winners: Winners): void {
    for (let rest = slots; rest !== 0; rest &= rest - 1) {
      const slot = 31 - Math.clz32(rest & -rest);
      const root = rootOf(this.#compiled.groups, group, slot);
      const denies = (allowing & (1 << slot)) === 0;
      const scope = slot % 3;
      const { enforced, shadow } = winners;
      const bound = scope === 0 ? Math.max(enforced, shadow) : scope === 1 ? enforced : shadow;
      const least = this.#search.least(root, denies, bound);
      if (least < enforced && scope !== 2) winners.enforced = least;
      if (least < shadow && scope !== 1) winners.shadow = least;
    }
  }

  /** Of each list the strongest item of each world, which then stands among the others by its tier (LST1). */
  #lists(groups: Int32Array, count: number, winners: Winners): void {
    const { table } = this.#compiled.groups;
    for (let i = 0; i < count; i++) {
      const list = table[(groups[i] as number) * stride + listCell] as number;
      if (list < 0 || listSeen(table, groups, i, list)) continue;
      let enforced = nobody;
      let shadow = nobody;
      for (let k = i; k < count; k++) {
        const group = groups[k] as number;
        if (table[group * stride + listCell] !== list) continue;
        for (const first of firstOfLists) {
          const denies = (allowing & (1 << first)) === 0;
          const both = this.#least(group, first, denies, Math.max(enforced, shadow));
          enforced = this.#least(group, first + 1, denies, Math.min(enforced, both));
          shadow = this.#least(group, first + 2, denies, Math.min(shadow, both));
        }
      }
      if (enforced !== nobody) winners.enforced = Math.min(winners.enforced, this.#search.entryOf(enforced));
      if (shadow !== nobody) winners.shadow = Math.min(winners.shadow, this.#search.entryOf(shadow));
    }
  }

  #least(group: number, slot: number, denies: boolean, bound: number): number {
    const { groups } = this.#compiled;
    if (((groups.table[group * stride + slotsCell] as number) & (1 << slot)) === 0) return bound;
    return this.#search.least(rootOf(groups, group, slot), denies, bound);
  }
}

function listSeen(table: Int32Array, groups: Int32Array, before: number, list: number): boolean {
  for (let i = 0; i < before; i++) if (table[(groups[i] as number) * stride + listCell] === list) return true;
  return false;
}
