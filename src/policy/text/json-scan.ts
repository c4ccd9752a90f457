import { limits } from '../../pdp/model/limits.ts';

const quote = 0x22;
const backslash = 0x5c;

export interface JsonShape {
  /** Colons outside strings: as many as keys are written, equal ones counted each. */
  readonly keys: number;
  readonly tooDeep: boolean;
  readonly tooMany: boolean;
  /** Where the bound was met. */
  readonly offset: number;
}

/**
 * One pass over a text that may be JSON, before anything is built from it: depth and number of values are bounded by
 * what is counted here, in constant memory.
 */
export function scanJson(text: string, start: number, end: number): JsonShape {
  let keys = 0;
  let values = 1;
  let depth = 0;
  for (let i = start; i < end; i++) {
    switch (text.charCodeAt(i)) {
      case quote:
        i = closingQuote(text, i, end);
        break;
      case 0x3a: // :
        keys++;
        break;
      case 0x2c: // ,
        values++;
        break;
      case 0x5b: // [
      case 0x7b: // {
        values++;
        if (++depth > limits.nesting) return { keys, tooDeep: true, tooMany: false, offset: i };
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
        break;
    }
    if (values > limits.jsonValues) return { keys, tooDeep: false, tooMany: true, offset: i };
  }
  return { keys, tooDeep: false, tooMany: false, offset: end };
}

/** The offset of the quote that ends the string which starts at `open`, or `end` if none does. */
export function closingQuote(text: string, open: number, end: number): number {
  for (let i = open + 1; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code === backslash) i++;
    else if (code === quote) return i;
  }
  return end;
}

/** The offset behind the value that starts at `at`, in a text that is known to be JSON. */
export function skipValue(text: string, at: number, end: number): number {
  let depth = 0;
  for (let i = at; i < end; i++) {
    switch (text.charCodeAt(i)) {
      case quote:
        i = closingQuote(text, i, end);
        if (depth === 0) return i + 1;
        break;
      case 0x5b:
      case 0x7b:
        depth++;
        break;
      case 0x5d:
      case 0x7d:
        if (depth === 0) return i;
        if (--depth === 0) return i + 1;
        break;
      case 0x2c:
        if (depth === 0) return i;
        break;
    }
  }
  return end;
}

export function skipSpace(text: string, at: number, end: number): number {
  let i = at;
  while (i < end) {
    const code = text.charCodeAt(i);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) break;
    i++;
  }
  return i;
}
