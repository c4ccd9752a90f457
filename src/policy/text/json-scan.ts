import { limits } from '../../pdp/model/limits.ts';

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const comma = 0x2c;
const [openBracket, closeBracket] = [0x5b, 0x5d];
const [openBrace, closeBrace] = [0x7b, 0x7d];

export interface JsonShape {
  /** Colons outside strings: as many as keys are written, equal ones counted each. */
  readonly keys: number;
  readonly tooDeep: boolean;
  readonly tooMany: boolean;
  /** The byte at which the bound was met. */
  readonly at: number;
}

/**
 * One pass over bytes that may be JSON, before anything is built from them: depth and number of values are bounded by
 * what is counted here. Bytes, since to read them takes half as long as to read the units of a string.
 */
export function scanJson(bytes: Uint8Array): JsonShape {
  const { nesting, jsonValues } = limits;
  const end = bytes.length;
  let keys = 0;
  let values = 1;
  let depth = 0;
  let at = 0;
  while (at < end) {
    const byte = bytes[at++] as number;
    if (byte === quote) {
      while (at < end) {
        const inside = bytes[at++] as number;
        if (inside === quote) break;
        if (inside === backslash) at++;
      }
    } else if (byte === colon) keys++;
    else if (byte === comma) values++;
    else if (byte === openBracket || byte === openBrace) {
      values++;
      if (++depth > nesting) return { keys, tooDeep: true, tooMany: false, at: at - 1 };
    } else if (byte === closeBracket || byte === closeBrace) depth--;
    if (values > jsonValues) return { keys, tooDeep: false, tooMany: true, at: at - 1 };
  }
  return { keys, tooDeep: false, tooMany: false, at: end };
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
