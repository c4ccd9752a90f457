import { floorOf } from '../model/condition.ts';
import type { By } from '../model/decision.ts';
import { pushTo } from '../model/lists.ts';
import { type Condition, effectOf, isForInbounds, keys, type Rule, type Tier } from '../model/rule.ts';
import { type Trust, weaker } from '../model/trust.ts';
import { countingOf } from './counting.ts';
import { evaluate, type Truth } from './evaluate.ts';
import type { Seen } from './seen.ts';
import type { View } from './view.ts';

/** What one rule comes to in one world. */
export interface Weighed {
  readonly rule: Rule;
  /** The tier it has in this world; null if it is not in force there. */
  readonly tier: Tier | null;
  readonly conditions: readonly {
    readonly condition: Condition;
    readonly truth: Truth;
    readonly seen: Seen;
  }[];
  readonly outcome: 'matches' | 'matches-unknown' | 'no';
  /** [DST2] An AccessPolicy's allow at an inbound where only its denies count. */
  readonly barred: boolean;
}

export type See = View['see'];

/** Undefined if the rule does not govern the destination: DST1, or a destination condition that is known to be false. */
export function weigh(
  rule: Rule,
  tier: Tier | null,
  view: View,
  siteFloor: Trust,
  see: See = view.see,
): Weighed | undefined {
  const inbounds = isForInbounds(rule);
  if (inbounds && view.destination?.inbounds === undefined) return undefined;
  const allows = effectOf(tier ?? rule.shadow) === 'allow';
  const conditions: Weighed['conditions'][number][] = [];
  let outcome: Weighed['outcome'] = 'matches';
  for (const condition of rule.when) {
    const seen = see(condition.side, condition.key);
    const found = evaluate(condition, seen, floorOf(condition, allows, siteFloor));
    if (condition.side === 'destination' && found.truth === 'false') return undefined;
    conditions.push({ condition, ...found });
    if (found.truth === 'false' || (found.truth === 'unknown' && allows)) outcome = 'no';
    else if (found.truth === 'unknown' && outcome === 'matches') outcome = 'matches-unknown';
  }
  const barred = allows && !inbounds && view.destination?.full === false;
  return { rule, tier, conditions, outcome: barred || tier === null ? 'no' : outcome, barred };
}

/** The verdict of one world over the rules that govern, in policy order. */
export interface World {
  readonly ambiguous: boolean;
  readonly decider?: Weighed;
  /** By rule id: the stronger item of the same list that counts instead (LST1). */
  readonly overruled: ReadonlyMap<string, string>;
}

export function worldOf(governing: readonly Weighed[], ambiguous: boolean): World {
  const lists = new Map<string, Weighed[]>();
  for (const weighed of governing) {
    const { list } = weighed.rule;
    if (list !== undefined && weighed.outcome !== 'no') pushTo(lists, list.id, weighed);
  }
  const counting = new Map([...lists].map(([id, items]) => [id, countingItem(items)]));
  const overruled = new Map<string, string>();
  let decider: Weighed | undefined;
  for (const weighed of governing) {
    if (weighed.outcome === 'no' || weighed.tier === null) continue;
    const { list, id } = weighed.rule;
    const winner = list === undefined ? undefined : counting.get(list.id)?.rule.id;
    if (winner !== undefined && winner !== id) overruled.set(id, winner);
    else if (decider === undefined || weighed.tier < (decider.tier as Tier)) decider = weighed;
  }
  // PATH3: over the rules in force in this world.
  const reads = governing.some(
    ({ tier, barred, rule }) => tier !== null && !barred && rule.when.some(readsPath),
  );
  if (ambiguous && reads) return { ambiguous: true, overruled };
  return { ambiguous: false, overruled, ...(decider === undefined ? {} : { decider }) };
}

function countingItem(items: readonly Weighed[]): Weighed | undefined {
  const strength = ({ rule }: Weighed) => rule.list?.strength ?? 0;
  const strongestFirst = items.toSorted((a, b) => strength(b) - strength(a));
  return countingOf(strongestFirst, ({ tier, outcome }) => ({ tier, isSure: outcome === 'matches' }));
}

function readsPath({ side, key }: Condition): boolean {
  return side === 'request' && key === keys.path;
}

/** [TIER3] [UNK5] What the deciding rule knew, and what it did not. */
export function evidenceOf({ conditions }: Weighed): {
  readonly trust: Trust | null;
  readonly since?: number;
  readonly unknown: readonly string[];
  readonly shared: boolean;
} {
  let trust: Trust | null = null;
  let since: number | undefined;
  const unknown = new Set<string>();
  let shared = true;
  for (const { condition, truth, seen } of conditions) {
    if (truth === 'unknown') {
      unknown.add(condition.key);
      if (seen.cause !== 'shared-identity') shared = false;
    } else if (condition.side === 'source' && seen.state === 'known') {
      if (seen.trust !== undefined) trust = trust === null ? seen.trust : weaker(trust, seen.trust);
      if (seen.since !== undefined) since = Math.min(since ?? seen.since, seen.since);
    }
  }
  return { trust, unknown: [...unknown].sort(), shared, ...(since === undefined ? {} : { since }) };
}

export function failingOf({ conditions }: Weighed): number {
  return conditions.filter(({ truth }) => truth !== 'true').length;
}

export function byOf({ origin }: Rule): By {
  const { policy, kri, effect, index } = origin;
  return { policy, kri, effect, index };
}
