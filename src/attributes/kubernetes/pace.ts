import type { ReflectorOptions } from './reflector.ts';

/** Below this the marks of the server are too rare. Milliseconds. */
export const leastStaleness = 15_000;

const most = { probe: 10_000, watch: 300_000, retry: 30_000 } as const;

/** What a watch lasts at least, since the server marks its place two seconds before the end. */
const leastWatch = 5_000;

/**
 * How often to ask the server how far it is, and to take a watch up anew, so that what is known is not older than
 * wanted while nothing is wrong, and is soon known again where something was. In a watch without events the server
 * marks its place once a minute, and before the watch ends: where that is too rare, watches are shorter.
 */
export function paceFor(maxStaleness: number): Required<Pick<ReflectorOptions, 'probe' | 'watch' | 'retry'>> {
  return {
    probe: Math.min(most.probe, maxStaleness / 6),
    watch: Math.min(most.watch, Math.max(leastWatch, maxStaleness / 3)),
    retry: Math.min(most.retry, maxStaleness / 3),
  };
}
