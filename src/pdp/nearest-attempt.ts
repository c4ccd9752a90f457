import { isFor, mayGovern, readAll } from './evaluate.ts';
import { limits } from './model/limits.ts';
import { type Condition, effectOf, keys, type Rule } from './model/rule.ts';
import { failingOf } from './nearest-allow.ts';
import { fixedBecause, needsTrust } from './nearest-keys.ts';
import type { Need } from './nearest-miss.ts';
import {
  blockersOf,
  demand,
  demandsOfAllow,
  greedy,
  nameOf,
  type Problem,
  Search,
  type Slots,
} from './nearest-search.ts';
import type { View } from './view.ts';

/** How far one gets towards an allow, with the inbound as the request has it or with one that is named. */
export interface Attempt {
  readonly section: string | undefined;
  readonly problem: Problem;
  /** What the allow itself needs. */
  readonly start: Slots;
  readonly needs: readonly Need[];
  /** What gets past the denies too. */
  readonly slots: Slots | undefined;
  readonly exact: boolean;
}

export function attempt(rules: readonly Rule[], view: View, allow: Rule, section?: string): Attempt {
  const needs: Need[] = [];
  const required = view.speaksHttp ? [shown(keys.method), shown(keys.path)] : [];
  const asks = { view, allow, rules: [], required };
  let start: Slots = new Map();
  for (const { side, key } of [
    ...failingOf(allow, view).map(({ condition }) => condition),
    ...missing(required, view),
  ]) {
    if (start.has(nameOf({ side, key })) || needs.some((need) => need.side === side && need.key === key))
      continue;
    const next = demandAll(asks, start, side, key);
    if (typeof next === 'string') needs.push({ side, key, what: next });
    else start = next;
  }
  const problem = { ...asks, ...withoutNeeded(rules, allow, needs, view) };
  if (!isFor(allow, view)) return { section, problem, start, needs, slots: undefined, exact: true };
  return { section, problem, start, needs, ...solved(problem, start) };
}

function solved(problem: Problem, start: Slots): Pick<Attempt, 'slots' | 'exact'> {
  if (blockersOf(problem, start).length <= limits.exactDenies) {
    const search = new Search(problem);
    const slots = search.smallest(start);
    if (!search.exhausted) return { slots, exact: true };
  }
  return { slots: greedy(problem, start), exact: false };
}

function shown(key: string): Condition {
  return { side: 'request', key, op: 'exists', values: [] };
}

function missing(required: readonly Condition[], view: View): Condition[] {
  return required.filter(({ side, key }) => view.see(side, key).is !== 'value');
}

function demandAll(asks: Problem, start: Slots, side: Condition['side'], key: string): Slots | string {
  const fixed = fixedBecause(side, key, asks.view);
  if (fixed !== undefined) return fixed;
  const demands = demandsOfAllow(asks, side, key);
  const [first] = demands;
  const next = first === undefined ? undefined : demand(asks, start, first);
  if (next !== undefined) return next;
  const trust = needsTrust(key, asks.view.see(side, key), demands);
  return trust ? 'needs a better trusted value' : 'no value meets all that the allow asks of it';
}

/**
 * The rules that can matter: denies that no fixed key keeps away, and allows that none keeps away either. What
 * another identity would do is not known, so the allow is taken without what it needs of it, and denies that read
 * the same keys are left out.
 */
function withoutNeeded(
  rules: readonly Rule[],
  allow: Rule,
  needs: readonly Need[],
  view: View,
): Pick<Problem, 'rules' | 'allow'> {
  const needed = new Set(needs.map(nameOf));
  const taken =
    needed.size === 0 ? allow : { ...allow, when: allow.when.filter((one) => !needed.has(nameOf(one))) };
  const left = rules.flatMap((rule) => {
    if (rule === allow) return [taken];
    const { tier } = rule;
    if (tier === null || !mayGovern(rule, tier, view) || !isFor(rule, view)) return [];
    if (rule.when.some((one) => needed.has(nameOf(one)))) return [];
    const allows = effectOf(tier) === 'allow';
    const kept = readAll(rule, tier, view).every(({ condition, truth }) => {
      if (allows ? truth === 'true' : truth !== 'false') return true;
      return fixedBecause(condition.side, condition.key, view) === undefined;
    });
    return kept ? [rule] : [];
  });
  return { rules: left, allow: taken };
}
