import {
  floorOf,
  inOrder,
  mayMatch,
  type Sight,
  standing,
  tierIn,
  type Weighed,
  winnerOf,
} from './evaluate.ts';
import { limits } from './model/limits.ts';
import { type Condition, effectOf, type Rule, type Side, type Tier } from './model/rule.ts';
import { type Demand, fixedBecause, witnessOf } from './nearest-keys.ts';
import { type Seen, truthOf } from './seen.ts';
import type { View } from './view.ts';

/** One key that is changed, what its new value must do, and a value that does it. */
export interface Slot {
  readonly side: Side;
  readonly key: string;
  readonly demands: readonly Demand[];
  readonly witness: Seen;
}

/** Changed keys by name. Never changed in place. */
export type Slots = ReadonlyMap<string, Slot>;

/** An allow that is to hold, what is seen, and the rules that can matter however the changeable keys are changed. */
export interface Problem {
  readonly view: View;
  readonly allow: Rule;
  readonly rules: readonly Rule[];
  /** Conditions that the allow's changed keys must meet beside its own. */
  readonly required: readonly Condition[];
}

export function nameOf({ side, key }: { readonly side: Side; readonly key: string }): string {
  return `${side} ${key}`;
}

export function seenWith(view: View, slots: Slots): Sight {
  return {
    inbound: view.inbound,
    full: view.full,
    siteFloor: view.siteFloor,
    see: (side, key) => slots.get(nameOf({ side, key }))?.witness ?? view.see(side, key),
  };
}

/** Adds a demand; a key that is changed from here on must go on meeting the allow. Undefined: nothing meets all. */
export function demand(problem: Problem, slots: Slots, added: Demand): Slots | undefined {
  const { side, key } = added.condition;
  const { view } = problem;
  if (fixedBecause(side, key, view) !== undefined) return undefined;
  const before = slots.get(nameOf(added.condition))?.demands ?? demandsOfAllow(problem, side, key);
  const demands = [...before, added];
  const witness = witnessOf(key, view.see(side, key), demands);
  if (witness === undefined) return undefined;
  return new Map(slots).set(nameOf(added.condition), { side, key, demands, witness });
}

export function demandsOfAllow({ allow, required, view }: Problem, side: Side, key: string): Demand[] {
  return [...allow.when, ...required]
    .filter((condition) => condition.side === side && condition.key === key)
    .map((condition) => ({ condition, floor: floorOf(condition, true, view.siteFloor), want: 'true' }));
}

/** What the deny that decides is, if one does. */
export function blocker({ view, rules }: Problem, slots: Slots): Weighed | undefined {
  const winner = winnerOf(standing(rules, seenWith(view, slots), 'enforced'));
  return winner !== undefined && effectOf(winner.tier) === 'deny' ? winner : undefined;
}

/**
 * The smallest set of changed keys that gets the allow past every deny, from what the allow itself needs. Each deny
 * that decides is made false by one of its conditions, or put out by an allow that goes before it; whatever solution
 * there is makes one of these choices, so none is missed.
 */
export class Search {
  /** Whether it ended before all was tried. */
  exhausted = false;
  #steps = 0;
  readonly #problem: Problem;

  constructor(problem: Problem) {
    this.#problem = problem;
  }

  smallest(start: Slots): Slots | undefined {
    for (let extra = 0; extra <= limits.exactDenies && !this.exhausted; extra++) {
      const found = this.#from(start, extra);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #from(slots: Slots, extra: number): Slots | undefined {
    this.#steps += 1 + this.#problem.rules.length;
    if (this.#steps > limits.nearestMissSteps) this.exhausted = true;
    if (this.exhausted) return undefined;
    const deny = blocker(this.#problem, slots);
    if (deny === undefined) return slots;
    for (const next of choices(this.#problem, slots, deny)) {
      const left = extra - (next.size - slots.size);
      const found = left < 0 ? undefined : this.#from(next, left);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** The ways around one deny, those first that change no further key. */
export function choices(problem: Problem, slots: Slots, deny: Weighed): Slots[] {
  const found: Slots[] = [];
  for (const { condition, floor } of deny.reads) {
    const next = demand(problem, slots, { condition, floor, want: 'false' });
    if (next !== undefined) found.push(next);
  }
  for (const rule of problem.rules) {
    const next = goesBefore(rule, deny) ? made(problem, slots, rule) : undefined;
    if (next !== undefined) found.push(next);
  }
  return found.sort((a, b) => a.size - b.size);
}

function goesBefore(rule: Rule, deny: Weighed): boolean {
  const tier = tierIn(rule, 'enforced');
  if (tier === null || effectOf(tier) === 'deny') return false;
  const { list } = deny.rule;
  const stronger = list !== undefined && rule.list?.id === list.id && rule.list.strength > list.strength;
  return stronger || tier < deny.tier;
}

/** Another allow made to match. */
function made(problem: Problem, slots: Slots, rule: Rule): Slots | undefined {
  const { siteFloor } = problem.view;
  if (mayMatch(rule, rule.tier as Tier, seenWith(problem.view, slots))) return undefined;
  let next: Slots | undefined = slots;
  for (const condition of inOrder(rule.when)) {
    if (next === undefined) return undefined;
    const floor = floorOf(condition, true, siteFloor);
    const seen = seenWith(problem.view, next).see(condition.side, condition.key);
    const holds = truthOf(condition, seen, floor) === 'true';
    if (holds && !next.has(nameOf(condition))) continue;
    next = demand(problem, next, { condition, floor, want: 'true' });
  }
  return next;
}

/** One deny after the other by the choice that leaves fewest behind; not always the smallest set. */
export function greedy(problem: Problem, start: Slots): Slots | undefined {
  let slots = start;
  for (let round = 0; round < limits.greedyRounds; round++) {
    const deny = blocker(problem, slots);
    if (deny === undefined) return slots;
    let best: Slots | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (const next of choices(problem, slots, deny)) {
      const left = blockersOf(problem, next).length + (next.size - slots.size) / 2;
      if (left < fewest) [best, fewest] = [next, left];
    }
    if (best === undefined) return undefined;
    slots = best;
  }
  return undefined;
}

/** Every deny that matches and would decide before the allow, by tier and in policy order. */
export function blockersOf({ view, rules, allow }: Problem, slots: Slots): Weighed[] {
  const { list, tier } = allow;
  return standing(rules, seenWith(view, slots), 'enforced')
    .filter((one) => effectOf(one.tier) === 'deny')
    .filter((one) => one.tier < (tier as Tier) || (list !== undefined && one.rule.list?.id === list.id))
    .sort((a, b) => a.tier - b.tier);
}
