import { afterAll, describe, expect } from 'vitest';
import { peerDocument, placesWith } from '../../../envoy/verify/token-world.ts';
import { live } from '../../../live.ts';
import { authority, type Certificate, svid } from '../../../support/certificates/index.ts';
import { type Lab, openLab } from '../../../support/envoy/lab.ts';
import { type Filter, grpcCluster } from '../../../support/envoy/listeners.ts';
import { envoyMissing } from '../../../support/envoy/program.ts';
import { trustedCa } from '../../../support/envoy/trust.ts';
import { type Claims, type SigningKey, signed, signingKey, thumbprintOf } from '../../../support/tokens.ts';
import { asking, certificateFor, friend, saying, serveShop, stranger, td } from './world.ts';

/**
 * Tokens of other sites' gateways through a real Envoy: its jwt_authn verifies them and leaves the claims, its
 * ext_authz sends them, and Placet says whose of them count. Envoy is told to take more of them than Placet believes.
 */

type Json = Readonly<Record<string, unknown>>;
const type = (name: string) => ({ '@type': `type.googleapis.com/envoy.extensions.filters.http.${name}` });

const issuers = ['us-1', 'ap-1', 'elsewhere'] as const;
type Issuer = (typeof issuers)[number];
const idOf = (issuer: Issuer) => `spiffe://${issuer}.example/gateway`;
const keys: Readonly<Record<Issuer, SigningKey>> = {
  'us-1': signingKey('u', 'ES256'),
  'ap-1': signingKey('a', 'EdDSA'),
  elsewhere: signingKey('e', 'ES256'),
};

const letIn = (name: string, key: string, value: string) => ({
  type: 'AccessPolicy',
  namespace: 'shop',
  name,
  spec: {
    action: 'allow',
    from: [{ workloadSelector: { matchExpressions: [{ key, operator: 'In', values: [value] }] } }],
    to: [{ workloadSelector: {} }],
  },
});

/** `elsewhere` is no peer of ours. */
const documents = [
  ...placesWith([
    peerDocument('us-1', [keys['us-1'].jwk], 'observed'),
    peerDocument('ap-1', [keys['ap-1'].jwk], 'observed'),
  ]),
  letIn('of-the-shop', 'k8s:ns', 'shop'),
  letIn('friends', 'spiffe:id', friend),
];

function verified(payload_in_metadata: string): Filter {
  const providers = issuers.map((issuer) => {
    const { jwk, alg } = keys[issuer];
    const local_jwks = { inline_string: JSON.stringify({ keys: [{ ...jwk, alg }] }) };
    const from_headers = [{ name: 'x-placet-token' }];
    return [issuer, { issuer: idOf(issuer), local_jwks, from_headers, payload_in_metadata }];
  });
  const requirements = [...issuers.map((provider_name) => ({ provider_name })), { allow_missing: {} }];
  return {
    name: 'envoy.filters.http.jwt_authn',
    typed_config: {
      ...type('jwt_authn.v3.JwtAuthentication'),
      providers: Object.fromEntries(providers),
      rules: [{ match: { prefix: '/' }, requires: { requires_any: { requirements } } }],
    },
  };
}

function asked(
  cluster: string,
  more: Json = { metadata_context_namespaces: ['envoy.filters.http.jwt_authn'] },
) {
  const initial_metadata = saying({ service: 'shop/pay' });
  const grpc_service = { envoy_grpc: { cluster_name: cluster }, timeout: '10s', initial_metadata };
  return { ...asking({ ...more, grpc_service }), name: 'envoy.filters.http.ext_authz' };
}

interface World {
  readonly lab: Lab;
  readonly gateways: Readonly<Record<Issuer, Certificate>>;
}

const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function open(): Promise<World> {
  const trusted = await Promise.all(issuers.map((issuer) => authority(`${issuer}.example`)));
  const own = await Promise.all(issuers.map((issuer, at) => svid(trusted[at]!, idOf(issuer))));
  const how = { documents, trusted };
  const [placet, deaf] = await Promise.all([
    serveShop({ claims: 'jwt_payload' }, {}, how),
    serveShop({}, {}, how),
  ]);
  closing.push(
    () => placet.close(),
    () => deaf.close(),
  );
  const common = { kind: 'http' as const, trust: trustedCa(await td(), ...trusted) };
  const lab = await openLab(
    [
      { ...common, name: 'all', filters: [verified('jwt_payload'), asked('placet')] },
      { ...common, name: 'claims elsewhere', filters: [verified('other'), asked('placet')] },
      { ...common, name: 'claims not sent', filters: [verified('jwt_payload'), asked('placet', {})] },
      { ...common, name: 'claims not asked', filters: [verified('jwt_payload'), asked('deaf')] },
    ],
    { clusters: [grpcCluster('placet', placet.port), grpcCluster('deaf', deaf.port)] },
  );
  closing.push(() => lab.stop());
  const gateways = Object.fromEntries(issuers.map((issuer, at) => [issuer, own[at]!]));
  return { lab, gateways: gateways as World['gateways'] };
}

/** Of a workload in the namespace of the shop, for the connection of the gateway that signs it. */
function token({ gateways }: World, issuer: Issuer, more: Claims = {}, by = keys[issuer]): string {
  const now = Math.floor(Date.now() / 1_000);
  return signed(by, {
    iss: idOf(issuer),
    aud: 'spiffe://here.example/gateway',
    iat: now,
    exp: now + 60,
    jti: 'x',
    export: 'shop/pay',
    attributes: { 'k8s:ns': 'shop' },
    trust: { 'k8s:ns': 'attested' },
    cnf: { 'x5t#S256': thumbprintOf(gateways[issuer]) },
    ...more,
  });
}

async function ask(
  { lab }: World,
  certificate: Certificate,
  text?: string,
  listener = 'all',
): Promise<string> {
  const headers = text === undefined ? {} : { 'x-placet-token': text };
  const [said] = await lab.ask(listener, { certificate }, [{ headers }]);
  const left = said?.metadata?.['envoy.filters.http.ext_authz'] as Json | undefined;
  return `${said?.verdict} ${left?.['reason'] ?? said?.status}`;
}

describe('claims through Envoy', () => {
  live(envoyMissing, '[AUTHZ15] claims count that a peer signed for its own connection', async () => {
    const world = await open();
    const { 'us-1': us, 'ap-1': ap, elsewhere } = world.gateways;
    const [good, bad] = [await certificateFor(friend), await certificateFor(stranger)];
    const of = (issuer: Issuer, more?: Claims) => token(world, issuer, more);
    const now = Math.floor(Date.now() / 1_000);
    const bound = { cnf: { 'x5t#S256': thumbprintOf(us) } };
    const cases: readonly (readonly [string, Certificate, string | undefined, string])[] = [
      ['of one peer', us, of('us-1'), 'allow rule'],
      ['of the other', ap, of('ap-1'), 'allow rule'],
      ['of somebody else there', us, of('us-1', { attributes: { 'k8s:ns': 'guests' } }), 'deny default'],
      ['none', us, undefined, 'deny token-refused'],
      ['of the other peer', us, of('ap-1'), 'deny token-refused'],
      ['of the other peer, for this connection', us, of('ap-1', bound), 'deny token-refused'],
      [
        'for another connection',
        us,
        of('us-1', { cnf: { 'x5t#S256': thumbprintOf(ap) } }),
        'deny token-refused',
      ],
      ['for nobody’s connection', us, of('us-1', { cnf: undefined }), 'deny token-refused'],
      ['for another site', us, of('us-1', { aud: idOf('ap-1') }), 'deny token-refused'],
      ['for another service', us, of('us-1', { export: 'shop/other' }), 'deny token-refused'],
      ['for too long', us, of('us-1', { exp: now + 600 }), 'deny token-refused'],
      ['of another’s workload', us, of('us-1', { sub: friend }), 'deny token-refused'],
      [
        'that says where it is',
        us,
        of('us-1', { attributes: { 'site:name': 'eu-1' } }),
        'deny token-refused',
      ],
      // Envoy believes it, and Placet knows no such peer.
      ['of nobody’s peer', elsewhere, of('elsewhere'), 'deny default'],
      ['of nobody’s peer, for a peer’s connection', us, of('elsewhere', bound), 'deny token-refused'],
      ['of a peer, with a client', bad, of('us-1'), 'deny default'],
      ['none, with a client', bad, undefined, 'deny default'],
      ['of a peer, with a friend', good, of('us-1'), 'allow rule'],
      // Envoy itself.
      ['by another key', us, token(world, 'us-1', {}, keys.elsewhere), 'rejected 401'],
    ];
    const found: string[][] = [];
    for (const [name, certificate, text] of cases) found.push([name, await ask(world, certificate, text)]);
    expect(found).toEqual(cases.map(([name, , , wanted]) => [name, wanted]));
    const places: string[][] = [];
    for (const listener of ['claims elsewhere', 'claims not sent', 'claims not asked'])
      places.push([listener, await ask(world, us, of('us-1'), listener)]);
    expect(places).toEqual([
      ['claims elsewhere', 'deny token-refused'],
      ['claims not sent', 'deny token-refused'],
      ['claims not asked', 'deny default'],
    ]);
  });
});
