/** How far a value can be believed, strongest first (decision 003). */
export const trustLevels = ['attested', 'configured', 'observed', 'reported', 'asserted'] as const;
export type Trust = (typeof trustLevels)[number];

/** Higher is stronger, so that a floor is met by `rank(value) >= rank(floor)`. */
export const trustRank: Readonly<Record<Trust, number>> = {
  attested: 4,
  configured: 3,
  observed: 2,
  reported: 1,
  asserted: 0,
};

export function isTrust(value: unknown): value is Trust {
  return typeof value === 'string' && Object.hasOwn(trustRank, value);
}

export function weaker(a: Trust, b: Trust): Trust {
  return trustRank[a] <= trustRank[b] ? a : b;
}

export function stronger(a: Trust, b: Trust): Trust {
  return trustRank[a] >= trustRank[b] ? a : b;
}

/** The one that has a rank. */
export function trustAt(rank: number): Trust {
  return trustLevels[trustLevels.length - 1 - rank] as Trust;
}
