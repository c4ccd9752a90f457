import { SpiffeId } from '../../pdp/model/spiffe-id.ts';
import { accept, type Checked, refuse } from '../evidence.ts';
import { type Expected, signedUntil } from './claims.ts';
import { type KeysByName, readToken } from './jws.ts';

/** A JWT-SVID that was verified. Whoever holds it may be somebody else: it is bound to no connection. */
export interface JwtSvid {
  readonly spiffeId: SpiffeId;
  readonly validUntil: number;
}

/** The keys of one trust domain; undefined if nothing is known of it. */
export type KeysOf = (trustDomain: string) => KeysByName | undefined;

/** JWT-SVID standard §§2–4, by the keys of the trust domain that `sub` names. */
export async function verifyJwtSvid(
  token: string,
  keysOf: KeysOf,
  expected: Expected,
  now: number,
): Promise<Checked<JwtSvid>> {
  const read = readToken(token);
  if (!read.ok) return read;
  const { claims, header } = read.value;
  const { sub } = claims;
  if (typeof sub !== 'string')
    return refuse('claim', 'got a token without a subject, want "sub", a SPIFFE ID');
  const parsed = SpiffeId.parse(sub);
  if (!parsed.ok) return refuse('spiffe-id', `got a subject that is no SPIFFE ID: ${parsed.fault.message}`);
  const spiffeId = parsed.value;
  if (spiffeId.path === '')
    return refuse(
      'spiffe-id',
      `got the subject ${sub}, which names a trust domain, want the ID of a workload`,
    );
  const trustDomain = spiffeId.trustDomain.name;
  const keys = keysOf(trustDomain);
  if (keys === undefined)
    return refuse('no-bundle', `got an ID of the trust domain ${trustDomain}, of which there is no bundle`);
  const named = keys.get(header.kid);
  if (named === undefined)
    return refuse(
      'unknown-authority',
      `got a token by a key that is not in the bundle of ${trustDomain}, want one of its ${keys.size}`,
    );
  const end = await signedUntil(read.value, named, expected, now);
  return end.ok ? accept({ spiffeId, validUntil: end.value }) : end;
}
