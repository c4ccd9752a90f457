import type { Tier } from '../model/rule.ts';

export interface Standing {
  readonly tier: Tier | null;
  /** Whether it is known that it matches. */
  readonly isSure: boolean;
}

/**
 * [LST1] Of the matching items of a list, the strongest first, the one that counts: the first, or a ban that stands below
 * defaults of which it is not known that they match.
 */
export function countingOf<T>(items: readonly T[], standing: (item: T) => Standing): T | undefined {
  const next = items.find((item) => {
    const { tier, isSure } = standing(item);
    return tier !== 4 || isSure;
  });
  return next !== undefined && standing(next).tier === 2 ? next : items[0];
}
