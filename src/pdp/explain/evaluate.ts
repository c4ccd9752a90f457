import type { Condition, Pattern } from '../model/rule.ts';
import { type Trust, trustRank, weaker } from '../model/trust.ts';
import type { Seen } from './seen.ts';

export type Truth = 'true' | 'false' | 'unknown';

/** [OP1] */
export function matches({ match, value: wanted }: Pattern, value: string): boolean {
  if (match === 'exact') return value === wanted;
  return match === 'prefix' ? value.startsWith(wanted) : value === wanted || value.startsWith(`${wanted}/`);
}

/** Whether a value matches one of the patterns; those who ask often bring a way that counts what it costs. */
export type MatchesOne = (patterns: readonly Pattern[], value: string) => boolean;

const matchesOne: MatchesOne = (patterns, value) => patterns.some((pattern) => matches(pattern, value));

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
  if (condition.floor !== undefined) return condition.floor;
  if (!allows) return undefined;
  return condition.side === 'destination' ? weaker(siteFloor, 'configured') : siteFloor;
}

/** [UNK1] [UNK2] What a condition comes to, and what was seen: below the floor nothing is known. */
export function evaluate(
  condition: Pick<Condition, 'op' | 'values'>,
  seen: Seen,
  floor: Trust | undefined,
  one = matchesOne,
): { readonly truth: Truth; readonly seen: Seen } {
  if (seen.possible !== undefined) return { truth: amongPossible(condition, seen.possible, one), seen };
  if (seen.state === 'unknown') return { truth: 'unknown', seen };
  if (floor !== undefined && seen.trust !== undefined && trustRank[seen.trust] < trustRank[floor]) {
    return { truth: 'unknown', seen: { ...seen, cause: 'below-floor' } };
  }
  if (seen.anyNamespace === true) {
    const [name = ''] = seen.values;
    const placed = values(condition).filter((value) => value.endsWith(`/${name}`));
    const truth = amongPossible(condition, [[name], ...placed.map((value) => [value, name])], one);
    return truth === 'unknown' ? { truth, seen: { ...seen, cause: 'namespace-not-given' } } : { truth, seen };
  }
  const holds = seen.state === 'known' ? holdsFor(condition, seen.values, one) : holdsForNothing(condition);
  return { truth: holds ? 'true' : 'false', seen };
}

function values({ values }: Pick<Condition, 'values'>): readonly string[] {
  return values.map(({ value }) => value);
}

/** [DST5] Known only where it is the same whichever is meant. */
function amongPossible(
  condition: Pick<Condition, 'op' | 'values'>,
  possible: NonNullable<Seen['possible']>,
  one: MatchesOne,
): Truth {
  const truths = new Set(possible.map((values) => holdsFor(condition, values, one)));
  if (truths.size > 1) return 'unknown';
  const [holds = holdsForNothing(condition)] = truths;
  return holds ? 'true' : 'false';
}
