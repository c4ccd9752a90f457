/**
 * Exact values are known by fingerprints, which need no table: a look-up in one waits for three or four lines of memory
 * that the parser of the request has just pushed out of the cache, and most values are looked at only to find that they
 * are others than asked for. What a fingerprint says to be equal is compared as text, see `Reading.settle`.
 */

const none = -1;
const prime = 0x9e37_79b1;
/** No symbol's code. Fingerprints are below it, codes that are numbers of symbols above. */
export const noCode = none;

/** Values of an attribute with this tail have fingerprints in common, and are told apart by looking them up. */
export const interned = -1;

/** How many of the last units are enough; the first of these with which all values of an attribute differ is taken. */
const tails = [2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 48, 64, 128, 1024, 65_536];

// Both are loops that nothing is called from: to see that a function is still the same takes as long as what it does.

export function fingerprint(text: string, tail: number): number {
  const length = text.length;
  let hash = length ^ tail;
  let at = length > tail ? length - tail : 0;
  for (; at + 4 <= length; at += 4) {
    const two = text.charCodeAt(at) | (text.charCodeAt(at + 1) << 8);
    const four = two | (text.charCodeAt(at + 2) << 16) | (text.charCodeAt(at + 3) << 24);
    hash = Math.imul(hash ^ four, prime);
    // Products carry upwards only: what is above goes below before the next.
    hash ^= hash >>> 15;
  }
  for (; at < length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), prime);
  hash = (hash ^ (hash >>> 15)) | 0x8000_0000;
  return hash === none ? none - 1 : hash;
}

/** The same of a text of ASCII that stands between two places. */
export function fingerprintAt(bytes: DataView, from: number, to: number, tail: number): number {
  const length = to - from;
  let hash = length ^ tail;
  let at = (length > tail ? to - tail : from) | 0;
  for (; at + 4 <= to; at += 4) {
    hash = Math.imul(hash ^ bytes.getInt32(at, true), prime);
    hash ^= hash >>> 15;
  }
  for (; at < to; at++) hash = Math.imul(hash ^ bytes.getUint8(at), prime);
  hash = (hash ^ (hash >>> 15)) | 0x8000_0000;
  return hash === none ? none - 1 : hash;
}

export function tailFor(values: readonly string[]): number {
  return tails.find((tail) => differ(values, tail)) ?? interned;
}

function differ(values: readonly string[], tail: number): boolean {
  const seen = new Set<number>();
  return values.every((text, i) => seen.add(fingerprint(text, tail)).size > i);
}
