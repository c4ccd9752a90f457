import type { Governing } from '../../pdp/governing.ts';
import { any, type Expression, type Leaf, not } from './expression.ts';
import { action, type Entry } from './matcher.ts';

/** What denies before any rule, in the filter itself: it may be replaced without the listener around it. */

const invalidSource = 'invalid-source';
export const incompleteRequest = 'incomplete-request';
export const ambiguousPath = 'ambiguous-path';

/** A SPIFFE ID and nothing else (SPEC ID1–ID3): a comma would join several URIs, and no escape is read. */
const spiffeId: Leaf = {
  of: 'id',
  match: 'regex',
  value:
    'spiffe://[a-z0-9._-]{1,255}(?:/(?:[A-Za-z0-9_-][A-Za-z0-9._-]*|\\.[A-Za-z0-9_-][A-Za-z0-9._-]*|\\.\\.[A-Za-z0-9._-]+))*',
  starts: 'spiffe://',
};

/** Longer than 2048 bytes. RE2 repeats at most 1000 times. */
const tooLong: Leaf = {
  of: 'id',
  match: 'regex',
  value: '[!-~]{1000}[!-~]{1000}[!-~]{48}[!-~]+',
  starts: '',
};

/** Any text: what no predicate but a negated one finds of a peer without a URI. */
const present: Leaf = { of: 'id', match: 'regex', value: '[\\s\\S]*', starts: '' };

/** Any path at all. `CONNECT` has none; a request without a method gets past no codec of Envoy's. */
const somePath: Leaf = { of: 'path', match: 'regex', value: '[\\s\\S]+', starts: '' };

/**
 * What can be read in one way only, before the query (SPEC PATH2), of what path normalisation leaves: a slash first, no
 * fragment, escapes whole and of nothing that would part the path anew. What stands behind `?` is nobody's concern.
 */
const clearPath: Leaf = {
  of: 'path',
  match: 'regex',
  value:
    '/(?:[!"$&->@-\\[\\]-~]|%(?:[13-46-9A-Fa-f][0-9A-Fa-f]|0[1-9A-Fa-f]|2[0-9A-Ea-e]|5[0-9ABDEFabdef]))*(?:\\?[\\s\\S]*)?',
  starts: '/',
};

/** Parameters of a dot segment that normalisation left: to another server the segment may be one. */
const dotParameters: Leaf = { of: 'path', match: 'regex', value: '[^?]*/\\.{1,2};[\\s\\S]*', starts: '' };

/** What can be read in more than one way. */
export const unclearPath: Expression = any([not(clearPath), dotParameters]);

/** At a service a peer without any certificate is nobody, and not somebody invalid. */
export function sourceGuard(always: boolean): Entry {
  const invalid: Expression = any([not(spiffeId), tooLong]);
  const when: Expression = always ? invalid : { all: [present, invalid] };
  return { when, does: action(invalidSource, 'deny') };
}

/** Of a filter that sees requests to such an inbound (SPEC DST6). */
export function asksForWholeRequests({ inbound, protocol }: Governing, http: boolean): boolean {
  return http && inbound && protocol === 'http';
}

export const incomplete: Expression = not(somePath);

export function requestGuard(): Entry {
  return { when: incomplete, does: action(incompleteRequest, 'deny') };
}

export function pathGuard(): Entry {
  return { when: unclearPath, does: action(ambiguousPath, 'deny') };
}
