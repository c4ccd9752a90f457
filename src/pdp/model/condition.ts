import { type Condition, isOwnKey, type Pattern } from './rule.ts';
import { type Trust, weaker } from './trust.ts';

/**
 * What a condition means, for everybody who reads rules one by one. `decide` does not: it finds rules by an index of
 * its own, and is compared with what stands here. So nothing here may read that index, nor the index this.
 */

/** [OP1] */
export function matches({ match, value: wanted }: Pattern, value: string): boolean {
  if (match === 'exact') return value === wanted;
  return match === 'prefix' ? value.startsWith(wanted) : value === wanted || value.startsWith(`${wanted}/`);
}

/** Whether every value that the second pattern matches is matched by the first. */
export function contains(wide: Pattern, narrow: Pattern): boolean {
  if (wide.match === 'exact' && narrow.match !== 'exact') return false;
  // All that starts with `a` is more than `a` and what is below it.
  if (wide.match === 'under' && narrow.match === 'prefix') return narrow.value.startsWith(`${wide.value}/`);
  return matches(wide, narrow.value);
}

/** Whether a value matches one of the patterns; those who ask often bring a way that counts what it costs. */
export type MatchesOne = (patterns: readonly Pattern[], value: string) => boolean;

export const matchesOne: MatchesOne = (patterns, value) =>
  patterns.some((pattern) => matches(pattern, value));

/** [SRC10] A condition over values that are there. */
export function holdsFor(
  { op, values }: Pick<Condition, 'op' | 'values'>,
  present: readonly string[],
  one = matchesOne,
): boolean {
  if (op === 'exists' || op === 'notExists') return op === 'exists';
  return present.some((value) => one(values, value)) === (op === 'in');
}

/** [UNK3] */
export function holdsForNothing({ op }: Pick<Condition, 'op'>): boolean {
  return op === 'notIn' || op === 'notExists';
}

/** [UNK4] The least trust that a condition asks for in a world where its rule has an effect. */
export function floorOf(condition: Condition, allows: boolean, siteFloor: Trust): Trust | undefined {
  if (condition.side === 'destination' && isOwnKey(condition.key)) return undefined;
  if (condition.floor !== undefined) return condition.floor;
  if (!allows) return undefined;
  return condition.side === 'destination' ? weaker(siteFloor, 'configured') : siteFloor;
}
