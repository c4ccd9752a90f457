import { type Condition, effectOf, keys, type Rule, type Side, type Tier } from './model/rule.ts';
import { type Trust, trustRank, weaker } from './model/trust.ts';
import { type Seen, type Truth, truthOf } from './seen.ts';
import type { View } from './view.ts';

/** The slow way to a verdict: every rule, every condition, in order, over text. It shares nothing with the index. */

export type World = 'enforced' | 'shadow';

export function tierIn(rule: Rule, world: World): Tier | null {
  return world === 'enforced' ? rule.tier : rule.shadow;
}

export interface Read {
  readonly condition: Condition;
  readonly seen: Seen;
  readonly floor: Trust | undefined;
  readonly truth: Truth;
}

export interface Weighed {
  readonly rule: Rule;
  readonly tier: Tier;
  readonly matches: boolean;
  readonly reads: readonly Read[];
}

/** SPEC UNK4. Destinations are the operator's to configure, so no more than that is asked of them in general. */
export function floorOf(condition: Condition, allows: boolean, siteFloor: Trust): Trust | undefined {
  if (condition.floor !== undefined) return condition.floor;
  if (!allows) return undefined;
  return condition.side === 'destination' ? weaker(siteFloor, 'configured') : siteFloor;
}

/** SPEC DST1, DST2: whether rules of this kind and effect count at the destination. */
export function mayGovern(rule: Rule, tier: Tier, view: Pick<View, 'inbound' | 'full'>): boolean {
  if (rule.origin.kind === 'MeshTrafficPermission') return view.inbound;
  return view.full || effectOf(tier) === 'deny';
}

const sides: Readonly<Record<Side, number>> = { destination: 0, source: 1, request: 2 };

/** The same however the keys of a selector are written one after the other. */
export function inOrder(conditions: readonly Condition[]): Condition[] {
  const text = ({ key, op, values }: Condition) => JSON.stringify([key, op, values]);
  return [...conditions].sort((a, b) => sides[a.side] - sides[b.side] || (text(a) < text(b) ? -1 : 1));
}

export type Sight = Pick<View, 'see' | 'inbound' | 'full' | 'siteFloor'>;

export function readAll(rule: Rule, tier: Tier, view: Sight): Read[] {
  const allows = effectOf(tier) === 'allow';
  return inOrder(rule.when).map((condition) => {
    const seen = view.see(condition.side, condition.key);
    const floor = floorOf(condition, allows, view.siteFloor);
    return { condition, seen, floor, truth: truthOf(condition, seen, floor) };
  });
}

/** SPEC UNK1: an allow needs all of its conditions true, a deny none that is known to be false. */
export function weigh(rule: Rule, tier: Tier, view: Sight): Weighed {
  const reads = readAll(rule, tier, view);
  const allows = effectOf(tier) === 'allow';
  const holds = reads.every(({ truth }) => (allows ? truth === 'true' : truth !== 'false'));
  return { rule, tier, matches: holds && mayGovern(rule, tier, view), reads };
}

/** The rules that match in a world and are put out by no stronger item of their list (SPEC LST1), in policy order. */
export function standing(rules: readonly Rule[], view: Sight, world: World): Weighed[] {
  const matching: Weighed[] = [];
  const strongest = new Map<string, number>();
  for (const rule of rules) {
    const tier = tierIn(rule, world);
    if (tier === null || !mayMatch(rule, tier, view)) continue;
    const weighed = weigh(rule, tier, view);
    matching.push(weighed);
    const { list } = rule;
    if (list !== undefined)
      strongest.set(list.id, Math.max(list.strength, strongest.get(list.id) ?? list.strength));
  }
  return matching.filter(
    ({ rule: { list } }) => list === undefined || strongest.get(list.id) === list.strength,
  );
}

/** As `weigh`, but over at the first condition that settles it. */
export function mayMatch(rule: Rule, tier: Tier, view: Sight): boolean {
  if (!mayGovern(rule, tier, view)) return false;
  const allows = effectOf(tier) === 'allow';
  return rule.when.every((condition) => {
    const floor = floorOf(condition, allows, view.siteFloor);
    const truth = truthOf(condition, view.see(condition.side, condition.key), floor);
    return allows ? truth === 'true' : truth !== 'false';
  });
}

/** SPEC TIER1, TIER2: the lowest tier, and of that the first. */
export function winnerOf(weighed: readonly Weighed[]): Weighed | undefined {
  let best: Weighed | undefined;
  for (const one of weighed) if (best === undefined || one.tier < best.tier) best = one;
  return best;
}

/** SPEC PATH3: whether a rule that can govern the destination reads paths. */
export function readsPaths(rules: readonly Rule[], view: View, world: World): boolean {
  return rules.some((rule) => {
    const tier = tierIn(rule, world);
    if (tier === null || !mayGovern(rule, tier, view)) return false;
    return rule.when.some(({ key }) => key === keys.path) && isFor(rule, view);
  });
}

/** Whether nothing that is known of the destination keeps the rule away from it. */
export function isFor(rule: Rule, view: Sight): boolean {
  return rule.when.every(
    (condition) =>
      condition.side !== 'destination' ||
      truthOf(condition, view.see('destination', condition.key), condition.floor) !== 'false',
  );
}

/** SPEC TIER3: the weakest trust and the oldest time among the values of the source that were read and known. */
export function evidenceOf({ reads }: Weighed): { trust: Trust | null; since: number | undefined } {
  let trust: Trust | null = null;
  let since: number | undefined;
  for (const { condition, seen, truth } of reads) {
    if (condition.side !== 'source' || truth === 'unknown' || seen.is !== 'value') continue;
    if (seen.trust !== undefined && (trust === null || trustRank[seen.trust] < trustRank[trust]))
      trust = seen.trust;
    if (seen.since !== undefined && (since === undefined || seen.since < since)) since = seen.since;
  }
  return { trust, since };
}
