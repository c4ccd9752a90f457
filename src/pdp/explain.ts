import { evaluate, type Truth } from './explain/evaluate.ts';
import type { NearestMiss } from './explain/miss.ts';
import { nearestMiss } from './explain/nearest.ts';
import type { Cause } from './explain/seen.ts';
import { byOf, evidenceOf, type Weighed, type World, weigh, worldOf } from './explain/verdict.ts';
import { type Guard, type View, viewOf } from './explain/view.ts';
import { floorOf } from './model/condition.ts';
import { type By, type Decision, type Reason, refusal } from './model/decision.ts';
import type { Inventory } from './model/inventory.ts';
import type { Channel, Request } from './model/request.ts';
import { type Condition, effectOf, keys, type Rule, type Tier } from './model/rule.ts';
import type { Trust } from './model/trust.ts';

/**
 * Why a request is decided as it is. The verdict is found anew here, by reading each rule's conditions one by one:
 * slow and obvious. It shares no way of matching with the index that `decide` looks into; names and texts come out of the
 * same tables.
 */

export type { Step } from './explain/steps.ts';

export interface ExplainedCondition {
  readonly side: Condition['side'];
  readonly key: string;
  readonly op: Condition['op'];
  readonly values: Condition['values'];
  readonly floor?: Trust;
  readonly truth: Truth;
  /** The values seen; none if absent or unknown. */
  readonly seen: readonly string[];
  /** Where that was seen or looked for, in words. */
  readonly from: string;
  readonly trust?: Trust;
  readonly since?: number;
  /** Why it is unknown. */
  readonly cause?: Cause;
  /** In the shadow world, where it is otherwise: an allow asks for trust, and a deny need not (UNK4). */
  readonly shadowTruth?: Truth;
  /** Why it is unknown there. */
  readonly shadowCause?: Cause;
  /** Who shares the identity, where that is why. */
  readonly pods?: readonly string[];
}

export interface ExplainedRule {
  readonly id: string;
  readonly by: By;
  /** Null if it is never enforced. */
  readonly tier: Tier | null;
  readonly shadowTier: Tier;
  /** `matches-unknown`: a deny that holds because nothing says it does not. */
  readonly outcome: Weighed['outcome'];
  readonly shadowOutcome: Weighed['outcome'];
  readonly decides?: true;
  readonly decidesShadow?: true;
  /** The id of the stronger item of its list that counts instead. */
  readonly overruledBy?: string;
  /** An AccessPolicy's allow, at an inbound of a mesh where only its denies count. */
  readonly barred?: true;
  readonly conditions: readonly ExplainedCondition[];
}

export interface Explanation {
  readonly decision: Decision;
  /** Rules that could apply: no condition on the destination is known to be false. In policy order. */
  readonly rules: readonly ExplainedRule[];
  /** What denied before any rule, and what to give. */
  readonly guard?: Guard;
  /** The same of the shadow world alone. */
  readonly shadowGuard?: Guard;
  /** For what rules denied: what would have been allowed. Not there where no allow governs the destination. */
  readonly nearestMiss?: NearestMiss;
}

type Found = ReturnType<typeof evaluate>;

/** A rule that governs the destination, in both worlds. */
interface Pair {
  readonly rule: Rule;
  readonly enforced: Weighed | undefined;
  readonly shadow: Weighed | undefined;
}

/** Rules come in policy order, then by position. */
export function explain(
  rules: Iterable<Rule>,
  inventory: Inventory,
  snapshot: string,
  request: Request,
  channel: Channel,
): Explanation {
  const view = viewOf(request, inventory, channel);
  if (view.guard !== undefined) {
    const { reason, keys: about } = view.guard;
    const more = about === undefined ? {} : { keys: about };
    return { decision: { ...refusal(reason, snapshot), ...more }, rules: [], guard: view.guard };
  }
  const { floor } = inventory.site;
  const pairs: Pair[] = [];
  // Where the destination's namespace is not known, others can come to govern.
  const placed = view.see('destination', keys.namespace).state !== 'unknown';
  const possible: Rule[] = [];
  for (const rule of rules) {
    const enforced = weigh(rule, rule.tier, view, floor);
    const shadow = rule.tier === rule.shadow ? enforced : weigh(rule, rule.shadow, view, floor);
    const governs = enforced !== undefined || shadow !== undefined;
    if (governs) pairs.push({ rule, enforced, shadow });
    if (governs || !placed) possible.push(rule);
  }
  const ambiguous = view.ambiguity !== undefined;
  const enforced = worldOf(present(pairs.map((pair) => pair.enforced)), ambiguous);
  const shadow = worldOf(present(pairs.map((pair) => pair.shadow)), ambiguous);
  const decision = decisionOf(enforced, shadow, snapshot, request.at);
  const explained = pairs.map((pair) => explainedRule(pair, enforced, shadow, view, floor));
  if (enforced.ambiguous) return { decision, rules: explained, guard: ambiguousPath(view) };
  const there = shadow.ambiguous ? { shadowGuard: ambiguousPath(view) } : {};
  if (decision.decision === 'allow') return { decision, rules: explained, ...there };
  const miss = nearestMiss(possible, inventory, request, channel);
  return { decision, rules: explained, ...there, ...(miss === undefined ? {} : { nearestMiss: miss }) };
}

function present(weighed: readonly (Weighed | undefined)[]): Weighed[] {
  return weighed.filter((one) => one !== undefined);
}

function ambiguousPath(view: View): Guard {
  return {
    reason: 'ambiguous-path',
    message: `a rule here reads paths, and this one can be read in more than one way: ${view.ambiguity}`,
    hint: 'give the path as the server will read it',
  };
}

function decisionOf(enforced: World, shadow: World, snapshot: string, at: number | undefined): Decision {
  const shadowTier = shadow.decider?.tier ?? null;
  const would = {
    shadow: shadowTier === null ? 'deny' : effectOf(shadowTier),
    shadowBy: shadow.decider === undefined ? null : byOf(shadow.decider.rule),
  } as const;
  if (enforced.ambiguous) return { ...refusal('ambiguous-path', snapshot), ...would };
  const { decider } = enforced;
  if (decider === undefined || decider.tier === null) return { ...refusal('default', snapshot), ...would };
  const { trust, since, unknown, shared } = evidenceOf(decider);
  const because: Reason = shared ? 'shared-identity' : 'unknown-attribute';
  return {
    decision: effectOf(decider.tier),
    tier: decider.tier,
    by: byOf(decider.rule),
    ...would,
    reason: unknown.length === 0 ? 'rule' : because,
    trust,
    snapshot,
    ...(unknown.length === 0 ? {} : { keys: unknown }),
    ...(at === undefined || since === undefined ? {} : { age: at - since }),
  };
}

function explainedRule(
  pair: Pair,
  enforced: World,
  shadow: World,
  view: View,
  siteFloor: Trust,
): ExplainedRule {
  const { rule } = pair;
  const { barred } = (pair.enforced ?? pair.shadow) as Weighed;
  // A rule does not govern in a world where it ends at a condition that is false; here all are shown, of both worlds.
  const inWorld = (tier: Tier, condition: Condition) =>
    evaluate(
      condition,
      view.see(condition.side, condition.key),
      floorOf(condition, effectOf(tier) === 'allow', siteFloor),
    );
  const overruledBy = enforced.overruled.get(rule.id);
  return {
    id: rule.id,
    by: byOf(rule),
    tier: rule.tier,
    shadowTier: rule.shadow,
    outcome: pair.enforced?.outcome ?? 'no',
    shadowOutcome: pair.shadow?.outcome ?? 'no',
    ...(enforced.decider?.rule === rule ? { decides: true } : {}),
    ...(shadow.decider?.rule === rule ? { decidesShadow: true } : {}),
    ...(overruledBy === undefined ? {} : { overruledBy }),
    ...(barred ? { barred: true } : {}),
    conditions: rule.when.map((condition) =>
      explainedCondition(
        condition,
        inWorld(rule.tier ?? rule.shadow, condition),
        inWorld(rule.shadow, condition),
      ),
    ),
  };
}

function explainedCondition(condition: Condition, { truth, seen }: Found, shadow: Found): ExplainedCondition {
  const { side, key, op, values, floor } = condition;
  const differs = shadow.truth !== truth || shadow.seen.cause !== seen.cause;
  const { trust, since, cause, pods } = seen;
  return {
    side,
    key,
    op,
    values,
    ...(floor === undefined ? {} : { floor }),
    truth,
    seen: seen.values,
    from: seen.from,
    ...(trust === undefined ? {} : { trust }),
    ...(since === undefined ? {} : { since }),
    ...(cause === undefined ? {} : { cause }),
    ...(pods === undefined ? {} : { pods }),
    ...(differs ? { shadowTruth: shadow.truth } : {}),
    ...(differs && shadow.seen.cause !== undefined ? { shadowCause: shadow.seen.cause } : {}),
  };
}
