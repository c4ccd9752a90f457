import type { Peer } from '../../pdp/model/inventory.ts';
import { limits } from '../../pdp/model/limits.ts';
import type { Channel, RequestSource, StatedValue } from '../../pdp/model/request.ts';
import { keys } from '../../pdp/model/rule.ts';
import { isSpiffeId } from '../../pdp/model/spiffe-id.ts';
import { isTrust, weaker } from '../../pdp/model/trust.ts';
import { reservedScopes } from '../export/exchange/token.ts';
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

export interface Told {
  readonly source: RequestSource;
  readonly channel: Channel;
}

/**
 * What a peer says of its workload in an exchange token (SPEC XCH1, XCH2), whose signature the proxy has verified by
 * the peer's keys; undefined: it is refused.
 */
export function toldByClaims(claims: Struct, peer: Peer, around: Around): Told | undefined {
  const { iss, aud, cnf, sub, jti } = claims;
  const bound = given(cnf) && isObject(cnf) && cnf['x5t#S256'] === around.thumbprint;
  const meant = iss === peer.gateway && aud === around.audience && claims['export'] === around.service;
  if (!bound || !meant || around.audience === undefined || around.service === undefined) return undefined;
  if (typeof jti !== 'string' || jti === '' || bytes(jti) > limits.nameBytes || !isInTime(claims, around.now))
    return undefined;
  const attributes = attributesOf(claims, peer);
  const subject = subjectOf(sub, peer);
  if (attributes === undefined || subject === undefined) return undefined;
  const ofSite = [...peer.attributes].map(([key, value]) => [key, { value, trust: 'configured' }] as const);
  const trust = peer.trustUpTo;
  return {
    source: {
      attributes: Object.fromEntries([...attributes, ...ofSite, ...subject]),
      complete: { 'site:': 'configured', 'cl:site:': 'configured' },
    },
    channel: { identity: trust, trust, ceiling: 'attested', complete: false },
  };
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

type Values = readonly (readonly [string, StatedValue])[];

function attributesOf({ attributes, trust }: Struct, { trustUpTo }: Peer): Values | undefined {
  if (!isObject(attributes) || !isObject(trust)) return undefined;
  const found: (readonly [string, StatedValue])[] = [];
  for (const [key, value] of Object.entries(attributes)) {
    if (!given(value)) continue;
    const level = Object.hasOwn(trust, key) ? trust[key] : undefined;
    if (typeof value !== 'string' || bytes(value) > limits.attributeValueBytes || !isTrust(level))
      return undefined;
    if (
      key === '' ||
      bytes(key) > limits.attributeKeyBytes ||
      reservedScopes.some((one) => key.startsWith(one))
    )
      return undefined;
    found.push([key, { value, trust: weaker(level, trustUpTo) }]);
  }
  const trusts = Object.values(trust).filter(given).length;
  return found.length > limits.tokenAttributes || found.length !== trusts ? undefined : found;
}

/** A peer speaks of nobody by name, or of a workload of its own. */
function subjectOf(sub: Json | undefined, { trustDomains, trustUpTo: trust }: Peer): Values | undefined {
  if (!given(sub)) return [];
  if (typeof sub !== 'string' || !isSpiffeId(sub)) return undefined;
  const [, , domain = '', ...path] = sub.split('/');
  // Of a trust domain itself nobody is a workload.
  if (path.length === 0 || !trustDomains.includes(domain)) return undefined;
  return [
    [keys.spiffeId, { value: sub, trust }],
    [keys.trustDomain, { value: domain, trust }],
  ];
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
