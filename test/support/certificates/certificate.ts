import { X509Certificate as Parsed } from 'node:crypto';

/** What a program needs to present a certificate, and what a test needs to look at it. */
export interface Certificate {
  /** The leaf first, then intermediates: what a client sends. */
  readonly chain: string;
  /** PKCS #8. */
  readonly key: string;
  readonly leaf: Parsed;
}

export function certificateOf(pems: readonly string[], key: string): Certificate {
  return { chain: pems.join(''), key, leaf: new Parsed(pems[0] ?? '') };
}

/** Times a certificate can be valid in, from the moment of asking. What is `long` outlives all that it vouches for. */
export type Validity = 'now' | 'long' | 'expired' | 'not-yet';

const minute = 60_000;
const hour = 60 * minute;
const spans = {
  now: [-hour, 24 * hour - minute],
  long: [-hour, 24 * hour],
  expired: [-48 * hour, -hour],
  'not-yet': [hour, 24 * hour],
} as const;

export function times(validity: Validity): { notBefore: Date; notAfter: Date } {
  const [from, until] = spans[validity];
  return { notBefore: new Date(Date.now() + from), notAfter: new Date(Date.now() + until) };
}
