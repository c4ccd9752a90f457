import { limits } from '../../pdp/model/limits.ts';
import { isForbiddenKey, stringFault } from './characters.ts';
import { losesDigits } from './faults.ts';
import type { Findings } from './finding.ts';
import { findJsonFaults } from './json-faults.ts';
import { scanJson, skipSpace } from './json-scan.ts';
import { leastSpace } from './json-space.ts';

/** Whether a text begins as only JSON objects and arrays, and YAML's flow collections, do. */
export function looksLikeJson(text: string, start: number, end: number): boolean {
  const first = text[skipSpace(text, start, end)];
  return first === '{' || first === '[';
}

const encoder = new TextEncoder();
/** A byte order mark is a unit of the text as well. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Of so short a text no value takes much room, however deep it nests. */
const shortText = 131_072;

/**
 * The value of a JSON text. `JSON.parse` keeps silent about repeated keys and lost digits, so its result is counted
 * against the text, and only where they differ the slow reader looks for places. Undefined: no JSON; a lenient caller
 * tries YAML, a strict one (`strict`, for files called `.json`) has findings. Whoever has the text as bytes gives them.
 */
export function readJson(
  text: string,
  start: number,
  end: number,
  strict: boolean,
  findings: Findings,
  bytes?: Uint8Array,
): { readonly value: unknown } | undefined {
  const own = text.slice(start, end);
  const early = own.length <= shortText ? parse(own) : undefined;
  if (early !== undefined && leastSpace(early.value) === own.length) return early;
  const all = bytes ?? encoder.encode(own);
  const shape = scanJson(all);
  if (shape.tooDeep || shape.tooMany) {
    if (!strict) return undefined;
    const message = shape.tooDeep
      ? `nesting deeper than ${limits.nesting} levels`
      : `more than ${limits.jsonValues} values`;
    const offset = start + decoder.decode(all.subarray(0, shape.at)).length;
    findings.add({ path: [], code: 'limit', message, offset });
    return undefined;
  }
  const read = early ?? parse(own);
  if (read === undefined) {
    if (strict) findJsonFaults(text, start, end, findings);
    return undefined;
  }
  const census: Census = { keys: 0, escapes: own.includes('\\') };
  if (!isClean(read.value, census) || census.keys !== shape.keys) findJsonFaults(text, start, end, findings);
  return read;
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

interface Census {
  keys: number;
  /** Only an escape can put into a string what the text itself may not hold. */
  readonly escapes: boolean;
}

/** Depth is bounded by the scan before. */
function isClean(value: unknown, census: Census): boolean {
  if (typeof value === 'string') return isCleanString(value, census.escapes);
  if (typeof value === 'number') return !losesDigits(value);
  if (value === null || typeof value !== 'object') return true;
  if (Array.isArray(value)) {
    for (const item of value) if (!isClean(item, census)) return false;
    return true;
  }
  const fields = value as Record<string, unknown>;
  for (const key in fields) {
    census.keys++;
    if (isForbiddenKey(key) || !isCleanString(key, census.escapes)) return false;
    if (!isClean(fields[key], census)) return false;
  }
  return true;
}

function isCleanString(text: string, escapes: boolean): boolean {
  if (!escapes && text.length * 3 <= limits.stringBytes) return true;
  return stringFault(text) === undefined;
}
