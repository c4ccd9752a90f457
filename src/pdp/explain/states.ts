import { neverPresent } from '../model/aliases.ts';
import { matches } from '../model/condition.ts';
import { isOfSite } from '../model/of-site.ts';
import type { PatternWork } from '../model/pattern-work.ts';
import { type Condition, keys, type Pattern, type Side } from '../model/rule.ts';
import { type Trust, trustRank } from '../model/trust.ts';
import { alternatives, mostPatterns } from './alternatives.ts';
import { evaluate, type Truth } from './evaluate.ts';
import type { Anew, Seen } from './seen.ts';
import type { Step, Wanted } from './steps.ts';

/** A condition of a rule that is looked at, and the floor it has there. */
export interface Demand {
  /** What says the key, by side and key: mostly itself. */
  readonly id: string;
  readonly condition: Condition;
  readonly floor: Trust | undefined;
}

/** What a key could be instead, and what that costs: a need weighs more than any number of changes. */
export interface State {
  readonly seen: Seen;
  readonly cost: number;
  /** Not given: as it is. */
  readonly step?: Omit<Step, 'words'>;
}

export function idOf(side: Side, key: string): string {
  return `${side} ${key}`;
}

export function placeOf(id: string): [Side, string] {
  const end = id.indexOf(' ');
  return [id.slice(0, end) as Side, id.slice(end + 1)];
}

const needCost = 1000;

const keysOfIdentity: readonly string[] = [
  keys.spiffeId,
  keys.trustDomain,
  keys.k8sNamespace,
  keys.k8sServiceAccount,
  keys.mesh,
  keys.k8sPod,
];

function needOf(side: Side, key: string): Step['need'] {
  if (side === 'request') return 'change';
  // Another destination is another question, and its site is no less one of its own.
  if (side === 'destination') return isOfSite(key) ? 'site' : 'change';
  if (keysOfIdentity.includes(key) || key.startsWith(keys.tag)) return 'identity';
  return isOfSite(key) ? 'site' : 'change';
}

/** Whether nothing that is said or believed changes it. */
function isFixed(side: Side, key: string, seen: Seen): boolean {
  return neverPresent(key, side) || seen.cause === 'not-shown' || seen.cause === 'section-not-given';
}

/** Whether it is as it is, and could only be known better: another destination is another question. */
function isGiven(side: Side, seen: Seen): boolean {
  return side === 'destination' && seen.state !== 'unknown' && seen.anyNamespace !== true;
}

/** Means nothing once the work is done. */
export function truthOf({ condition, floor }: Demand, seen: Seen, work: PatternWork): Truth {
  work.spend(1);
  return evaluate(condition, seen, floor, (patterns, value) =>
    work.some(patterns, value, true, (pattern) => matches(pattern, value)),
  ).truth;
}

/**
 * One state for each way in which all demands on a key can come out, the cheapest first. This is exact: which patterns
 * a value matches depends on the longest prefix among them that it starts with, unless it is one of the values written.
 * Some are left out where the work is done before.
 */
export function statesOf(
  side: Side,
  key: string,
  see: (side: Side, key: string) => Seen,
  demands: readonly Demand[],
  anew: Anew,
  work: PatternWork,
): State[] {
  const states: State[] = [];
  const seen = see(side, key);
  if (!isFixed(side, key, seen)) {
    const need = needOf(side, key);
    const floor = highestFloor(demands);
    states.push(...raised(side, key, need, seen, floor));
    const others = isGiven(side, seen) ? [] : alternatives(side, key, seen, patternsOf(demands), anew);
    for (const { seen: other, to } of others) {
      // What is not believed from here stays so, unless it comes from elsewhere; that nothing is there is believed.
      const elsewhere = anew.most === undefined && need === 'change' && other.state === 'known';
      if (elsewhere) {
        const enough = floor === undefined ? {} : { trust: floor };
        const step = { need: 'trust', believed: false, side, key, to } as const;
        states.push({ seen: { ...other, ...enough }, cost: needCost, step });
        continue;
      }
      const step = { need, side, key, ...(need === 'change' ? { to } : {}) };
      states.push({ seen: other, cost: need === 'change' ? 1 : needCost, step });
      states.push(...raised(side, key, need, other, floor, to));
    }
  }
  const outcomeOf = (seenBy: (demand: Demand) => Seen): string => {
    const truths = demands.map((demand) => truthOf(demand, seenBy(demand), work));
    return [...truths, ...demands.slice(0, anew.identifies ? 1 : 0).map((one) => seenBy(one).state)].join(
      ' ',
    );
  };
  const kept = new Map<string, State>();
  const asIs = outcomeOf(({ condition }) => see(condition.side, condition.key));
  for (const state of states) {
    const outcome = outcomeOf(() => state.seen);
    if (work.done) break;
    if (outcome === asIs) continue;
    const other = kept.get(outcome);
    if (other === undefined || state.cost < other.cost) kept.set(outcome, state);
  }
  return [...kept.values()].sort((a, b) => a.cost - b.cost);
}

/** The same, known better, where that is asked for. */
function raised(
  side: Side,
  key: string,
  need: Step['need'],
  seen: Seen,
  floor: Trust | undefined,
  to?: Wanted,
): State[] {
  const has = seen.trust;
  if (floor === undefined || has === undefined || seen.state === 'unknown') return [];
  if (trustRank[has] >= trustRank[floor]) return [];
  const kind = need === 'change' || isGiven(side, seen) ? 'trust' : need;
  const more = kind === 'trust' ? { counts: has, ...(to === undefined ? {} : { to }) } : {};
  const step = { need: kind, side, key, trust: floor, ...more };
  return [{ seen: { ...seen, trust: floor }, cost: needCost + (to === undefined ? 0 : 1), step }];
}

function highestFloor(demands: readonly Demand[]): Trust | undefined {
  const floors = demands.flatMap(({ floor }) => (floor === undefined ? [] : [floor]));
  return floors.sort((a, b) => trustRank[b] - trustRank[a])[0];
}

function patternsOf(demands: readonly Demand[]): Pattern[] {
  const patterns: Pattern[] = [];
  for (const { condition } of demands) {
    if (patterns.length >= mostPatterns) break;
    patterns.push(...condition.values.slice(0, mostPatterns - patterns.length));
  }
  return patterns;
}
