import type { Random } from '../../../oracle/random.ts';
import { brokenIds, sourceKeys, spiffeIds, trusts } from '../../../oracle/universe.ts';
import {
  type Claims,
  type Json,
  type SigningKey,
  signed,
  signedByPublicKey,
  unsigned,
} from '../../../support/tokens.ts';
import type { Presented } from './rules.ts';
import { type Caller, type Callers, foreignKey, type Gateway, gateways, here } from './world.ts';

/** A token that holds, and every way in which one does not, each by its name. */

export interface Drawn extends Presented {
  readonly sort: string;
}

interface Draft {
  caller: Caller;
  readonly gateway: Gateway;
  readonly key: SigningKey;
  readonly others: readonly Caller[];
  readonly callers: Callers;
  readonly now: number;
  claims: Record<string, Json | undefined>;
  header: Record<string, Json | undefined>;
  attributes: Record<string, Json>;
  trust: Record<string, Json>;
}

type Change = (draft: Draft, random: Random) => void;
type Signer = (key: SigningKey, claims: Claims, header: Claims) => string;

const set =
  (name: string, value: Json | undefined): Change =>
  ({ claims }) => {
    claims[name] = value;
  };
const head =
  (name: string, value: Json | undefined): Change =>
  ({ header }) => {
    header[name] = value;
  };
/** An attribute that policies read, of which the token says this. */
const attribute =
  (value: Json): Change =>
  ({ attributes, trust }, random) => {
    const key = random.pick(statedKeys);
    attributes[key] = value;
    trust[key] ??= 'observed';
  };
const times =
  (iat: number, exp: number, nbf?: number): Change =>
  ({ claims, now }) => {
    Object.assign(claims, { iat: now + iat, exp: now + exp }, nbf === undefined ? {} : { nbf: now + nbf });
  };
const more =
  (key: string, value = 'x'): Change =>
  ({ attributes, trust }) => {
    attributes[key] = value;
    trust[key] = 'observed';
  };
const many =
  (count: number): Change =>
  ({ attributes, trust }) => {
    for (let i = Object.keys(attributes).length; i < count; i++) {
      attributes[`many:${i}`] = '';
      trust[`many:${i}`] = 'reported';
    }
  };

const statedKeys = Object.keys(sourceKeys).filter((key) => !/^(site:|cl:site:|spiffe:)/.test(key));

const changes: Readonly<Record<string, Change>> = {
  'another certificate of the same gateway': (draft, random) => {
    draft.caller = random.pick(draft.others);
  },
  'wrong cnf': set('cnf', { 'x5t#S256': 'A'.repeat(43) }),
  'cnf of another hash': set('cnf', { x5t: 'A' }),
  'no cnf': set('cnf', undefined),
  'cnf that is text': set('cnf', 'A'.repeat(43)),
  'the certificate of nobody': (draft) => {
    draft.caller = draft.callers.stranger;
    draft.claims['cnf'] = { 'x5t#S256': draft.caller.thumbprint };
  },
  'a certificate of two names': (draft) => {
    draft.caller = draft.callers.twoNames;
    draft.claims['cnf'] = { 'x5t#S256': draft.caller.thumbprint };
  },
  'wrong aud': set('aud', 'spiffe://other.example/gateway'),
  'aud with a slash behind it': set('aud', `${here}/`),
  'aud with a scheme before it': set('aud', `https://${here}`),
  'aud as a list': set('aud', [here]),
  'no aud': set('aud', undefined),
  'wrong iss': set('iss', 'spiffe://elsewhere.example/gateway'),
  'iss of the other peer': ({ claims, gateway }) => {
    claims['iss'] = gateways.find((one) => one !== gateway)?.id;
  },
  'no iss': set('iss', undefined),
  'expired within the skew': times(-50, -20),
  expired: times(-70, -40),
  'lives 61 seconds': times(-10, 51),
  'lives an hour': times(0, 3_600),
  'ends before it begins': times(10, 5),
  'made in the near future': times(20, 60),
  'made in the future': times(45, 80),
  'valid in the near future': times(0, 60, 20),
  'valid in the future': times(0, 60, 45),
  'no exp': set('exp', undefined),
  'no iat': set('iat', undefined),
  'iat as text': set('iat', '0'),
  'a fraction of a second': ({ claims, now }) => {
    claims['iat'] = now + 0.5;
  },
  'a number for text': attribute(7),
  'true for text': attribute(true),
  'a list for text': attribute(['web', 'reader']),
  'an empty list for text': attribute([]),
  'an object for text': attribute({ a: 'web' }),
  'null for text': attribute(null),
  'a number that no policy reads': ({ attributes, trust }) => {
    attributes['unread'] = 1;
    trust['unread'] = 'observed';
  },
  'no trust of an attribute': ({ trust }, random) => {
    delete trust[random.pick(Object.keys(trust))];
  },
  'trust of no attribute': ({ trust }) => {
    trust['unread'] = 'observed';
  },
  'a trust that there is not': ({ trust }, random) => {
    trust[random.pick(Object.keys(trust))] = 'sure';
  },
  'no attributes': set('attributes', undefined),
  'attributes as a list': set('attributes', ['k8s:ns']),
  'attributes as text': set('attributes', 'k8s:ns=shop'),
  'attributes as an empty list': (draft) => {
    Object.assign(draft.claims, { attributes: [], trust: [] });
  },
  'no trust': set('trust', undefined),
  'site:name': more('site:name', 'eu-1'),
  'site:anything': more('site:tier'),
  'cl:site:tier': more('cl:site:tier', 'gold'),
  'cl:fabric': more('cl:fabric'),
  "ClusterLink's name of a site": more('peer.clusterlink.net/name', 'eu-1'),
  "ClusterLink's name of a site's label": more('peer.clusterlink.net/labels.tier', 'gold'),
  "ClusterLink's name of a namespace": (draft) => {
    delete draft.attributes['k8s:ns'];
    delete draft.trust['k8s:ns'];
    draft.attributes['client.clusterlink.net/namespace'] = 'shop';
    draft.trust['client.clusterlink.net/namespace'] = 'observed';
  },
  "ClusterLink's name of the other side": more('export.clusterlink.net/name', 'pay'),
  'spiffe:id': more('spiffe:id', 'spiffe://td.example/ns/shop/sa/web'),
  'kuma:mesh': more('kuma:mesh', 'default'),
  'keys that objects have': ({ attributes, trust }) => {
    for (const key of ['toString', 'constructor']) attributes[key] = trust[key] = 'observed';
  },
  'an empty key': more(''),
  'a key of 512 bytes': more('é'.repeat(256)),
  'a key of 513 bytes': more(`${'é'.repeat(256)}x`),
  'a value of 4096 bytes': more('long', 'é'.repeat(2_048)),
  'a value of 4097 bytes': more('long', `${'é'.repeat(2_048)}x`),
  '256 attributes': many(256),
  '257 attributes': many(257),
  'a control character in a value': attribute('web\0'),
  'no jti': set('jti', undefined),
  'an empty jti': set('jti', ''),
  'another export': set('export', 'shop/other'),
  'no export': set('export', undefined),
  'export as a list': ({ claims }) => {
    claims['export'] = [claims['export'] as string];
  },
  'no sub': set('sub', undefined),
  'sub of another trust domain': set('sub', 'spiffe://td.example.org/ns/shop/sa/web'),
  'sub of a trust domain of the other peer': ({ claims, gateway }) => {
    const other = gateways.find((one) => one !== gateway);
    claims['sub'] = `spiffe://${other?.trustDomains[0]}/ns/shop/sa/web`;
  },
  'sub that is no SPIFFE ID': ({ claims }, random) => {
    claims['sub'] = random.pick(brokenIds);
  },
  'sub without a path': ({ claims, gateway }) => {
    claims['sub'] = `spiffe://${gateway.trustDomains[0]}`;
  },
  'sub of 2049 bytes': ({ claims, gateway }) => {
    claims['sub'] = `spiffe://${gateway.trustDomains[0]}/`.padEnd(2_049, 'x');
  },
  'sub as a number': set('sub', 7),
  'typ JWT': head('typ', 'JWT'),
  'another typ': head('typ', 'at+jwt'),
  crit: head('crit', ['exp']),
  'no kid': head('kid', undefined),
  'a kid that there is not': head('kid', 'other'),
  'a token of 16,384 bytes': (draft) => padTo(draft, 16_384),
  'a token of 16,385 bytes': (draft) => padTo(draft, 16_385),
};

/** Not every length is one of base64url: where the claims cannot have it, the header takes some of it. */
function padTo({ claims, header, key }: Draft, total: number): void {
  const encoded = (json: object) => Math.ceil((Buffer.byteLength(JSON.stringify(json)) * 4) / 3);
  const signature = 86;
  for (let pad = 0; pad < 4; pad++) {
    header['pad'] = 'x'.repeat(pad);
    const left = total - signature - 2 - encoded({ alg: key.alg, ...header });
    for (let length = 9_000; length < 12_300; length++) {
      claims['padding'] = 'x'.repeat(length);
      const size = encoded(claims);
      if (size === left) return;
      if (size > left) break;
    }
  }
  throw new Error(`no token has ${total} bytes`);
}

const signers: Readonly<Record<string, Signer>> = {
  'alg none': unsigned,
  'alg HS256 by the public key': signedByPublicKey,
  'the signature of another key': (_, claims, header) => signed(foreignKey, claims, header),
  'no signature': (key, claims, header) => signed(key, claims, header).replace(/[^.]*$/, ''),
};

export const sorts: readonly string[] = ['no token', ...Object.keys(changes), ...Object.keys(signers)];

/** `sort`: what is wrong with it; not given: nothing is. */
export function draw(random: Random, callers: Callers, service: string, nowMs: number, sort?: string): Drawn {
  const gateway = random.pick(gateways);
  const own = callers.gateways.get(gateway.name) ?? [];
  const caller = random.pick(own);
  const keys = random.some(statedKeys, 2, statedKeys.length);
  const now = Math.floor(nowMs / 1000);
  const key = random.pick(gateway.keys);
  const draft: Draft = {
    caller,
    gateway,
    key,
    others: own.filter((one) => one !== caller),
    callers,
    now,
    header: { kid: key.kid },
    claims: {
      iss: gateway.id,
      aud: here,
      iat: now,
      exp: now + 60,
      jti: `${random.below(1e9)}`,
      export: service,
      cnf: { 'x5t#S256': caller.thumbprint },
      ...(random.chance(0.7) ? { sub: subjectOf(random, gateway) } : {}),
    },
    attributes: Object.fromEntries(keys.map((name) => [name, random.pick(sourceKeys[name] ?? [])])),
    trust: Object.fromEntries(keys.map((name) => [name, random.pick(levels)])),
  };
  draft.claims['attributes'] = draft.attributes;
  draft.claims['trust'] = draft.trust;
  if (sort === 'no token') return { sort, caller: draft.caller };
  if (sort !== undefined) changes[sort]?.(draft, random);
  const { claims, header } = draft;
  const badly = sort === undefined ? undefined : signers[sort];
  const text = (badly ?? signed)(key, claims, header);
  return {
    sort: sort ?? 'sound',
    caller: draft.caller,
    token: { text, claims, header, ...(badly === undefined ? { signedBy: key } : {}) },
  };
}

const levels = [...trusts, 'attested', 'observed', 'reported'] as const;

function subjectOf(random: Random, { trustDomains }: Gateway): string {
  const own = spiffeIds.filter((id) => {
    const [, , domain = '', ...path] = id.split('/');
    return trustDomains.includes(domain) && path.length > 0;
  });
  return random.pick(own);
}
