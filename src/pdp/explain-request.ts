import { decisionOf, refused } from './explain-decision.ts';
import { type ExplainedRule, explainRules } from './explain-rules.ts';
import type { Decision } from './model/decision.ts';
import type { Inventory } from './model/inventory.ts';
import type { Channel, Request } from './model/request.ts';
import type { Rule } from './model/rule.ts';
import { nearestMiss } from './nearest.ts';
import { guardMiss } from './nearest-guard.ts';
import type { NearestMiss } from './nearest-miss.ts';
import { viewOf } from './view.ts';

export type { ExplainedCondition, ExplainedRule, Outcome } from './explain-rules.ts';
export type { Change, NearestMiss, Need, StandingDeny } from './nearest-miss.ts';
export type { Cause, Truth } from './seen.ts';

export interface Explanation {
  readonly decision: Decision;
  /** Rules that nothing known of the destination keeps away from it, by tier, then in policy order. */
  readonly rules: readonly ExplainedRule[];
  /** Only where the request is denied. */
  readonly nearestMiss?: NearestMiss;
}

/** The verdict by the slow way, what every rule that could apply saw, and what would lead to an allow. */
export function explain(
  rules: readonly Rule[],
  inventory: Inventory,
  snapshot: string,
  request: Request,
  channel: Channel,
): Explanation {
  const view = viewOf(request, inventory, channel);
  if ('guard' in view) {
    const { guard, keys = [] } = view;
    return { decision: refused(view, snapshot), rules: [], nearestMiss: guardMiss(guard, keys, request) };
  }
  const decision = decisionOf(rules, view, snapshot, request.at);
  const explained = explainRules(rules, view);
  if (decision.decision === 'allow') return { decision, rules: explained };
  const miss =
    decision.reason === 'ambiguous-path'
      ? guardMiss('ambiguous-path', [], request)
      : nearestMiss(rules, inventory, request, channel);
  return { decision, rules: explained, ...(miss === undefined ? {} : { nearestMiss: miss }) };
}
