import { limits } from '../../pdp/model/limits.ts';
import { type Checked, type RefusalCode, refuse } from '../evidence.ts';

/** What one proxy says of its client. */
export interface XfccElement {
  readonly uris: readonly string[];
  /** PEM. */
  readonly cert?: string;
  /** PEM of the whole chain, the client's own certificate first. */
  readonly chain?: string;
  /** Of the client's certificate: SHA-256, in hex. */
  readonly hash?: string;
}

/**
 * The header `x-forwarded-client-cert`, as Envoy writes it: elements apart by commas, one for each proxy on the way and
 * the nearest one's last; in each, pairs `key=value` apart by semicolons. Values with one of `,;=` stand in quotes, in
 * which `\"` is a quote. What could be read in two ways is refused, and so is what Envoy never writes: it puts names of
 * certificates there as they are, so that one with a separator in it goes on as pairs that nobody vouches for.
 */
export function readXfcc(text: string): Checked<readonly XfccElement[]> {
  if (text.length > limits.xfccBytes)
    return unread('limit', `got a header of ${text.length} characters, want at most ${limits.xfccBytes}`);
  const elements: XfccElement[] = [];
  let pairs: Pair[] = [];
  for (let at = 0; ; ) {
    const read = readPair(text, at);
    if (typeof read === 'string') return unread('encoding', read);
    pairs.push(read.pair);
    at = read.end;
    if (text[at] === ';') {
      at++;
      continue;
    }
    const element = elementOf(pairs);
    if (!element.ok) return element;
    elements.push(element.value);
    pairs = [];
    if (elements.length > limits.xfccElements)
      return unread('limit', `got more than ${limits.xfccElements} elements`);
    if (at === text.length) return { ok: true, value: elements };
    at++;
  }
}

interface Pair {
  readonly key: string;
  readonly value: string;
}

const keyAt = /[\t ]*([A-Za-z]+)=/y;
const bareAt = /[^",;=]*/y;
const quotedAt = /"((?:[^"\\]|\\[\s\S])*)"[\t ]*/y;

/** One pair, and where the separator behind it stands, or what is wrong. */
function readPair(text: string, start: number): { readonly pair: Pair; readonly end: number } | string {
  keyAt.lastIndex = start;
  const key = keyAt.exec(text)?.[1];
  if (key === undefined) return `got no "key=" at offset ${start}`;
  const from = keyAt.lastIndex;
  const quoted = text[from] === '"';
  const pattern = quoted ? quotedAt : bareAt;
  pattern.lastIndex = from;
  const found = pattern.exec(text);
  if (found === null) return `got a quote at offset ${from} that is never closed`;
  const end = pattern.lastIndex;
  if (end < text.length && text[end] !== ';' && text[end] !== ',')
    return `got ${JSON.stringify(text[end])} at offset ${end}, want ";" or "," behind the value of ${key}`;
  // Only a quote is escaped: backslashes of a subject's own stay.
  const value = quoted ? (found[1] as string).replaceAll('\\"', '"') : found[0].trim();
  return { pair: { key: key.toLowerCase(), value }, end };
}

function elementOf(pairs: readonly Pair[]): Checked<XfccElement> {
  const once = new Map<string, string>();
  const uris: string[] = [];
  let named = false;
  for (const { key, value } of pairs) {
    named ||= key === 'dns';
    if (key === 'uri' && named) return unread('encoding', 'got a URI behind a DNS name');
    if (key === 'uri') uris.push(value);
    else if (key !== 'dns' && key !== 'by') {
      if (once.has(key)) return unread('encoding', `got ${key} twice in one element`);
      once.set(key, value);
    }
  }
  if (uris.length > 1 && uris.includes('')) return unread('encoding', 'got an empty URI beside another');
  const pem: { cert?: string; chain?: string } = {};
  for (const key of ['cert', 'chain'] as const) {
    const value = once.get(key);
    if (value === undefined || value === '') continue;
    try {
      pem[key] = decodeURIComponent(value);
    } catch {
      return unread('encoding', `got a ${key} that is not URL-encoded`);
    }
  }
  const hash = once.get('hash');
  const hashed = Object.keys(pem).length === 0 || hash === undefined ? {} : { hash: hash.toLowerCase() };
  return { ok: true, value: { uris: uris.filter((uri) => uri !== ''), ...pem, ...hashed } };
}

function unread(code: RefusalCode, message: string): Checked<never> {
  return refuse(code, `x-forwarded-client-cert: ${message}`);
}

/** Of which proxy the client is asked for: of the only one, or of several that nearest to the client or to us. */
export type Which = 'only' | 'first' | 'last';

export function chosenIn(header: string, which: Which): Checked<XfccElement> {
  const read = readXfcc(header);
  if (!read.ok) return read;
  const { length } = read.value;
  if (which === 'only' && length > 1) return unread('limit', `got ${length} elements, want one`);
  return { ok: true, value: read.value.at(which === 'last' ? -1 : 0) as XfccElement };
}
