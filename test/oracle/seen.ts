import type { Pattern } from '../../src/pdp/model/rule.ts';
import type { Trust } from '../../src/pdp/model/trust.ts';
import type { TwinCondition } from './rule.ts';

/** What one side of a request is seen to have under a key, and what that makes of a condition. */

export type Seen =
  | { is: 'value'; values: readonly string[]; trust: Trust | undefined; since?: number | undefined }
  | { is: 'absent'; trust: Trust | undefined }
  /** One of several, and nobody said which (DST5). */
  | { is: 'either'; options: readonly (readonly string[])[] }
  /** A route of whatever namespace (DST8). */
  | { is: 'somewhere'; name: string }
  | { is: 'unknown'; because: 'missing' | 'shared-identity' };

export type Truth = 'true' | 'false' | 'unknown';

const weakestFirst: readonly Trust[] = ['asserted', 'reported', 'observed', 'configured', 'attested'];

export function isBelow(trust: Trust, floor: Trust): boolean {
  return weakestFirst.indexOf(trust) < weakestFirst.indexOf(floor);
}

export function weakerOf(a: Trust, b: Trust): Trust {
  return isBelow(a, b) ? a : b;
}

/** [UNK2] [UNK3] [SRC10] */
export function truthOf(condition: TwinCondition, seen: Seen, floor: Trust | undefined): Truth {
  if (seen.is === 'unknown') return 'unknown';
  if (seen.is === 'either') {
    const truths = seen.options.map((values) =>
      truthOf(condition, { is: 'value', values, trust: undefined }, floor),
    );
    if (truths.length === 0) return condition.op === 'in' || condition.op === 'exists' ? 'false' : 'true';
    return truths.every((truth) => truth === truths[0]) ? truths[0]! : 'unknown';
  }
  if (seen.is === 'somewhere') {
    const wanted = condition.values.map(({ value }) => value);
    if (wanted.includes(seen.name)) return 'true';
    return wanted.some((value) => value.split('/')[1] === seen.name) ? 'unknown' : 'false';
  }
  if (floor !== undefined && seen.trust !== undefined && isBelow(seen.trust, floor)) return 'unknown';
  const { op } = condition;
  if (seen.is === 'absent') return op === 'notIn' || op === 'notExists' ? 'true' : 'false';
  if (op === 'exists') return 'true';
  if (op === 'notExists') return 'false';
  let one = false;
  for (const value of seen.values) {
    for (const pattern of condition.values) if (matches(pattern, value)) one = true;
  }
  if (op === 'in') return one ? 'true' : 'false';
  return one ? 'false' : 'true';
}

/** [OP1] */
function matches(pattern: Pattern, value: string): boolean {
  if (pattern.match === 'exact') return value === pattern.value;
  if (pattern.match === 'prefix') return value.startsWith(pattern.value);
  return value === pattern.value || value.startsWith(`${pattern.value}/`);
}
