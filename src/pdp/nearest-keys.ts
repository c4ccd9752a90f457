import { neverPresent } from './model/aliases.ts';
import { normalisePath } from './model/path.ts';
import { type Condition, keys, type Side } from './model/rule.ts';
import type { Trust } from './model/trust.ts';
import { type Seen, truthOf } from './seen.ts';
import type { View } from './view.ts';

/** Which keys a nearest miss may change at all, and to what. A change is of a value, never of its trust. */

const identityKeys: ReadonlySet<string> = new Set([keys.k8sNamespace, keys.k8sServiceAccount, 'k8s:pod']);

/** Why no change of this key is ever proposed; undefined: it may be. */
export function fixedBecause(side: Side, key: string, view: View): string | undefined {
  const seen = view.see(side, key);
  if (side === 'request') return requestFixed(seen);
  if (side === 'destination') {
    if (seen.is === 'either' || (seen.is === 'unknown' && seen.cause === 'inbound-not-named')) {
      return 'the inbound must be named';
    }
    if (seen.is === 'unknown' && seen.cause === 'no-namespace') return undefined;
    return seen.is === 'unknown' ? 'needs a destination that says more' : 'needs another destination';
  }
  if (neverPresent(key, side)) return 'is never present on this side';
  if (key.startsWith('site:') || key.startsWith('cl:site:') || key === 'cl:fabric')
    return 'needs another site';
  if (identityKeys.has(key) || key.startsWith('spiffe:') || key.startsWith('kuma:'))
    return 'needs another identity';
  if (seen.is === 'unknown' && seen.cause === 'unidentified') return 'needs an identity';
  return view.mayBeSet(key) ? undefined : 'needs another identity';
}

function requestFixed(seen: Seen): string | undefined {
  if (seen.is !== 'unknown' || seen.cause === 'not-shown') return undefined;
  return seen.cause === 'layer-4' ? 'is never shown at this inbound' : 'the inbound must be named';
}

/** What a value must do: make a condition true, or false. */
export interface Demand {
  readonly condition: Condition;
  readonly floor: Trust | undefined;
  readonly want: 'true' | 'false';
}

/** A value, or an absence, that meets all demands; `current` gives its trust. Undefined: there is none. */
export function witnessOf(key: string, current: Seen, demands: readonly Demand[]): Seen | undefined {
  const trust = 'trust' in current && current.trust !== undefined ? { trust: current.trust } : {};
  for (const value of candidates(key, demands)) {
    const seen: Seen =
      value === undefined
        ? { is: 'absent', from: current.from, ...trust }
        : { is: 'value', values: [value], from: current.from, ...trust };
    if (demands.every(({ condition, floor, want }) => truthOf(condition, seen, floor) === want)) return seen;
  }
  return undefined;
}

/** Whether only the trust of what is there stands in the way. */
export function needsTrust(key: string, current: Seen, demands: readonly Demand[]): boolean {
  if (!('trust' in current)) return false;
  return witnessOf(key, { is: 'absent', from: current.from }, demands) !== undefined;
}

/**
 * One value of each class that the demands can tell apart. Whatever a value is, only the longest text of the
 * demands that it begins with matters, and whether it goes on behind it.
 */
function* candidates(key: string, demands: readonly Demand[]): Generator<string | undefined> {
  const texts = new Set<string>();
  for (const { condition } of demands) {
    for (const { match, value } of condition.values) {
      texts.add(value);
      if (match === 'under') texts.add(`${value}/`);
    }
  }
  for (const text of texts) if (isValue(key, text)) yield text;
  for (const text of texts) {
    const longer = goneOn(text, texts);
    if (isValue(key, longer)) yield longer;
  }
  if (mayBeAbsent(key)) yield undefined;
  const fresh = goneOn(key === keys.path ? '/' : '', texts);
  if (isValue(key, fresh)) yield fresh;
}

/** The text with something behind it that leads to no longer text of the set. */
function goneOn(text: string, texts: ReadonlySet<string>): string {
  let more = `${text}other`;
  for (let n = 1; [...texts].some((other) => other.length > text.length && more.startsWith(other)); n++) {
    more = `${text}${n}-other`;
  }
  return more;
}

function isValue(key: string, value: string): boolean {
  if (key === keys.path) return normalisePath(value) === value;
  if (key === keys.sni) return value !== '' && value === value.toLowerCase();
  return value !== '' || !key.startsWith('request:');
}

function mayBeAbsent(key: string): boolean {
  return key !== keys.method && key !== keys.path && key !== keys.namespace;
}
