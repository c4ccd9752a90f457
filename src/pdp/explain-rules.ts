import { isFor, mayGovern, type Read, readAll, tierIn, type World, weigh } from './evaluate.ts';
import { byOf } from './explain-decision.ts';
import type { By } from './model/decision.ts';
import { effectOf, type Operator, type Pattern, type Rule, type Side, type Tier } from './model/rule.ts';
import type { Trust } from './model/trust.ts';
import { type Cause, causeOf, type Truth } from './seen.ts';
import type { View } from './view.ts';

export type Outcome = 'matches' | 'matches-unknown' | 'no';

export interface ExplainedRule {
  readonly id: string;
  readonly by: By;
  readonly kind: string;
  /** Null: never enforced. */
  readonly tier: Tier | null;
  readonly shadow: Tier;
  /** `matches-unknown`: a deny that holds because something is not known. */
  readonly outcome: Outcome;
  readonly shadowOutcome: Outcome;
  /** The ordered list that the rule is an item of. */
  readonly list?: string;
  /** Why it does not count although its conditions may hold. */
  readonly because?: string;
  readonly conditions: readonly ExplainedCondition[];
}

export interface ExplainedCondition {
  readonly side: Side;
  readonly key: string;
  readonly op: Operator;
  /** `x` is the value itself, `x*` whatever begins with it, `x[/…]` itself and everything below it. */
  readonly values: readonly string[];
  /** As the rule's enforced effect reads it; as its shadow effect does, where it is never enforced. */
  readonly truth: Truth;
  readonly seen: readonly string[];
  /** Where what was seen, or is missing, would come from. */
  readonly from: string;
  readonly trust?: Trust;
  /** The least trust that the condition asks for. */
  readonly floor?: Trust;
  /** Why the condition is unknown. */
  readonly cause?: Cause;
  /** The workloads that share the identity and differ. */
  readonly pods?: readonly string[];
}

/** Rules that nothing known of the destination keeps away, by tier, then in policy order. */
export function explainRules(rules: readonly Rule[], view: View): ExplainedRule[] {
  const strongest = {
    enforced: strongestOf(rules, view, 'enforced'),
    shadow: strongestOf(rules, view, 'shadow'),
  };
  return rules
    .filter((rule) => (rule.origin.kind !== 'MeshTrafficPermission' || view.inbound) && isFor(rule, view))
    .map((rule) => explainRule(rule, view, strongest))
    .sort((a, b) => (a.tier ?? a.shadow) - (b.tier ?? b.shadow));
}

type Strongest = ReadonlyMap<string, Rule>;

/** Of each list the strongest item that matches. */
function strongestOf(rules: readonly Rule[], view: View, world: World): Strongest {
  const found = new Map<string, Rule>();
  for (const rule of rules) {
    if (rule.list === undefined || outcomeIn(rule, view, world) === 'no') continue;
    const before = found.get(rule.list.id)?.list;
    if (before === undefined || before.strength < rule.list.strength) found.set(rule.list.id, rule);
  }
  return found;
}

function outcomeIn(rule: Rule, view: View, world: World): Outcome {
  const tier = tierIn(rule, world);
  if (tier === null) return 'no';
  const { matches, reads } = weigh(rule, tier, view);
  if (!matches) return 'no';
  return reads.some(({ truth }) => truth === 'unknown') ? 'matches-unknown' : 'matches';
}

function explainRule(rule: Rule, view: View, strongest: Record<World, Strongest>): ExplainedRule {
  const because = becauseOf(rule, view, strongest.enforced);
  return {
    id: rule.id,
    by: byOf(rule),
    kind: rule.origin.kind,
    tier: rule.tier,
    shadow: rule.shadow,
    outcome: outcomeIn(rule, view, 'enforced'),
    shadowOutcome: outcomeIn(rule, view, 'shadow'),
    ...(rule.list === undefined ? {} : { list: rule.list.id }),
    ...(because === undefined ? {} : { because }),
    conditions: readAll(rule, rule.tier ?? rule.shadow, view).map(explainRead),
  };
}

function becauseOf(rule: Rule, view: View, strongest: Strongest): string | undefined {
  const { tier, list } = rule;
  if (tier === null) return 'its policy is in force in the shadow world only';
  if (!mayGovern(rule, tier, view) && effectOf(tier) === 'allow') {
    return 'at this inbound access policies only deny, unless the mesh says accessPolicies: full';
  }
  const winner = list === undefined ? undefined : strongest.get(list.id);
  if (winner === undefined || list === undefined || (winner.list?.strength ?? 0) <= list.strength)
    return undefined;
  return `a stronger item of its list matches: ${winner.id}`;
}

function explainRead({ condition, seen, floor, truth }: Read): ExplainedCondition {
  const { side, key, op, values } = condition;
  return {
    side,
    key,
    op,
    values: values.map(showPattern),
    truth,
    seen: seen.is === 'value' ? seen.values : seen.is === 'either' ? seen.options : [],
    from: seen.from,
    ...('trust' in seen && seen.trust !== undefined ? { trust: seen.trust } : {}),
    ...(floor === undefined || !('trust' in seen) ? {} : { floor }),
    ...(truth === 'unknown' ? { cause: causeOf(seen, floor) } : {}),
    ...(seen.is === 'unknown' && seen.pods !== undefined ? { pods: seen.pods } : {}),
  };
}

export function showPattern({ match, value }: Pattern): string {
  if (match === 'prefix') return `${value}*`;
  return match === 'under' ? `${value}[/…]` : value;
}
