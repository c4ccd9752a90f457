import type { Inventory } from '../../pdp/model/inventory.ts';
import { channelOf, type Request, type RequestParts, type RequestSource } from '../../pdp/model/request.ts';
import { readTagCertificate } from '../../pdp/model/tag-certificate.ts';
import type { Peer } from '../interpreter/evidence.ts';

/** The destination that is verified: an inbound of a dataplane. */
export interface Destination {
  readonly mesh: string;
  readonly dataplane: string;
  readonly inbound?: string | number;
}

/** Such a certificate has all tags of its workload, and no SPIFFE ID; of what Kubernetes says it says nothing. */
const tagCertificate = { 'kuma:tag:': 'attested', 'spiffe:': 'attested' } as const;

/** What a certificate carries is attested once its chain is verified; of anything else it says nothing. */
export const certificateChannel = channelOf('relay');

/** The question for the PDP with the evidence that Envoy has: the peer's certificate and the request. */
export function questionOf(
  destination: Destination,
  route: string | undefined,
  peer: Peer,
  parts: RequestParts,
  inventory: Inventory,
): Request {
  const source = sourceOf(peer, destination.mesh, inventory);
  return {
    ...(source === undefined ? {} : { source }),
    destination: { ...destination, ...(route === undefined ? {} : { route }) },
    request: { ...parts, ...(peer.sni === undefined ? {} : { sni: peer.sni }) },
  };
}

function sourceOf(peer: Peer, mesh: string, inventory: Inventory): RequestSource | undefined {
  if (!peer.presented || !peer.validated || peer.uriSans.length === 0) return undefined;
  if (inventory.meshes.get(mesh)?.certificates !== 'tags') {
    // An X509-SVID has one URI name. Of several none is the client's: as one text they are no SPIFFE ID.
    return { spiffeId: peer.uriSans.join(',') };
  }
  const read = readTagCertificate(peer.uriSans, inventory.meshes);
  return 'identity' in read ? { ...read.identity, complete: tagCertificate } : undefined;
}
