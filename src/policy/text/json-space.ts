import { limits } from '../../pdp/model/limits.ts';
import { isForbiddenKey } from './characters.ts';

/**
 * How many units JSON needs for a value, if nothing is spelt longer than it has to be; `NaN` where that is not said
 * so easily. A text of just so many units has no repeated key, no escape, no lost digit and no space: each of them
 * makes it longer, and nothing makes it shorter. Machines write such texts, and need not be read a second time.
 */
export function leastSpace(value: unknown, depth = 0): number {
  if (typeof value === 'string') return stringSpace(value);
  if (typeof value === 'number') return numberSpace(value);
  if (value === null) return 4;
  if (typeof value !== 'object') return value === true ? 4 : 5;
  if (depth === limits.nesting) return Number.NaN;
  // A comma behind each, but for the last.
  let space = 1;
  if (Array.isArray(value)) {
    for (const item of value) space += leastSpace(item, depth + 1) + 1;
    return space === 1 ? 2 : space;
  }
  const fields = value as Readonly<Record<string, unknown>>;
  for (const key in fields) {
    if (isForbiddenKey(key)) return Number.NaN;
    const field = fields[key];
    const own = typeof field === 'string' ? stringSpace(field) : leastSpace(field, depth + 1);
    space += stringSpace(key) + own + 2;
  }
  return space === 1 ? 2 : space;
}

function stringSpace(text: string): number {
  return text.length * 3 <= limits.stringBytes ? text.length + 2 : Number.NaN;
}

/** An exponent takes less room than three zeros, and only then than what it stands for. */
function numberSpace(value: number): number {
  if (!Number.isSafeInteger(value) || (value % 1_000 === 0 && value !== 0)) return Number.NaN;
  return String(value).length;
}
