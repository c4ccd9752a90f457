import type { By, Decision } from '../../pdp/model/decision.ts';

/** Policies that are counted by name; what more of them decide is counted together. */
export const mostPolicies = 1_000;
const otherPolicies = 'other';

/** What a decision says and what it would say with every shadow effect in force, in the order of the counts. */
const said = [
  { decision: 'allow', shadow: 'allow' },
  { decision: 'allow', shadow: 'deny' },
  { decision: 'deny', shadow: 'allow' },
  { decision: 'deny', shadow: 'deny' },
] as const;

function place({ decision, shadow }: Decision): number {
  return (decision === 'allow' ? 0 : 2) + (shadow === 'allow' ? 0 : 1);
}

export interface Count {
  readonly name: string;
  readonly decision: string;
  readonly shadow: string;
  readonly count: number;
}

/** Those of one name that there are, from a place on. */
function* countsIn(counts: Float64Array, from: number, name: string): Generator<Count> {
  for (const [i, what] of said.entries()) {
    const count = counts[from + i] as number;
    if (count > 0) yield { name, ...what, count };
  }
}

/** Of each policy: how often it decided, and how often it would have with every shadow effect. */
const shadowed = said.length;
const width = 2 * said.length;

/**
 * Counts by name, however many names there are. A rule has one `By` as long as its snapshot lives, so that what is
 * counted for each decision is found without making or hashing text, and stands in one place.
 */
export class Tally {
  readonly #byName = new Map<string, number>();
  readonly #byRule = new WeakMap<By, number>();
  #counts = new Float64Array(64 * width);

  add(decision: Decision): void {
    const { by, shadowBy } = decision;
    let row = 0;
    if (by !== null) {
      row = this.#ofRule(by);
      this.#counts[row + place(decision)]!++;
    }
    if (shadowBy === null) return;
    if (shadowBy !== by) row = this.#ofRule(shadowBy);
    this.#counts[row + shadowed + place(decision)]!++;
  }

  decided(): Generator<Count> {
    return this.#all(0);
  }

  wouldHave(): Generator<Count> {
    return this.#all(shadowed);
  }

  *#all(from: number): Generator<Count> {
    for (const [name, row] of this.#byName) yield* countsIn(this.#counts, row + from, name);
  }

  #ofRule(by: By): number {
    let row = this.#byRule.get(by);
    if (row === undefined) {
      row = this.#named(by.kri);
      this.#byRule.set(by, row);
    }
    return row;
  }

  #named(name: string): number {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    if (this.#byName.size >= mostPolicies && name !== otherPolicies) return this.#named(otherPolicies);
    const row = this.#byName.size * width;
    if (row === this.#counts.length) {
      const more = new Float64Array(2 * row);
      more.set(this.#counts);
      this.#counts = more;
    }
    this.#byName.set(name, row);
    return row;
  }
}

/** Counts by the reason of a decision. */
export class Reasons {
  readonly #counts = new Map<string, Float64Array>();

  add(decision: Decision): void {
    let counts = this.#counts.get(decision.reason);
    if (counts === undefined) {
      counts = new Float64Array(said.length);
      this.#counts.set(decision.reason, counts);
    }
    counts[place(decision)]!++;
  }

  *all(): Generator<Count> {
    for (const [name, counts] of this.#counts) yield* countsIn(counts, 0, name);
  }
}
