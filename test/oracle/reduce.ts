/** Makes a failing case small: leaves out whatever it fails without. */

type Json = unknown;

/** Bounded, since each try opens the documents anew. */
const mostTries = 4_000;

export function reduce<T extends object>(failing: T, fails: (candidate: T) => boolean): T {
  let best = structuredClone(failing);
  let tries = 0;
  let smaller = true;
  while (smaller && tries < mostTries) {
    smaller = false;
    for (const path of partsOf(best)) {
      if (tries++ >= mostTries) break;
      const candidate = without(best, path);
      if (candidate === undefined || !survives(candidate, fails)) continue;
      best = candidate;
      smaller = true;
      break;
    }
  }
  return best;
}

function survives<T>(candidate: T, fails: (candidate: T) => boolean): boolean {
  try {
    return fails(candidate);
  } catch {
    return false;
  }
}

/** Every field and entry below, the big ones first. */
function partsOf(value: Json, path: readonly (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [];
  const parts: (string | number)[][] = [];
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  for (const key of keys) parts.push([...path, key]);
  for (const key of keys)
    parts.push(...partsOf((value as Record<string | number, Json>)[key], [...path, key]));
  return parts;
}

function without<T>(value: T, path: readonly (string | number)[]): T | undefined {
  const copy = structuredClone(value);
  let here = copy as Record<string | number, Json>;
  for (const part of path.slice(0, -1)) {
    const next = here[part];
    if (typeof next !== 'object' || next === null) return undefined;
    here = next as Record<string | number, Json>;
  }
  const last = path.at(-1)!;
  if (Array.isArray(here)) here.splice(Number(last), 1);
  else delete here[last];
  return copy;
}
