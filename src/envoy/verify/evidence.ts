import { certifiedTags } from '../../pdp/model/certified.ts';
import type { Inventory } from '../../pdp/model/inventory.ts';
import type { Request, RequestParts, RequestSource } from '../../pdp/model/request.ts';
import { readTagCertificate } from '../../pdp/model/tag-certificate.ts';
import type { Peer } from '../interpreter/evidence.ts';

/** The destination that is verified: an inbound of a dataplane, or a service. */
export type Destination = DataplaneInbound | { readonly service: string };

export interface DataplaneInbound {
  readonly mesh: string;
  readonly dataplane: string;
  readonly inbound?: string | number;
}

export function meshOf(destination: Destination): string | undefined {
  return 'mesh' in destination ? destination.mesh : undefined;
}

/** Whether its clients have certificates of tags. */
export function hasTags(destination: Destination, { meshes }: Inventory): boolean {
  const mesh = meshOf(destination);
  return mesh !== undefined && meshes.get(mesh)?.certificates === 'tags';
}

/** The question for the PDP with the evidence that Envoy has: the peer's certificate and the request. */
export function questionOf(
  destination: Destination,
  route: string | undefined,
  peer: Peer,
  parts: RequestParts,
  inventory: Inventory,
): Request {
  const source = sourceOf(peer, hasTags(destination, inventory), inventory);
  return requestOf(destination, source, route, peer, parts);
}

/** The question for the PDP with what a token tells of the client. */
export function requestOf(
  destination: Destination,
  source: RequestSource | undefined,
  route: string | undefined,
  peer: Peer,
  parts: RequestParts,
): Request {
  return {
    ...(source === undefined ? {} : { source }),
    // Only inbounds have routes.
    destination: route === undefined || 'service' in destination ? destination : { ...destination, route },
    request: { ...parts, ...(peer.sni === undefined ? {} : { sni: peer.sni }) },
  };
}

function sourceOf(peer: Peer, tags: boolean, inventory: Inventory): RequestSource | undefined {
  if (!peer.presented || !peer.validated || peer.uriSans.length === 0) return undefined;
  if (!tags) {
    // An X509-SVID has one URI name. Of several none is the client's: as one text they are no SPIFFE ID.
    return { spiffeId: peer.uriSans.join(',') };
  }
  const read = readTagCertificate(peer.uriSans, inventory.meshes);
  return 'identity' in read ? certifiedTags(read.identity) : undefined;
}
