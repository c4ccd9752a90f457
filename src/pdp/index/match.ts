import type { Found } from '../targets.ts';
import { type Compiled, tierOf } from './compile.ts';
import { GroupRow, groupStride } from './groups.ts';
import type { Reading } from './reading.ts';
import { Search } from './search.ts';
import { none } from './smallest.ts';
import type { Truths } from './truths.ts';
import { isUnsure } from './unsure.ts';

export { none };

// What is exported is read and checked anew at each use; what a module keeps for itself is a number in the code.
const stride = groupStride;
const { root: rootCell, denies: deniesCell, list: listCell } = GroupRow;
const nobody = none;

/** The best entry of each world. */
export interface Winners {
  enforced: number;
  shadow: number;
}

/** Finds, over the groups of a destination, the rule that decides in each world. */
export class Match {
  readonly #table: Int32Array;
  readonly #search: Search;
  readonly #tierOf: (entry: number) => number;
  readonly #isUnsure: (entry: number) => boolean;
  readonly #winners: Winners = { enforced: nobody, shadow: nobody };

  constructor(compiled: Compiled, reading: Reading, truths: Truths) {
    this.#table = compiled.groups.table;
    this.#search = new Search(compiled, reading, truths);
    this.#tierOf = (entry) => tierOf(compiled, entry);
    this.#isUnsure = (entry) => isUnsure(compiled, reading, truths, entry);
  }

  /** See `Tables.visited`. */
  get visited(): number {
    return this.#search.visited;
  }

  /** The smallest entry of each world that matches in any group. Entries are in order of tiers, so bounds prune. */
  winners({ groups, allows, count }: Found): Winners {
    const winners = this.#winners;
    const search = this.#search;
    const table = this.#table;
    search.begin();
    let listed = false;
    for (let i = 0; i < count; i++) {
      const at = (groups[i] as number) * stride;
      if ((table[at + listCell] as number) >= 0) listed = true;
      else {
        const isFull = allows[i] === 1;
        search.tree(table[at + (isFull ? rootCell : deniesCell)] as number, isFull);
      }
    }
    winners.enforced = search.enforced;
    winners.shadow = search.shadow;
    if (listed) this.#lists(groups, count, winners);
    return winners;
  }

  /** Of each list the item of each world that counts, which then stands among the others by its tier (LST1). */
  #lists(groups: Int32Array, count: number, winners: Winners): void {
    const table = this.#table;
    for (let i = 0; i < count; i++) {
      const list = table[(groups[i] as number) * stride + listCell] as number;
      if (list < 0 || listSeen(table, groups, i, list)) continue;
      const find = (after: number): Winners => {
        this.#search.begin(after);
        for (let k = i; k < count; k++) {
          const at = (groups[k] as number) * stride;
          if (table[at + listCell] === list) this.#search.tree(table[at + rootCell] as number, true);
        }
        return this.#search;
      };
      const { enforced, shadow } = find(-1);
      winners.enforced = Math.min(
        winners.enforced,
        this.#counting(enforced, (after) => find(after).enforced),
      );
      winners.shadow = Math.min(
        winners.shadow,
        this.#counting(shadow, (after) => find(after).shadow),
      );
    }
  }

  /** The entry of the strongest item, or of a ban that stands below defaults of which it is not known that they match. */
  #counting(strongest: number, nextAfter: (key: number) => number): number {
    if (strongest === nobody) return nobody;
    const entryOf = (key: number) => this.#search.entryOf(key);
    let next = strongest;
    while (next !== nobody && this.#tierOf(entryOf(next)) === 4 && this.#isUnsure(entryOf(next)))
      next = nextAfter(next);
    const isBan = next !== nobody && this.#tierOf(entryOf(next)) === 2;
    return entryOf(isBan ? next : strongest);
  }
}

function listSeen(table: Int32Array, groups: Int32Array, before: number, list: number): boolean {
  for (let i = 0; i < before; i++) if (table[(groups[i] as number) * stride + listCell] === list) return true;
  return false;
}
