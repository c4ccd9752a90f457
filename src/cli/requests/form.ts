import { limits } from '../../pdp/model/limits.ts';
import { isBlank } from './values.ts';

/** How requests follow one another in a stream. */
export type Form = 'lines' | 'values' | 'array';

const ascii = { newline: 10, quote: 34, open: 91, backslash: 92, close: 93, left: 123, right: 125 };

interface Value {
  /** Offset after its last byte; undefined if it does not end in what was read. */
  readonly end?: number;
  /** A string runs over the end of its line, which JSON does not have. */
  readonly broken: boolean;
  readonly lines: number;
}

function firstValue(head: Uint8Array, start: number): Value {
  let depth = 0;
  let lines = 1;
  let string = false;
  for (let i = start; i < head.length; i++) {
    const byte = head[i]!;
    if (byte === ascii.newline) {
      if (string) return { broken: true, lines };
      lines++;
    } else if (string) {
      if (byte === ascii.backslash) i++;
      else if (byte === ascii.quote) string = false;
    } else if (byte === ascii.quote) string = true;
    else if (byte === ascii.left || byte === ascii.open) depth++;
    else if (byte === ascii.right || byte === ascii.close) {
      depth--;
      if (depth === 0) return { end: i + 1, broken: false, lines };
    }
  }
  return { broken: false, lines };
}

function isObject(text: string): boolean {
  if (!text.trimStart().startsWith('{')) return false;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object';
  } catch {
    return false;
  }
}

function anyAfterFirst(text: string, test: (line: string) => boolean): boolean {
  return text.split('\n').slice(1).some(test);
}

/**
 * The form of a stream that begins with `head`; undefined if more of it must be seen. As much as one
 * request may be long is looked at, so that a long stream is never held to find out what it is.
 */
export function formOf(head: Uint8Array, ended: boolean): Form | undefined {
  const last = ended || head.length > limits.requestLineBytes;
  const start = head.findIndex((byte) => !isBlank(byte));
  if (start < 0) return last ? 'lines' : undefined;
  const first = head[start];
  if (first !== ascii.left && first !== ascii.open) return 'lines';
  const value = firstValue(head, start);
  if (value.broken) return 'lines';
  const text = Buffer.from(head.subarray(start)).toString('utf8');
  if (first === ascii.open) {
    if (value.end === undefined) {
      if (!ended) return last ? 'array' : undefined;
      return anyAfterFirst(text, isObject) ? 'lines' : 'array';
    }
    if (value.lines > 1) return 'array';
    if (head.subarray(value.end).some((byte) => !isBlank(byte))) return 'lines';
    return last ? 'array' : undefined;
  }
  if (value.end !== undefined) {
    if (value.lines === 1) return 'lines';
    const whole = Buffer.from(head.subarray(start, value.end)).toString('utf8');
    return isObject(whole) || !anyAfterFirst(text, (line) => line.startsWith('{')) ? 'values' : 'lines';
  }
  if (value.lines === 1) return last ? 'lines' : undefined;
  // The first line is unfinished. If the second is a request by itself, the first is a broken one;
  // else it is the first line of a request written over several.
  const second = text.split('\n', 3);
  if (second.length === 3 && isObject(second[1]!)) return 'lines';
  if (!last) return undefined;
  return anyAfterFirst(text, (line) => line.startsWith('{')) ? 'lines' : 'values';
}
