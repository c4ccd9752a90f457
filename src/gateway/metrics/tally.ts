import type { By, Decision } from '../../pdp/model/decision.ts';

/** Policies that are counted by name; what more of them decide is counted together. */
export const mostPolicies = 1_000;
export const otherPolicies = 'other';

/** How often a policy decided, by what it said and what it would have said: enforced × shadow. */
export class Cells {
  allowAllow = 0;
  allowDeny = 0;
  denyAllow = 0;
  denyDeny = 0;
  /** Milliseconds since the epoch; 0: never. */
  last = 0;

  add(decision: Decision, now: number): void {
    this.last = now;
    if (decision.decision === 'allow') {
      if (decision.shadow === 'allow') this.allowAllow++;
      else this.allowDeny++;
    } else if (decision.shadow === 'allow') this.denyAllow++;
    else this.denyDeny++;
  }

  *[Symbol.iterator](): Iterator<{ decision: string; shadow: string; count: number }> {
    yield { decision: 'allow', shadow: 'allow', count: this.allowAllow };
    yield { decision: 'allow', shadow: 'deny', count: this.allowDeny };
    yield { decision: 'deny', shadow: 'allow', count: this.denyAllow };
    yield { decision: 'deny', shadow: 'deny', count: this.denyDeny };
  }
}

/**
 * Counts by name, however many names there are. A rule has one `By` as long as its snapshot lives, so that what is
 * counted for each decision is found without making or hashing text.
 */
export class Tally {
  readonly #byName = new Map<string, Cells>();
  readonly #byRule = new WeakMap<By, Cells>();

  add(by: By, decision: Decision, now: number): void {
    let cells = this.#byRule.get(by);
    if (cells === undefined) {
      cells = this.#named(by.kri);
      this.#byRule.set(by, cells);
    }
    cells.add(decision, now);
  }

  /** When a policy last decided, in milliseconds since the epoch. */
  last(name: string): number | undefined {
    return this.#byName.get(name)?.last;
  }

  get all(): ReadonlyMap<string, Cells> {
    return this.#byName;
  }

  #named(name: string): Cells {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    if (this.#byName.size >= mostPolicies && name !== otherPolicies) return this.#named(otherPolicies);
    const cells = new Cells();
    this.#byName.set(name, cells);
    return cells;
  }
}
