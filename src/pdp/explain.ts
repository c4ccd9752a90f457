import { decisionOf, refused } from './explain-decision.ts';
import { type ExplainedRule, explainRules } from './explain-rules.ts';
import type { Decision } from './model/decision.ts';
import type { Inventory } from './model/inventory.ts';
import type { Channel, Request } from './model/request.ts';
import type { Rule } from './model/rule.ts';
import { viewOf } from './view.ts';

export type { ExplainedCondition, ExplainedRule, Outcome } from './explain-rules.ts';
export type { Cause, Truth } from './seen.ts';

export interface Explanation {
  readonly decision: Decision;
  /** Rules that nothing known of the destination keeps away from it, by tier, then in policy order. */
  readonly rules: readonly ExplainedRule[];
}

/** The verdict by the slow way, and what every rule that could apply saw. */
export function explain(
  rules: readonly Rule[],
  inventory: Inventory,
  snapshot: string,
  request: Request,
  channel: Channel,
): Explanation {
  const view = viewOf(request, inventory, channel);
  if ('guard' in view) return { decision: refused(view, snapshot), rules: [] };
  const decision = decisionOf(rules, view, snapshot, request.at);
  return { decision, rules: explainRules(rules, view) };
}
