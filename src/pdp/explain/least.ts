/** What one key can be: which denies fall by it, a bit for each, and what that costs. */
export interface Way {
  readonly falls: number;
  readonly cost: number;
}

/** The least cost at which each set of denies falls, by keys that can each be one thing: a number for each set. */
export type Least = Float64Array;

/** Sums for one answer: a bound where denies have conditions on very many keys. */
const mostSums = 10_000_000;

/**
 * What denies cost at least, which ends a search as soon as it has found that. It is exact, since no key depends on
 * another: the least of all keys is that of all but one, with the last one added. Some keys may stay as they are, which
 * is a way of theirs; those that may not are chosen in their order, and there is an answer for each number of them that
 * are chosen already. Undefined where there is too much to sum up.
 */
export function leastOf(
  denies: number,
  staying: readonly (readonly Way[])[],
  chosen: readonly (readonly Way[])[],
): readonly Least[] | undefined {
  const sets = 2 ** denies;
  const [some, others] = [staying.map(cheapest), chosen.map(cheapest)];
  const ways = [...some, ...others].reduce((sum, { length }) => sum + length, 0);
  if (ways * sets > mostSums) return undefined;
  let least = new Float64Array(sets).fill(Number.POSITIVE_INFINITY);
  least[0] = 0;
  for (const key of some) least = withKey(least, key);
  const found = [least];
  for (const key of others.toReversed()) {
    least = withKey(least, key);
    found.unshift(least);
  }
  return found;
}

function cheapest(ways: readonly Way[]): readonly Way[] {
  const kept = new Map<number, Way>();
  for (const way of ways)
    if (way.cost < (kept.get(way.falls)?.cost ?? Number.POSITIVE_INFINITY)) kept.set(way.falls, way);
  return [...kept.values()];
}

function withKey(before: Least, ways: readonly Way[]): Float64Array<ArrayBuffer> {
  const least = new Float64Array(before.length).fill(Number.POSITIVE_INFINITY);
  for (const { falls, cost } of ways) {
    for (let set = 0; set < least.length; set++) {
      const sum = (before[set & ~falls] as number) + cost;
      if (sum < (least[set] as number)) least[set] = sum;
    }
  }
  return least;
}
