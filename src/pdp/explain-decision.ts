import { evidenceOf, readsPaths, standing, type Weighed, type World, winnerOf } from './evaluate.ts';
import type { By, Decision, Reason } from './model/decision.ts';
import { effectOf, type Rule } from './model/rule.ts';
import { causeOf } from './seen.ts';
import type { Guard, View } from './view.ts';

export function refused({ guard, keys }: Guard, snapshot: string): Decision {
  return { ...nothing(guard), snapshot, ...(keys === undefined ? {} : { keys }) };
}

function nothing(reason: Reason): Omit<Decision, 'snapshot'> {
  return { decision: 'deny', tier: null, by: null, shadow: 'deny', shadowBy: null, reason, trust: null };
}

export function byOf({ origin: { policy, kri, effect, index } }: Rule): By {
  return { policy, kri, effect, index };
}

/** The verdict of both worlds. */
export function decisionOf(
  rules: readonly Rule[],
  view: View,
  snapshot: string,
  at: number | undefined,
): Decision {
  const shadow = deciding(rules, view, 'shadow');
  const enforced = deciding(rules, view, 'enforced');
  const would =
    typeof shadow === 'string'
      ? ({ shadow: 'deny', shadowBy: null } as const)
      : { shadow: effectOf(shadow.tier), shadowBy: byOf(shadow.rule) };
  if (typeof enforced === 'string') return { ...nothing(enforced), ...would, snapshot };
  const { trust, since } = evidenceOf(enforced);
  const unknown = enforced.reads.filter(({ truth }) => truth === 'unknown');
  const age = at === undefined || since === undefined ? {} : { age: at - since };
  return {
    decision: effectOf(enforced.tier),
    tier: enforced.tier,
    by: byOf(enforced.rule),
    ...would,
    reason: reasonOf(unknown),
    trust,
    snapshot,
    ...(unknown.length === 0
      ? {}
      : { keys: [...new Set(unknown.map(({ condition }) => condition.key))].sort() }),
    ...age,
  };
}

function deciding(rules: readonly Rule[], view: View, world: World): Weighed | 'default' | 'ambiguous-path' {
  if (view.ambiguousPath && readsPaths(rules, view, world)) return 'ambiguous-path';
  return winnerOf(standing(rules, view, world)) ?? 'default';
}

/** SPEC UNK5. */
function reasonOf(unknown: Weighed['reads']): Reason {
  if (unknown.length === 0) return 'rule';
  const shared = unknown.every(({ seen, floor }) => causeOf(seen, floor) === 'shared-identity');
  return shared ? 'shared-identity' : 'unknown-attribute';
}
