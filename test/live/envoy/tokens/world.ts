import { type Both, both } from '../../../envoy/export/world.ts';
import { access } from '../../../oracle/access-policies.ts';
import { Random } from '../../../oracle/random.ts';
import type { Shape } from '../../../oracle/shapes.ts';
import { things } from '../../../oracle/things.ts';
import { trusts } from '../../../oracle/universe.ts';
import { authority, type Certificate, leaf, svid, uri } from '../../../support/certificates/index.ts';
import { type SigningKey, signingKey, thumbprintOf } from '../../../support/tokens.ts';

/** Two peers and whoever else may call, with real keys and certificates. */

export interface Gateway {
  readonly name: string;
  readonly id: string;
  readonly trustDomains: readonly string[];
  readonly keys: readonly SigningKey[];
}

export const here = 'spiffe://here.example/gateway';

export const gateways: readonly Gateway[] = [
  {
    name: 'us-1',
    id: 'spiffe://us.example/gateway',
    trustDomains: ['td.example', 'td'],
    keys: [signingKey('us-e', 'ES256'), signingKey('us-d', 'EdDSA')],
  },
  {
    name: 'ap-1',
    id: 'spiffe://ap.example/gateway',
    trustDomains: ['mesh.local'],
    keys: [signingKey('ap-d', 'EdDSA')],
  },
];

/** A key that no peer has. */
export const foreignKey = signingKey('us-e', 'ES256');

export interface Caller {
  readonly uriSans: readonly string[];
  readonly certificate: Certificate;
  /** As `cnf` has it. */
  readonly thumbprint: string;
}

function caller(certificate: Certificate, uriSans: readonly string[]): Caller {
  return {
    uriSans,
    certificate,
    thumbprint: thumbprintOf(certificate),
  };
}

/** Each peer's gateway, some of them anew as after a renewal, and who is none. */
export async function callersOf(renewals: number) {
  const [us, ap] = await Promise.all([authority('us.example'), authority('ap.example')]);
  const by = { 'us-1': us, 'ap-1': ap } as const;
  const own = async ({ name, id }: Gateway) =>
    await Promise.all(
      Array.from({ length: renewals }, async () => caller(await svid(by[name as keyof typeof by], id), [id])),
    );
  const two = [gateways[0]!.id, 'spiffe://us.example/other'];
  return {
    trusted: [us, ap],
    gateways: new Map([
      ['us-1', await own(gateways[0]!)],
      ['ap-1', await own(gateways[1]!)],
    ]),
    stranger: caller(await svid(us, 'spiffe://us.example/ns/a/sa/b'), ['spiffe://us.example/ns/a/sa/b']),
    twoNames: caller(await leaf(us, { sans: two.map(uri) }), two),
  };
}

export type Callers = Awaited<ReturnType<typeof callersOf>>;

export interface World {
  readonly seed: number;
  readonly documents: readonly Shape[];
  readonly set: Both;
  readonly services: readonly string[];
}

/** Random services, sites and access policies, this site's gateway, and both peers. */
export function worldOf(seed: number): World {
  const random = new Random(seed);
  const drawn = things(random).filter((one) => (one.type ?? one.kind) !== 'Peer');
  const documents = [...drawn, ...Array.from({ length: random.between(3, 24) }, (_, i) => access(random, i))];
  const local = documents.find((one) => isSite(one) && bodyOf(one)['local'] === true);
  if (local !== undefined) bodyOf(local)['gateway'] = here;
  else documents.push({ type: 'Site', name: 'eu-1', local: true, gateway: here } as Shape);
  documents.push(...gateways.map((one) => peerDocument(one, random.pick([undefined, ...trusts]))));
  const set = both(...random.shuffled(documents));
  return { seed, documents, set, services: [...set.loaded.inventory.services.keys()] };
}

export function peerDocument(
  { name, id, trustDomains, keys }: Gateway,
  trustUpTo: string | undefined,
): Shape {
  return {
    type: 'Peer',
    name,
    gateway: id,
    trustDomains,
    keys: keys.map(({ jwk }) => jwk),
    ...(trustUpTo === undefined ? {} : { trustUpTo }),
  } as unknown as Shape;
}

function isSite(one: Shape): boolean {
  return (one.type ?? one.kind) === 'Site';
}

function bodyOf(one: Shape): Record<string, unknown> {
  return (one.spec ?? one) as Record<string, unknown>;
}
