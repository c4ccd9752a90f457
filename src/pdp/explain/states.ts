import { neverPresent } from '../model/aliases.ts';
import { matches } from '../model/condition.ts';
import { isOfSite } from '../model/of-site.ts';
import { normalisePath } from '../model/path.ts';
import type { PatternWork } from '../model/pattern-work.ts';
import { type Condition, keys, type Pattern, type Side } from '../model/rule.ts';
import { isSpiffeId } from '../model/spiffe-id.ts';
import { type Trust, trustRank } from '../model/trust.ts';
import { evaluate, type Truth } from './evaluate.ts';
import type { Seen } from './seen.ts';
import type { Step, Wanted } from './steps.ts';

/** A condition of a rule that is looked at, and the floor it has there. */
export interface Demand {
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

export const needCost = 1000;
/** Patterns of one key that are tried; with more, what is found need not be the least. */
export const mostPatterns = 256;

const identityKeys: readonly string[] = [
  keys.spiffeId,
  keys.trustDomain,
  keys.k8sNamespace,
  keys.k8sServiceAccount,
  keys.mesh,
  keys.k8sPod,
];

function needOf(side: Side, key: string): Step['need'] {
  if (side !== 'source') return 'change';
  if (identityKeys.includes(key) || key.startsWith(keys.tag)) return 'identity';
  return isOfSite(key) ? 'site' : 'change';
}

/** What stands whatever the requester does: another destination is another question. */
function isFixed(side: Side, key: string, seen: Seen): boolean {
  if (neverPresent(key, side) || seen.cause === 'not-shown' || seen.cause === 'section-not-given')
    return true;
  return side === 'destination' && seen.state !== 'unknown';
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
  seen: Seen,
  demands: readonly Demand[],
  newTrust: Trust | undefined,
  work: PatternWork,
): State[] {
  const states: State[] = [{ seen, cost: 0 }];
  if (!isFixed(side, key, seen)) {
    const need = needOf(side, key);
    const floor = highestFloor(demands);
    for (const { seen: other, to } of [
      { seen, to: undefined },
      ...alternatives(side, key, seen, demands, newTrust),
    ]) {
      const has = other.trust;
      const raised =
        floor !== undefined && has !== undefined && trustRank[has] < trustRank[floor] ? floor : undefined;
      // What is not believed from here stays so, unless it comes from elsewhere.
      const elsewhere = seen.cause === 'not-trusted-here';
      if (to !== undefined) {
        const kind = need === 'change' && elsewhere ? 'trust' : need;
        const step = { need: kind, side, key, ...(kind === 'identity' || kind === 'site' ? {} : { to }) };
        states.push({ seen: other, cost: kind === 'change' ? 1 : needCost, step });
      }
      if (raised !== undefined && other.state !== 'unknown') {
        const kind = need === 'change' ? 'trust' : need;
        const more = kind === 'trust' && to !== undefined ? { to } : {};
        states.push({
          seen: { ...other, trust: raised },
          cost: needCost + (to === undefined ? 0 : 1),
          step: { need: kind, side, key, trust: raised, ...more },
        });
      }
    }
  }
  const kept = new Map<string, State>();
  for (const state of states) {
    const outcome = demands.map((demand) => truthOf(demand, state.seen, work)).join(' ');
    if (work.done) break;
    const other = kept.get(outcome);
    if (other === undefined || state.cost < other.cost) kept.set(outcome, state);
  }
  return [...kept.values()].sort((a, b) => a.cost - b.cost);
}

function highestFloor(demands: readonly Demand[]): Trust | undefined {
  const floors = demands.flatMap(({ floor }) => (floor === undefined ? [] : [floor]));
  return floors.sort((a, b) => trustRank[b] - trustRank[a])[0];
}

function alternatives(
  side: Side,
  key: string,
  seen: Seen,
  demands: readonly Demand[],
  newTrust: Trust | undefined,
): { seen: Seen; to: Wanted | undefined }[] {
  const patterns: Pattern[] = [];
  for (const { condition } of demands) {
    if (patterns.length >= mostPatterns) break;
    patterns.push(...condition.values.slice(0, mostPatterns - patterns.length));
  }
  const trust = seen.state === 'unknown' ? newTrust : seen.trust;
  const as = (state: 'known' | 'absent', values: readonly string[]): Seen => {
    return { state, values, from: 'supposed', ...(trust === undefined ? {} : { trust }) };
  };
  const found: { seen: Seen; to: Wanted | undefined }[] = [];
  for (const { value, to } of representatives(side, key, patterns)) {
    if (isLegal(side, key, value)) found.push({ seen: as('known', [value]), to });
  }
  const always = side === 'request' && key !== keys.sni;
  if (!always && seen.state !== 'absent') found.push({ seen: as('absent', []), to: { is: 'absent' } });
  return found;
}

/** A value for each set of patterns that some value can match. */
function representatives(
  side: Side,
  key: string,
  patterns: readonly Pattern[],
): { value: string; to: Wanted }[] {
  const fresh = unwritten(patterns);
  const elsewhere = freshOf(side, key, fresh);
  const found: { value: string; to: Wanted }[] = [];
  for (const pattern of patterns) {
    const { match, value } = pattern;
    if (match !== 'exact') {
      const below = match === 'under' ? `${value}/${fresh}` : value + fresh;
      const inside = [below, elsewhere].find((one) => isLegal(side, key, one) && matches(pattern, one));
      if (inside !== undefined) found.push({ value: inside, to: { is: 'within', pattern, except: [] } });
    }
    found.push({ value, to: { is: 'value', value } });
  }
  found.push({ value: elsewhere, to: { is: 'other', than: [] } });
  return found;
}

/** A word that no pattern has in it: `other`, with one x more than any of them has after it. */
function unwritten(patterns: readonly Pattern[]): string {
  let most = -1;
  for (const { value } of patterns) {
    for (const [word] of value.matchAll(/otherx*/gi)) most = Math.max(most, word.length - 'other'.length);
  }
  return `other${'x'.repeat(most + 1)}`;
}

function freshOf(side: Side, key: string, fresh: string): string {
  if (key === keys.spiffeId) return `spiffe://${fresh}/${fresh}`;
  if (side !== 'request') return fresh;
  return key === keys.path ? `/${fresh}` : key === keys.method ? fresh.toUpperCase() : fresh;
}

function isLegal(side: Side, key: string, value: string): boolean {
  if (key === keys.spiffeId) return isSpiffeId(value);
  if (side !== 'request') return true;
  if (key === keys.path) return normalisePath(value) === value;
  return value !== '' && (key === keys.method || value === value.toLowerCase());
}
