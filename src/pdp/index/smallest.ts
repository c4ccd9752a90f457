import { Scope } from './entries.ts';
import { doesAllow, scopeOf } from './tree-cells.ts';

/** No rule has this key. */
export const none = 0x7fffffff;

// What is exported is read and checked anew at each use; what a module keeps for itself is a number in the code.
const { both: bothWorlds, enforced: enforcedOnly, shadow: shadowOnly } = Scope;
const nobody = none;

/** The smallest keys of each world that were found so far. */
export class Smallest {
  enforced = none;
  shadow = none;
  /** The greater of both: what is not below it is of no interest. */
  protected bound = none;
  /** Whether rules that allow count where it is being looked. */
  protected allows = true;

  /** Keys up to this one are of no interest, or -1. */
  protected after = -1;

  begin(after = -1): void {
    this.after = after;
    this.enforced = nobody;
    this.shadow = nobody;
    this.bound = nobody;
  }

  /** Whether a rule could be the first of a world. */
  protected counts(key: number, traits: number): boolean {
    if (key <= this.after || (doesAllow(traits) && !this.allows)) return false;
    const scope = scopeOf(traits);
    if (scope === bothWorlds) return key < this.bound;
    return key < (scope === enforcedOnly ? this.enforced : this.shadow);
  }

  protected take(key: number, traits: number): void {
    const scope = scopeOf(traits);
    if (scope !== shadowOnly && key < this.enforced) this.enforced = key;
    if (scope !== enforcedOnly && key < this.shadow) this.shadow = key;
    this.bound = this.enforced > this.shadow ? this.enforced : this.shadow;
  }
}
