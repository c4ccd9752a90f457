import { isFor, mayGovern, type Read, readAll } from './evaluate.ts';
import { effectOf, type Rule } from './model/rule.ts';
import type { View } from './view.ts';

export type Failing = Read;

export interface NearestAllow {
  readonly rule: Rule;
  readonly failing: readonly Failing[];
}

/** The allow with the fewest conditions that are not true; of several the first in policy order. */
export function nearestAllow(rules: readonly Rule[], view: View): NearestAllow | undefined {
  let best: NearestAllow | undefined;
  for (const rule of rules) {
    const { tier } = rule;
    if (tier === null || effectOf(tier) === 'deny') continue;
    if (!mayGovern(rule, tier, view) || !isFor(rule, view)) continue;
    const failing = failingOf(rule, view);
    if (best === undefined || failing.length < best.failing.length) best = { rule, failing };
  }
  return best;
}

/** Conditions that do not hold for an allow; unknown is not enough. */
export function failingOf(rule: Rule, view: View): Failing[] {
  return readAll(rule, rule.tier ?? rule.shadow, view).filter(({ truth }) => truth !== 'true');
}
