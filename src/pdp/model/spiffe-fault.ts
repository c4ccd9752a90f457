import { limits } from './limits.ts';

/** Why a text is no SPIFFE ID: the slow reading, in words, of what `isSpiffeId` only answers. */

export interface Fault {
  /** The numbered rule that is broken, such as `ID2`. */
  readonly rule: string;
  /** Of the first byte that breaks it. All before are legal and so ASCII: bytes and code units agree. */
  readonly offset: number;
  readonly message: string;
  readonly hint?: string;
}

export const scheme = 'spiffe://';

const trustDomainBit = 1;
const pathBit = 2;
const classes = new Uint8Array(128);
for (const char of 'abcdefghijklmnopqrstuvwxyz0123456789._-')
  classes[char.charCodeAt(0)] = trustDomainBit | pathBit;
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZ') classes[char.charCodeAt(0)] = pathBit;

export function inTrustDomain(code: number): boolean {
  return code < 128 && (classes[code]! & trustDomainBit) !== 0;
}

export function inPath(code: number): boolean {
  return code < 128 && (classes[code]! & pathBit) !== 0;
}

/** Where the trust domain of a text that starts with the scheme ends. */
export function trustDomainEnd(text: string): number {
  const end = text.indexOf('/', scheme.length);
  return end === -1 ? text.length : end;
}

/** The first fault of a text; undefined exactly where `isSpiffeId` holds. */
export function spiffeIdFault(text: string): Fault | undefined {
  if (text.length > limits.spiffeIdBytes)
    return {
      rule: 'ID1',
      offset: limits.spiffeIdBytes,
      message: `longer than the ${limits.spiffeIdBytes} bytes that a SPIFFE ID may have`,
    };
  if (!text.startsWith(scheme)) return schemeFault(text);
  const end = trustDomainEnd(text);
  return trustDomainFault(text, scheme.length, end) ?? pathFault(text, end);
}

function schemeFault(text: string): Fault {
  let offset = 0;
  while (offset < text.length && text[offset] === scheme[offset]) offset++;
  const got = offset === text.length ? 'the end' : nameOf(text, offset);
  const fault = {
    rule: 'ID1',
    offset,
    message: `got ${got} at offset ${offset}, a SPIFFE ID starts with ${scheme}`,
  };
  const folded = scheme + text.slice(scheme.length);
  if (text.slice(0, scheme.length).toLowerCase() === scheme) return { ...fault, hint: `write ${folded}` };
  const led = scheme + text;
  if (text !== '' && spiffeIdFault(led) === undefined) return { ...fault, hint: `write ${led}` };
  return fault;
}

export function trustDomainFault(text: string, start: number, end: number): Fault | undefined {
  if (start === end)
    return { rule: 'ID2', offset: start, message: `the trust domain at offset ${start} is empty` };
  // Bytes before the limit are looked at first, so that the fault is the first one in the text.
  const last = Math.min(end, start + limits.trustDomainBytes);
  for (let at = start; at < last; at++) {
    const code = text.charCodeAt(at);
    if (inTrustDomain(code)) continue;
    const message = `got ${nameOf(text, at)} at offset ${at}, a trust domain has only a-z 0-9 . _ -`;
    return { rule: 'ID2', offset: at, message, ...trustDomainHint(text.slice(start, end), code) };
  }
  if (last < end)
    return {
      rule: 'ID2',
      offset: last,
      message: `the trust domain is longer than ${limits.trustDomainBytes} bytes at offset ${last}`,
    };
  return undefined;
}

function trustDomainHint(name: string, code: number): { hint?: string } {
  const lower = name.toLowerCase();
  if (code >= 0x41 && code <= 0x5a) {
    const fits = trustDomainFault(lower, 0, lower.length) === undefined;
    return { hint: fits ? `write ${lower}` : 'trust domains are written in lower case' };
  }
  if (code === 0x3a) return { hint: 'a trust domain has no port' };
  if (code === 0x40) return { hint: 'a trust domain has no user info' };
  return commonHint(code);
}

function pathFault(text: string, start: number): Fault | undefined {
  for (let at = start; at < text.length; ) {
    // `at` is at a slash.
    const first = at + 1;
    let end = first;
    while (end < text.length && inPath(text.charCodeAt(end))) end++;
    if (end < text.length && text[end] !== '/') {
      const message = `got ${nameOf(text, end)} at offset ${end}, a path segment has only A-Z a-z 0-9 . _ -`;
      return { rule: 'ID3', offset: end, message, ...commonHint(text.charCodeAt(end)) };
    }
    if (end === first) {
      if (end < text.length)
        return {
          rule: 'ID3',
          offset: end,
          message: `empty path segment at offset ${end}`,
          hint: 'write one slash',
        };
      const hint = `write ${text.slice(0, at)}`;
      return { rule: 'ID3', offset: at, message: `trailing slash at offset ${at}`, hint };
    }
    const segment = text.slice(first, end);
    if (segment === '.' || segment === '..')
      return {
        rule: 'ID3',
        offset: first,
        message: `path segment "${segment}" at offset ${first}`,
        hint: 'write the path without dot segments',
      };
    at = end;
  }
  return undefined;
}

function commonHint(code: number): { hint?: string } {
  if (code === 0x25) return { hint: 'percent-encoding is not allowed, and nothing is decoded' };
  if (code === 0x3f) return { hint: 'a SPIFFE ID has no query' };
  if (code === 0x23) return { hint: 'a SPIFFE ID has no fragment' };
  if (code <= 0x20) return { hint: 'spaces and control characters are not allowed, not at the ends either' };
  if (code === 0x2a) return { hint: 'a SPIFFE ID has no wildcards' };
  return {};
}

/** Readable and safe to print, whatever it is: `"A" (0x41)`, `0x0a`, `U+0131`. */
function nameOf(text: string, at: number): string {
  const code = text.codePointAt(at)!;
  const hex = code.toString(16);
  if (code < 0x20 || code === 0x7f) return `0x${hex.padStart(2, '0')}`;
  if (code < 0x7f) return `${JSON.stringify(String.fromCharCode(code))} (0x${hex})`;
  return `U+${hex.toUpperCase().padStart(4, '0')}`;
}
