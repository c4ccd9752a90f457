import { createHash, X509Certificate } from 'node:crypto';
import type { Asked } from '../../envoy/authz/ask.ts';
import { toldByClaims } from '../../envoy/authz/claims.ts';
import type { Known } from '../../gateway/decide/ask.ts';
import type { Caller, Service } from '../../gateway/service.ts';
import type { Peer } from '../../pdp/model/inventory.ts';
import { type RequestSource, untoldServerNames } from '../../pdp/model/request.ts';
import { inPem } from './evidence.ts';

/** Who asks by the word of another site's gateway, or why that gateway is not believed. */
export interface Spoken {
  readonly source?: RequestSource;
  readonly known: Known;
}

/**
 * A connection of a peer's gateway is one of the workload that its token speaks of. Undefined: it is nobody's gateway,
 * and what claims there are count for nothing. Only who may relay evidence may say what a token was verified to hold.
 */
export async function spokenFor(
  { identify, live }: Service,
  { roles }: Caller,
  { certificate, claims, destination, serverNames }: Asked,
  now: number = Date.now(),
): Promise<Spoken | undefined> {
  const snapshot = live.current();
  if (certificate === undefined || snapshot === undefined || !roles.has('relay')) return undefined;
  const { site, peers } = snapshot.inventory;
  if (peers === undefined || peers.size === 0) return undefined;
  const { source, refused } = await identify({ certificate });
  const peer = refused.length > 0 ? undefined : peerOf(source.spiffeId, peers);
  if (peer === undefined) return undefined;
  const told =
    claims === undefined
      ? undefined
      : toldByClaims(claims, peer, {
          thumbprint: thumbprintOf(certificate),
          audience: site.gateway,
          service: destination?.service,
          now,
        });
  if (told === undefined) return { known: { snapshot, refusal: { reason: 'token-refused' } } };
  const channel = serverNames === undefined ? told.channel : untoldServerNames(told.channel);
  return { source: told.source, known: { snapshot, channel } };
}

function peerOf(id: string | undefined, peers: ReadonlyMap<string, Peer>): Peer | undefined {
  for (const peer of peers.values()) if (peer.gateway === id) return peer;
  return undefined;
}

/** RFC 8705 §3.1. It was read and verified before. */
function thumbprintOf(certificate: string): string {
  return createHash('sha256')
    .update(new X509Certificate(inPem(certificate)).raw)
    .digest('base64url');
}
