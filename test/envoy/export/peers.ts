import type { HttpRequest, Peer } from '../../../src/envoy/interpreter/evidence.ts';
import type { Inventory } from '../../../src/pdp/model/inventory.ts';
import { normalisePath } from '../../../src/pdp/model/path.ts';
import type { RequestSource } from '../../../src/pdp/model/request.ts';
import { readTagCertificate } from '../../../src/pdp/model/tag-certificate.ts';
import type { Random } from '../../oracle/random.ts';
import * as universe from '../../oracle/universe.ts';

/** Certificates and requests of every sort, and what the PDP is told of them. */

export function svidPeer(random: Random, inventory: Inventory): Peer {
  const known = inventory.workloads.flatMap((one) => one.spiffeId ?? []);
  const id = known.length > 0 && random.chance(0.4) ? random.pick(known) : random.pick(universe.spiffeIds);
  const drawn = random.next();
  if (drawn < 0.75) return peerWith([id]);
  if (drawn < 0.8) return peerWith([`${id}${random.pick(['x', '-2', '/more', '/sa/x', '.'])}`]);
  if (drawn < 0.84) return peerWith([random.pick(universe.brokenIds)]);
  if (drawn < 0.87) return peerWith([id, 'kuma://version/v1']);
  if (drawn < 0.9) return peerWith(['kuma://version/v1', id]);
  if (drawn < 0.92) return peerWith([`${id},${id}`]);
  if (drawn < 0.94) return peerWith([`spiffe://td.example/${'a'.repeat(2048)}`]);
  if (drawn < 0.97) return { ...peerWith([]), dnsSans: [id], subject: `CN=${id}` };
  return { ...peerWith([]), presented: drawn < 0.985, validated: false };
}

function peerWith(uriSans: readonly string[]): Peer {
  return { uriSans, dnsSans: [], presented: true, validated: true };
}

export function tagPeer(random: Random, meshes: readonly string[]): Peer {
  if (random.chance(0.05)) return { ...peerWith([]), presented: random.chance(0.5), validated: false };
  if (random.chance(0.03)) return { ...peerWith([]), dnsSans: ['spiffe://default/web', 'kuma://version/v1'] };
  const mesh = random.pick(meshes);
  const services = random.some(universe.tags['kuma.io/service'] ?? [], 1, 2);
  const uris = services.map((service) => `spiffe://${mesh}/${service}`);
  if (random.chance(0.5)) uris.push(...services.map((service) => `kuma://kuma.io/service/${service}`));
  for (const [tag, values] of Object.entries(universe.tags)) {
    if (tag === 'kuma.io/service' || random.chance(0.4)) continue;
    uris.push(...random.some(values, 1, random.chance(0.3) ? 2 : 1).map((value) => `kuma://${tag}/${value}`));
  }
  return peerWith(random.shuffled(uris));
}

/** What WHO6 says of an ID. */
function siteOf(id: string, { site, workloads }: Inventory): RequestSource {
  const domain = id.split('/')[2] ?? '';
  const own = site.ownTrustDomains.includes(domain) && !site.sharedTrustDomains?.includes(domain);
  if (!own || workloads.some((one) => one.spiffeId === id && one.attributes.has('site:name'))) return {};
  const values = [...site.attributes].map(([key, value]) => [key, { value, trust: 'configured' }] as const);
  return {
    attributes: Object.fromEntries(values),
    complete: { 'site:': 'configured', 'cl:site:': 'configured' },
  };
}

/** Undefined: nobody that is known. */
export function sourceOf(peer: Peer, tags: boolean, inventory: Inventory): RequestSource | undefined {
  if (!peer.presented || !peer.validated || peer.uriSans.length === 0) return undefined;
  if (!tags) return { spiffeId: peer.uriSans.join(','), ...siteOf(peer.uriSans[0] ?? '', inventory) };
  const read = readTagCertificate(peer.uriSans, inventory.meshes);
  return 'identity' in read
    ? { ...read.identity, complete: { 'kuma:tag:': 'attested', 'spiffe:': 'attested' } }
    : undefined;
}

export interface Drawn {
  readonly method: string;
  readonly path: string;
  readonly sni?: string;
}

export function drawnRequest(random: Random): Drawn {
  const path = random.pick(random.chance(0.1) ? universe.ambiguousPaths : universe.requestPaths);
  return {
    method: random.pick(universe.methods),
    path: random.chance(0.3) && !path.includes('?') ? `${path}?a=/b/..%2f` : path,
    ...(random.chance(0.4) ? { sni: random.pick(universe.snis) } : {}),
  };
}

/** As the connection manager leaves it to its filters. */
export function seenRequest({ method, path }: Drawn): HttpRequest {
  return { method, path: leftOf(path) };
}

/** Of a path that stays ambiguous only so much is settled as may make it look clear. */
export function leftOf(path: string): string {
  const query = path.indexOf('?');
  const [before, rest] = query < 0 ? [path, ''] : [path.slice(0, query), path.slice(query)];
  return (normalisePath(path) ?? before.replaceAll(/%2e/gi, '.').replaceAll(/(?<!^)\\/g, '/')) + rest;
}
