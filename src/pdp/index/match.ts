import type { Found } from '../targets.ts';
import type { Compiled } from './compile.ts';
import { allowSlots, groupStride, listSlot, Row, rootOf } from './groups.ts';
import type { Reading } from './reading.ts';
import { none, Search } from './search.ts';

export { none };

/** The best entry of each world. */
export interface Winners {
  enforced: number;
  shadow: number;
}

/** Finds, over the groups of a destination, the rule that decides in each world. */
export class Match {
  readonly #compiled: Compiled;
  readonly #search: Search;
  readonly #winners: Winners = { enforced: none, shadow: none };

  constructor(compiled: Compiled, reading: Reading) {
    this.#compiled = compiled;
    this.#search = new Search(compiled, reading);
  }

  /** Tree nodes visited so far. */
  get visited(): number {
    return this.#search.visited;
  }

  /** The smallest entry of each world that matches in any group. */
  winners({ groups, allows, count }: Found): Winners {
    const all = this.#compiled.groups;
    const { table } = all;
    const winners = this.#winners;
    winners.enforced = none;
    winners.shadow = none;
    let slots = 0;
    for (let i = 0; i < count; i++) {
      const bits = table[(groups[i] as number) * groupStride + Row.slots] as number;
      slots |= allows[i] === 1 ? bits : bits & ~allowSlots;
    }
    if (slots >>> listSlot !== 0) this.#lists(groups, count, winners);
    for (let tier = 0; tier < 5; tier++) {
      const first = this.#compiled.tierStarts[tier] as number;
      if (winners.enforced < first && winners.shadow < first) break;
      const mine = (slots >>> (tier * 3)) & 7;
      if (mine === 0) continue;
      const allow = (tier & 1) === 1;
      for (let i = 0; i < count; i++) {
        if (allow && allows[i] === 0) continue;
        const group = groups[i] as number;
        const bits = ((table[group * groupStride + Row.slots] as number) >>> (tier * 3)) & mine;
        if (bits === 0) continue;
        if ((bits & 1) !== 0) {
          const bound = Math.max(winners.enforced, winners.shadow);
          const least = this.#search.least(rootOf(all, group, tier * 3), !allow, bound);
          if (least < winners.enforced) winners.enforced = least;
          if (least < winners.shadow) winners.shadow = least;
        }
        if ((bits & 2) !== 0) {
          const root = rootOf(all, group, tier * 3 + 1);
          winners.enforced = this.#search.least(root, !allow, winners.enforced);
        }
        if ((bits & 4) !== 0) {
          winners.shadow = this.#search.least(rootOf(all, group, tier * 3 + 2), !allow, winners.shadow);
        }
      }
    }
    return winners;
  }

  /** Of each list the strongest item of each world, which then stands among the others by its tier (LST1). */
  #lists(groups: Int32Array, count: number, winners: Winners): void {
    const { table } = this.#compiled.groups;
    for (let i = 0; i < count; i++) {
      const list = table[(groups[i] as number) * groupStride + Row.list] as number;
      if (list < 0 || listSeen(table, groups, i, list)) continue;
      let enforced = none;
      let shadow = none;
      for (let k = i; k < count; k++) {
        const group = groups[k] as number;
        if (table[group * groupStride + Row.list] !== list) continue;
        for (const [first, denies] of listTrees) {
          const both = this.#least(group, first, denies, Math.max(enforced, shadow));
          enforced = this.#least(group, first + 1, denies, Math.min(enforced, both));
          shadow = this.#least(group, first + 2, denies, Math.min(shadow, both));
        }
      }
      if (enforced !== none) winners.enforced = Math.min(winners.enforced, this.#search.entryOf(enforced));
      if (shadow !== none) winners.shadow = Math.min(winners.shadow, this.#search.entryOf(shadow));
    }
  }

  #least(group: number, slot: number, denies: boolean, bound: number): number {
    const { groups } = this.#compiled;
    if (((groups.table[group * groupStride + Row.slots] as number) & (1 << slot)) === 0) return bound;
    return this.#search.least(rootOf(groups, group, slot), denies, bound);
  }
}

/** A list's denies and allows. */
const listTrees: readonly (readonly [number, boolean])[] = [
  [listSlot, true],
  [listSlot + 3, false],
];

function listSeen(table: Int32Array, groups: Int32Array, before: number, list: number): boolean {
  for (let i = 0; i < before; i++)
    if (table[(groups[i] as number) * groupStride + Row.list] === list) return true;
  return false;
}
