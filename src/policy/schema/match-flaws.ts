import { limits } from '../../pdp/model/limits.ts';
import { normalisePath, pathAmbiguity } from '../../pdp/model/path.ts';
import { isSpiffeId, spiffeIdFault } from '../../pdp/model/spiffe-id.ts';
import { nameOf, quote } from '../../pdp/model/words.ts';
import type { Flaw } from './flaw.ts';
import { identityFlaw, spiffeIdFlaw } from './text-flaws.ts';

/** What can be wrong with the values of a MeshTrafficPermission's matchers (SPEC MTP5, PATH4). */

export type MatchType = 'Exact' | 'Prefix' | 'PathPrefix';

/** `under` patterns have no trailing slash; one may be written (SPEC OP1). */
export function withoutTrailingSlash(value: string): string {
  return value.endsWith('/') ? value.slice(0, -1) : value;
}

export function spiffeMatchFlaw(type: MatchType, value: string): Flaw | undefined {
  if (type === 'Exact') return spiffeIdFlaw(value);
  if (scheme.startsWith(value))
    return {
      code: 'empty',
      message: `got ${nameOf(value)}, want a prefix that holds at least a part of a trust domain`,
      hint: 'write "spiffe://" and the trust domain',
    };
  if (type === 'PathPrefix') return spiffeIdFlaw(withoutTrailingSlash(value), value);
  // A prefix is right if some SPIFFE ID begins with it: itself, or with one more legal character.
  const longer = `${value}a`;
  if (isSpiffeId(value) || isSpiffeId(longer)) return undefined;
  const [own, fault] = [spiffeIdFault(value), spiffeIdFault(longer)];
  if (own === undefined || fault === undefined) return undefined;
  const { offset, message } = fault;
  return identityFlaw(value, 'the beginning of a SPIFFE ID', own.offset === offset ? own : { message });
}

export function pathMatchFlaw(type: MatchType, value: string): Flaw | undefined {
  if (value === '')
    return { code: 'empty', message: 'got an empty string, want a path that starts with "/"' };
  if (value.length > limits.pathBytes)
    return {
      code: 'limit',
      message: `got ${value.length} characters, want a path of at most ${limits.pathBytes}`,
    };
  const query = value.indexOf('?');
  if (query !== -1) {
    const message = `got ${quote(value)}, want a path without a query`;
    return { code: 'path', message, hint: `write ${quote(normalisePath(value) ?? value.slice(0, query))}` };
  }
  const ambiguous = pathAmbiguity(value);
  if (ambiguous !== undefined) return pathFlaw(value, ambiguous);
  const normal = normalisePath(value);
  if (normal === value) return undefined;
  // `/.` is no path in normal form, yet `/.well-known` begins with it.
  if (type === 'Prefix' && normalisePath(`${value}a`) === `${value}a`) return undefined;
  return {
    code: 'path',
    message: `got ${quote(value)}, want a path in normal form`,
    hint: `write ${quote(normal!)}`,
  };
}

function pathFlaw(value: string, reason: string): Flaw {
  const message = `got ${quote(value)}, want a path that can be read one way only: ${reason}`;
  return value.startsWith('/')
    ? { code: 'path', message }
    : { code: 'path', message, hint: 'a path starts with "/"' };
}

const scheme = 'spiffe://';
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH']);

/** RFC 9110 §9.1: a method is a token, and case counts. None has a `*`, which is reserved (§18.2). */
export function methodFlaw(value: string): Flaw | undefined {
  if (value === '') return { code: 'empty', message: 'got an empty string, want a method' };
  if (value.length > limits.methodBytes)
    return {
      code: 'limit',
      message: `got ${value.length} characters, want a method of at most ${limits.methodBytes}`,
    };
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(value))
    return { code: 'value', message: `got ${quote(value)}, want one HTTP method` };
  if (value.includes('*')) {
    const message = `got ${quote(value)}, want one HTTP method: it is compared whole, without wildcards`;
    return { code: 'value', message, hint: 'leave "method" out to match every method' };
  }
  const upper = value.toUpperCase();
  if (value === upper || !methods.has(upper)) return undefined;
  const message = `got ${quote(value)}, want the method in upper case`;
  return { code: 'value', message, hint: `write ${quote(upper)}` };
}

/** RFC 6066 §3: a host name without a trailing dot, no address. Case is folded, as in the request. */
export function sniFlaw(value: string): Flaw | undefined {
  if (value === '') return { code: 'empty', message: 'got an empty string, want a host name' };
  if (value.length > limits.sniBytes)
    return {
      code: 'limit',
      message: `got ${value.length} characters, want a host name of at most ${limits.sniBytes}`,
    };
  const labels = value.split('.');
  if (labels.every((label) => /^(?!-)[A-Za-z0-9_-]{1,63}(?<!-)$/.test(label))) return undefined;
  const message = `got ${quote(value)}, want a host name`;
  if (value.endsWith('.')) return { code: 'value', message, hint: `write ${quote(value.slice(0, -1))}` };
  if (value.includes('*'))
    return { code: 'value', message, hint: 'sni is compared whole, without wildcards' };
  return { code: 'value', message };
}

/** Whether a plain string prefix also lets in siblings of what it names (SPEC MTP10). */
export function endsInsideSegment(prefix: string): boolean {
  return !prefix.endsWith('/');
}
