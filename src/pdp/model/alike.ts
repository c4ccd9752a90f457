import type { By, Decision } from './decision.ts';
import type { Trust } from './trust.ts';

type ByTrust<T> = Partial<Record<Trust | 'none', T>>;

/**
 * What is made of decisions that come again and again, made once: of those that one rule makes in both worlds, by their
 * trust, and of those that none makes. It goes with the snapshot that has the rule. Ages of values are not told apart.
 */
export class Alike<T> {
  readonly #byRule = new WeakMap<By, ByTrust<T>>();
  #byNobody: { readonly snapshot: string; readonly made: T } | undefined;

  /** Undefined: the decision is none of these. */
  of(decision: Decision, make: (decision: Decision) => T): T | undefined {
    const { by, shadowBy, reason, snapshot } = decision;
    if (by !== shadowBy) return undefined;
    if (by === null) {
      if (reason !== 'default') return undefined;
      if (this.#byNobody?.snapshot !== snapshot) this.#byNobody = { snapshot, made: make(decision) };
      return this.#byNobody.made;
    }
    return reason === 'rule' ? this.#ofRule(by, decision, make) : undefined;
  }

  #ofRule(by: By, decision: Decision, make: (decision: Decision) => T): T {
    let made = this.#byRule.get(by);
    if (made === undefined) {
      made = {};
      this.#byRule.set(by, made);
    }
    const trust = decision.trust ?? 'none';
    made[trust] ??= make(decision);
    return made[trust];
  }
}
