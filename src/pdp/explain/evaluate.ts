import { holdsFor, holdsForNothing, type MatchesOne } from '../model/condition.ts';
import type { Condition } from '../model/rule.ts';
import { type Trust, trustRank } from '../model/trust.ts';
import type { Seen } from './seen.ts';

export type Truth = 'true' | 'false' | 'unknown';

/** [UNK1] [UNK2] What a condition comes to, and what was seen: below the floor nothing is known. */
export function evaluate(
  condition: Pick<Condition, 'op' | 'values'>,
  seen: Seen,
  floor: Trust | undefined,
  one?: MatchesOne,
): { readonly truth: Truth; readonly seen: Seen } {
  if (seen.possible !== undefined) return { truth: amongPossible(condition, seen.possible, one), seen };
  if (seen.state === 'unknown') return { truth: 'unknown', seen };
  if (floor !== undefined && seen.trust !== undefined && trustRank[seen.trust] < trustRank[floor]) {
    return { truth: 'unknown', seen: { ...seen, cause: 'below-floor' } };
  }
  if (seen.open !== undefined) return { truth: seen.open.truth(condition, one), seen };
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
  one: MatchesOne | undefined,
): Truth {
  const truths = new Set(possible.map((values) => holdsFor(condition, values, one)));
  if (truths.size > 1) return 'unknown';
  const [holds = holdsForNothing(condition)] = truths;
  return holds ? 'true' : 'false';
}
