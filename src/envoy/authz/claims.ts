import type { Peer } from '../../pdp/model/inventory.ts';
import { limits } from '../../pdp/model/limits.ts';
import {
  isReserved,
  type PeerTold,
  type StatedValues,
  subjectOf,
  toldOf,
} from '../../pdp/model/peer-told.ts';
import type { StatedValue } from '../../pdp/model/request.ts';
import { isTrust, weaker } from '../../pdp/model/trust.ts';
import type { Json, Struct } from './struct.ts';

/** What is known of a connection and of what is asked, beside what a token says. */
export interface Around {
  /** Of the gateway that called: SHA-256 of its certificate, in base64url. */
  readonly thumbprint: string;
  /** The SPIFFE ID of this site's own gateway. */
  readonly audience: string | undefined;
  readonly service: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * What a peer says of its workload in an exchange token (SPEC XCH1, XCH2), whose signature the proxy has verified by
 * the peer's keys; undefined: it is refused.
 */
export function toldByClaims(claims: Struct, peer: Peer, around: Around): PeerTold | undefined {
  const { iss, aud, cnf, sub, jti } = claims;
  const bound = given(cnf) && isObject(cnf) && cnf['x5t#S256'] === around.thumbprint;
  const meant = iss === peer.gateway && aud === around.audience && claims['export'] === around.service;
  if (!bound || !meant || around.audience === undefined || around.service === undefined) return undefined;
  if (typeof jti !== 'string' || jti === '' || bytes(jti) > limits.nameBytes || !isInTime(claims, around.now))
    return undefined;
  const attributes = attributesOf(claims, peer);
  const subject = subjectOf(sub ?? undefined, peer);
  if (attributes === undefined || subject === undefined) return undefined;
  return toldOf(attributes, subject, peer);
}

function isInTime({ iat, exp, nbf }: Struct, now: number): boolean {
  const at = now / 1_000;
  const { tokenSkewSeconds: skew } = limits;
  return (
    isWhole(iat) &&
    isWhole(exp) &&
    exp <= iat + limits.tokenLifeSeconds &&
    at >= iat - skew &&
    at < exp + skew &&
    (!given(nbf) || (isWhole(nbf) && at >= nbf - skew))
  );
}

function attributesOf({ attributes, trust }: Struct, { trustUpTo }: Peer): StatedValues | undefined {
  if (!isObject(attributes) || !isObject(trust)) return undefined;
  const found: (readonly [string, StatedValue])[] = [];
  for (const [key, value] of Object.entries(attributes)) {
    if (!given(value)) continue;
    const level = Object.hasOwn(trust, key) ? trust[key] : undefined;
    if (typeof value !== 'string' || bytes(value) > limits.attributeValueBytes || !isTrust(level))
      return undefined;
    if (key === '' || bytes(key) > limits.attributeKeyBytes || isReserved(key)) return undefined;
    found.push([key, { value, trust: weaker(level, trustUpTo) }]);
  }
  const trusts = Object.values(trust).filter(given).length;
  return found.length > limits.tokenAttributes || found.length !== trusts ? undefined : found;
}

/** A `null` is as if it was not there. */
function given<T>(value: T): value is NonNullable<T> {
  return value !== undefined && value !== null;
}

function isWhole(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

/** A list without anything in it is no more than an object without. */
function isObject(value: Json | undefined): value is Struct {
  return typeof value === 'object' && value !== null && (!Array.isArray(value) || value.length === 0);
}

function bytes(text: string): number {
  return Buffer.byteLength(text);
}
