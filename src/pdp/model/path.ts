/**
 * A request's path as Envoy matches it after `normalize_path` and `merge_slashes` (SPEC PATH1, PATH2), as Envoy 1.40
 * was seen to do it: parameters of dot segments fall (`/a/..;x/b` is `/b`), then Chromium's canonicaliser runs on the
 * part before `?`, then slashes are merged. The order shows: `/a//../b` is `/a/b`, and `/a/%2e%2e;x` would stay
 * `/a/..;x`, which the next one to normalise it would read as `/a/`: it is ambiguous.
 */

const slash = 0x2f;
const dot = 0x2e;
const percent = 0x25;
const question = 0x3f;
const semicolon = 0x3b;
const backslash = 0x5c;

/** What an escape of the character is written as: the character itself. RFC 3986 §2.3. */
const unreserved = new Uint8Array(128);
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~')
  unreserved[char.charCodeAt(0)] = 1;

/** Stands as it is, escaped or not. All others (controls, space, `"<>^` and so on, non-ASCII) become escapes. */
const kept = new Uint8Array(unreserved);
for (const char of "!$&'()*+,/:;=@[]") kept[char.charCodeAt(0)] = 1;

/** The path without its query in normal form; undefined if it is ambiguous. A normal path is only cut at `?`. */
export function normalisePath(raw: string): string | undefined {
  const end = normalUntil(raw);
  if (end === raw.length) return raw;
  if (end !== -1) return raw.slice(0, end);
  const path = withoutQuery(raw);
  if (flawOf(path) !== undefined) return undefined;
  const normal = normalOf(path);
  return normal.search(dotParameters) < 0 ? normal : undefined;
}

/** Why nobody can tell which path is meant; undefined if it is clear. */
export function pathAmbiguity(raw: string): string | undefined {
  const path = withoutQuery(raw);
  const flaw = flawOf(path);
  if (flaw !== undefined || normalOf(path).search(dotParameters) < 0) return flaw;
  return 'a dot segment with parameters, written with an escape or "\\"';
}

/**
 * A path that a proxy has normalised, as it was before: parameters of dot segments that are still there stood behind
 * an escape, else they would have fallen. To normalise it once more would make them fall now, and another path of it.
 */
export function pathBefore(normalised: string): string {
  const path = withoutQuery(normalised);
  if (path.search(dotParameters) < 0) return normalised;
  return path.replace(dotParameters, (text) => text.replaceAll('.', '%2e')) + normalised.slice(path.length);
}

/** A server may resolve them as Envoy does, or take them for a name. */
const dotParameters = /\/\.{1,2};/g;

function normalOf(path: string): string {
  return mergeSlashes(canonicalise(withoutDotParameters(path)));
}

function flawOf(path: string): string | undefined {
  if (path.charCodeAt(0) !== slash) return 'does not start with "/"';
  for (let at = 0; at < path.length; at++) {
    const code = path.charCodeAt(at);
    if (code === 0) return `NUL at offset ${at}`;
    if (code === 0x23) return `"#" at offset ${at}`;
    if (code !== percent) continue;
    const value = escapedAt(path, at);
    const written = path.slice(at, at + 3);
    if (value === -1) return `broken escape at offset ${at}`;
    if (value === slash) return `encoded slash ${written} at offset ${at}`;
    if (value === backslash) return `encoded backslash ${written} at offset ${at}`;
    if (value === 0) return `encoded NUL at offset ${at}`;
  }
  return path.isWellFormed() ? undefined : 'broken encoding: a lone surrogate';
}

/** Where the path ends (at `?` or at the end), or -1 if it is not in normal form as far as one look can tell. */
function normalUntil(raw: string): number {
  const length = raw.length;
  if (length === 0 || raw.charCodeAt(0) !== slash) return -1;
  let before = 0;
  let at = 0;
  for (; at < length; at++) {
    const code = raw.charCodeAt(at);
    if (code === question) break;
    if (code >= 128) return -1;
    if (kept[code] === 1) {
      if (before === slash && (code === slash || (code === dot && mayBeDotSegment(raw, at + 1)))) return -1;
      before = code;
      continue;
    }
    if (code !== percent) return -1;
    const value = escapedAt(raw, at);
    if (value === -1 || value === slash || value === backslash || value === 0) return -1;
    if (value < 128 && unreserved[value] === 1) return -1;
    before = percent;
    at += 2;
  }
  return at;
}

/** After `/.`: only a name such as `/.well-known` is surely none. */
function mayBeDotSegment(raw: string, at: number): boolean {
  if (at === raw.length) return true;
  const code = raw.charCodeAt(at);
  return (
    code === slash ||
    code === backslash ||
    code === dot ||
    code === percent ||
    code === question ||
    code === semicolon
  );
}

function withoutQuery(raw: string): string {
  const end = raw.indexOf('?');
  return end === -1 ? raw : raw.slice(0, end);
}

/** The value of an escape, -1 if it is broken. */
function escapedAt(path: string, at: number): number {
  const high = hexValue(path.charCodeAt(at + 1));
  const low = hexValue(path.charCodeAt(at + 2));
  return high === -1 || low === -1 ? -1 : high * 16 + low;
}

/** Also for `NaN`, past the end: -1. */
function hexValue(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  if (code >= 0x41 && code <= 0x46) return code - 0x37;
  if (code >= 0x61 && code <= 0x66) return code - 0x57;
  return -1;
}

/** Escapes settled, `\` read as `/`, dot segments resolved. Escapes that stay keep the case of their digits. */
function canonicalise(path: string): string {
  const segments: string[] = [];
  const parts = path.slice(1).split(/[/\\]/);
  for (const [index, part] of parts.entries()) {
    const segment = settleEscapes(part);
    const last = index === parts.length - 1;
    if (segment === '..') segments.pop();
    if (segment !== '.' && segment !== '..') segments.push(segment);
    else if (last) segments.push('');
  }
  return `/${segments.join('/')}`;
}

function settleEscapes(segment: string): string {
  let text = '';
  for (let at = 0; at < segment.length; at++) {
    const code = segment.charCodeAt(at);
    if (code === percent) {
      const value = escapedAt(segment, at);
      text += value < 128 && unreserved[value] === 1 ? String.fromCharCode(value) : segment.slice(at, at + 3);
      at += 2;
    } else if (code < 128) {
      text += kept[code] === 1 ? segment[at]! : `%${code.toString(16).toUpperCase().padStart(2, '0')}`;
    } else {
      const char = String.fromCodePoint(segment.codePointAt(at)!);
      text += encodeURIComponent(char);
      at += char.length - 1;
    }
  }
  return text;
}

/** Only dots as they are, between slashes as they are. */
function withoutDotParameters(path: string): string {
  if (!path.includes(';')) return path;
  const parts = path.split('/').map((part) => {
    if (part.startsWith('.;')) return '.';
    return part.startsWith('..;') ? '..' : part;
  });
  return parts.join('/');
}

/** Nothing but slashes keeps two: what stands before the first name and what stands after the last. */
function mergeSlashes(path: string): string {
  if (!path.includes('//')) return path;
  const merged = path.replace(/\/{2,}/g, '/');
  return merged === '/' ? '//' : merged;
}
