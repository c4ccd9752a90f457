import type { By } from '../../pdp/model/decision.ts';
import type { Rule } from '../../pdp/model/rule.ts';
import type { Outcome } from './run.ts';

export interface Coverage {
  readonly rules: number;
  readonly exercised: number;
  /** Whole percent, rounded down: 100 is all of them. No rules at all are all of them. */
  readonly percent: number;
  readonly missing: readonly Rule[];
}

/** A rule is exercised if it decided some case, in the enforced or in the shadow world. */
export function coverageOf(
  rules: readonly Rule[],
  outcomes: readonly Outcome[],
  find: (by: By) => Rule | undefined,
): Coverage {
  const seen = new Set<Rule>();
  for (const { decision } of outcomes) {
    for (const by of [decision.by, decision.shadowBy]) {
      const rule = by === null ? undefined : find(by);
      if (rule) seen.add(rule);
    }
  }
  const missing = rules.filter((rule) => !seen.has(rule));
  const exercised = rules.length - missing.length;
  const percent = rules.length === 0 ? 100 : Math.floor((100 * exercised) / rules.length);
  return { rules: rules.length, exercised, percent, missing };
}
