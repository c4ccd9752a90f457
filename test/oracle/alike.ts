import type { Random } from './random.ts';

/**
 * The index knows a value by its length and its last units, and compares texts before anything follows from that. So a
 * request is asked a second time with values of which some are others, alike in both.
 */
export function alike(random: Random, request: unknown): unknown {
  if (typeof request !== 'object' || request === null) return request;
  const { source, destination, ...rest } = request as Record<string, Record<string, unknown> | undefined>;
  return {
    ...rest,
    ...(source && { source: changed(random, source, ['spiffeId', 'tags', 'attributes']) }),
    ...(destination && { destination: changed(random, destination, ['attributes']) }),
  };
}

function changed(random: Random, side: Record<string, unknown>, keys: readonly string[]): unknown {
  const copy = { ...side };
  for (const key of keys) if (copy[key] !== undefined) copy[key] = value(random, copy[key], key);
  return copy;
}

function value(random: Random, from: unknown, key: string): unknown {
  if (typeof from === 'string') return isText(key) && random.chance(0.3) ? text(random, from) : from;
  if (Array.isArray(from)) return from.map((one) => value(random, one, key));
  if (typeof from !== 'object' || from === null) return from;
  return Object.fromEntries(Object.entries(from).map(([name, one]) => [name, value(random, one, name)]));
}

/** What else stands in a value that is given with its trust is no value. */
function isText(key: string): boolean {
  return key !== 'trust' && key !== 'unknown' && key !== 'pods';
}

function text(random: Random, from: string): string {
  const begin = from.startsWith('spiffe://') ? 9 : 0;
  if (from.length < begin + 3) return from;
  const at = begin + random.below(from.length - begin - 2);
  return `${from.slice(0, at)}${from[at] === 'x' ? 'y' : 'x'}${from.slice(at + 1)}`;
}
