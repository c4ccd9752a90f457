import { limits } from '../../pdp/model/limits.ts';
import { forbiddenKeys } from '../../pdp/model/text.ts';
import type { ViolationCode } from '../../pdp/model/violation.ts';

/**
 * No text and no string may hold control characters but tab and line breaks, a byte order mark, or half a surrogate
 * pair: they mean nothing in a policy, hide what a reviewer sees and steer the terminal a verdict is printed on.
 */
const control = /[^\P{Cc}\t\n\r]|\ufeff/u;
const loneSurrogate = /\p{Surrogate}/u;

export interface Unwanted {
  readonly offset: number;
  readonly name: string;
}

export function unwantedCharacter(text: string): Unwanted | undefined {
  let offset = text.search(control);
  if (!text.isWellFormed()) {
    const surrogate = text.search(loneSurrogate);
    if (offset === -1 || surrogate < offset) offset = surrogate;
  }
  return offset === -1 ? undefined : { offset, name: nameOf(text.charCodeAt(offset)) };
}

function nameOf(code: number): string {
  const point = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  if (code === 0) return 'NUL';
  if (code === 0xfeff) return 'byte order mark';
  return code >= 0xd800 && code <= 0xdfff ? `half a surrogate pair (${point})` : `control character ${point}`;
}

/** Whether the text has more than `most` bytes in UTF-8, counted only where its length leaves a doubt. */
export function moreBytesThan(text: string, most: number): boolean {
  if (text.length > most) return true;
  if (text.length * 3 <= most) return false;
  return utf8Bytes(text) > most;
}

function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) continue;
    // A surrogate pair is two units and four bytes: one more for each half.
    bytes += code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}

export interface StringFault {
  readonly code: ViolationCode;
  readonly message: string;
  readonly hint?: string;
}

/** What is wrong with a key or a string, as it reads after its escapes are resolved. */
export function stringFault(text: string): StringFault | undefined {
  if (moreBytesThan(text, limits.stringBytes))
    return {
      code: 'limit',
      message: `string of ${utf8Bytes(text)} bytes, at most ${limits.stringBytes} are read`,
    };
  const unwanted = unwantedCharacter(text);
  if (unwanted) return { code: 'value', message: `${unwanted.name} in a string` };
  return undefined;
}

/** Keys that reach an object's prototype in careless code; no kind has a field of these names. */
export function isForbiddenKey(key: string): boolean {
  switch (key.length) {
    case 9:
    case 11:
      return forbidden.has(key);
    default:
      return false;
  }
}

const forbidden: ReadonlySet<string> = new Set(forbiddenKeys);
