/** A-Z to a-z and nothing else: host names are compared as DNS and Envoy do, not as Unicode folds. */
export function asciiLower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Longer words are not spelling mistakes of a name; the bound keeps the work small for hostile input. */
const longest = 64;

/**
 * The known word that is meant by a misspelt one, for "did you mean". Case counts only among words that are as near
 * without it; ties by code unit order.
 */
export function nearest(got: string, known: Iterable<string>): string | undefined {
  if (got.length > longest) return undefined;
  const folded = got.toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(got.length / 3)) + 1;
  for (const word of known) {
    if (word.length > longest || Math.abs(word.length - got.length) >= bestDistance + 1) continue;
    const lower = word.toLowerCase();
    const distance = editDistance(folded, lower);
    const isTie = distance === bestDistance && best !== undefined;
    if (distance < bestDistance || (isTie && isNearer(got, word, best!))) {
      best = word;
      bestDistance = distance;
    }
  }
  return best;
}

function isNearer(got: string, word: string, best: string): boolean {
  const [own, other] = [editDistance(got, word), editDistance(got, best)];
  return own < other || (own === other && word < best);
}

/** Insertions, deletions, replacements and swaps of neighbours that lead from one word to the other. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const line = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(above[column - 1]! + (same ? 0 : 1), above[column]! + 1, line[column - 1]! + 1);
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) cost = Math.min(cost, before[column - 2]! + 1);
      line.push(cost);
    }
    before = above;
    above = line;
  }
  return above[b.length]!;
}

/** Compares by code unit, so that no locale has a say. */
export function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** What was thrown, in words: it need not be an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Keys that reach an object's prototype in careless code; nothing has a field of these names. */
export const forbiddenKeys = ['__proto__', 'prototype', 'constructor'] as const;
