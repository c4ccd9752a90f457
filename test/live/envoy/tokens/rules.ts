import type { Inventory } from '../../../../src/pdp/model/inventory.ts';
import type { Channel, RequestSource } from '../../../../src/pdp/model/request.ts';
import { isSpiffeId } from '../../../../src/pdp/model/spiffe-id.ts';
import { isTrust, type Trust, weaker } from '../../../../src/pdp/model/trust.ts';
import type { Claims, Json, SigningKey } from '../../../support/tokens.ts';
import type { Caller, Gateway } from './world.ts';

/** What the rules XCH1 and XCH2 say, written after them alone. */

export interface Presented {
  readonly caller: Caller;
  /** Not given: the request has no token. */
  readonly token?: {
    readonly text: string;
    readonly claims: Claims;
    readonly header: Claims;
    /** Not given: nobody's that counts, or by an algorithm that does not. */
    readonly signedBy?: SigningKey;
  };
}

export interface Told {
  readonly source: RequestSource;
  readonly channel: Channel;
}

const reserved =
  /^(site:|cl:site:|cl:fabric|spiffe:|kuma:|placet:|request:|(client|export|peer)\.clusterlink\.net\/)/;
const bytes = (text: string) => Buffer.byteLength(text);
const isWhole = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0;

/** Undefined: refused. `now` in milliseconds. */
export function told(
  { caller, token }: Presented,
  gateways: readonly Gateway[],
  { site, peers }: Inventory,
  service: string,
  now: number,
): Told | undefined {
  if (caller.uriSans.length !== 1 || token === undefined || bytes(token.text) > 16_384) return undefined;
  const claims = withoutNulls(token.claims);
  const header = withoutNulls(token.header);
  const gateway = gateways.find(({ id }) => id === caller.uriSans[0]);
  const peer = gateway && peers?.get(gateway.name);
  if (gateway === undefined || peer === undefined || claims['iss'] !== gateway.id) return undefined;
  if (token.signedBy === undefined || !gateway.keys.includes(token.signedBy)) return undefined;
  const { kid, typ } = header;
  if (kid !== token.signedBy.kid || (typ !== undefined && typ !== 'JWT' && typ !== 'JOSE')) return undefined;
  if (header['crit'] !== undefined || header['b64'] !== undefined) return undefined;
  const { cnf, aud, jti, iat, exp, nbf, sub } = claims;
  if ((cnf as Claims | undefined)?.['x5t#S256'] !== caller.thumbprint) return undefined;
  if (aud !== site.gateway || claims['export'] !== service) return undefined;
  if (typeof jti !== 'string' || jti === '' || bytes(jti) > 253) return undefined;
  const at = now / 1000;
  if (!isWhole(iat) || !isWhole(exp) || exp > iat + 60 || at < iat - 30 || at >= exp + 30) return undefined;
  if (nbf !== undefined && !(isWhole(nbf) && at >= nbf - 30)) return undefined;
  if (sub !== undefined && !(typeof sub === 'string' && isSpiffeId(sub))) return undefined;
  const [, , domain, ...path] = (sub as string | undefined)?.split('/') ?? [];
  if (domain !== undefined && path.length === 0) return undefined;
  if (domain !== undefined && !peer.trustDomains.includes(domain)) return undefined;
  const stated = statedIn(claims, peer.trustUpTo);
  if (stated === undefined) return undefined;
  const own = [...peer.attributes].map(([key, value]) => [key, { value, trust: 'configured' }] as const);
  const subject =
    sub === undefined
      ? []
      : ([
          ['spiffe:id', sub],
          ['spiffe:trust-domain', domain],
        ] as [string, string][]);
  return {
    source: {
      attributes: Object.fromEntries([
        ...stated,
        ...own,
        ...subject.map(([key, value]) => [key, { value, trust: peer.trustUpTo }] as const),
      ]),
      complete: { 'site:': 'configured', 'cl:site:': 'configured' },
    },
    channel: { identity: peer.trustUpTo, trust: peer.trustUpTo, ceiling: 'attested', complete: false },
  };
}

function statedIn({ attributes, trust }: Claims, upTo: Trust) {
  if (!isObject(attributes) || !isObject(trust)) return undefined;
  const [values, trusts] = [withoutNulls(attributes), withoutNulls(trust)];
  const keys = Object.keys(values);
  if (keys.length > 256 || keys.length !== Object.keys(trusts).length) return undefined;
  const found: [string, { value: string; trust: Trust }][] = [];
  for (const key of keys) {
    const value = values[key];
    const level = Object.hasOwn(trusts, key) ? trusts[key] : undefined;
    if (key === '' || bytes(key) > 512 || reserved.test(key)) return undefined;
    if (typeof value !== 'string' || bytes(value) > 4_096 || !isTrust(level)) return undefined;
    found.push([key, { value, trust: weaker(level, upTo) }]);
  }
  return found;
}

/** A list without anything in it is no more than an object without. */
function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && (!Array.isArray(value) || value.length === 0);
}

function withoutNulls(object: Claims): Claims {
  return Object.fromEntries(
    Object.entries(object).filter(([, value]) => value !== null && value !== undefined),
  );
}
