import type { Peer } from '../../pdp/model/inventory.ts';
import type { Path } from '../../pdp/model/violation.ts';
import { quote } from '../../pdp/model/words.ts';
import type { Head } from '../kinds/head.ts';
import type { PeerSpec } from '../kinds/peer.ts';
import { violation } from '../schema/issues.ts';
import type { Complain } from './complain.ts';
import { attributesOf, type SiteEntry } from './site.ts';

export interface PeerEntry {
  readonly head: Head;
  readonly spec: PeerSpec;
}

/** `entries` in an order that does not depend on the order of documents; `own`: the name of this site. */
export function peersOf(
  entries: readonly PeerEntry[],
  sites: readonly SiteEntry[],
  own: string | undefined,
  complain: Complain,
): ReadonlyMap<string, Peer> {
  const peers = new Map<string, Peer>();
  const byGateway = new Map<string, string>();
  for (const { head, spec } of entries) {
    const refuse = (path: Path, message: string) =>
      complain(head.document, violation([...head.specPath, ...path], 'conflict', message));
    const { gateway, trustDomains, keys, trustUpTo = 'reported' } = spec;
    const same = byGateway.get(gateway);
    if (head.name === own) refuse([], `got a peer ${quote(head.name)}, which is this site itself`);
    if (same !== undefined)
      refuse(['gateway'], `got ${quote(gateway)}, which is the gateway of ${quote(same)} already`);
    for (const [index, { kid }] of keys.entries())
      if (keys.findIndex((one) => one.kid === kid) !== index)
        refuse(['keys', index, 'kid'], `got a second key ${quote(kid)}, want each once`);
    byGateway.set(gateway, same ?? head.name);
    const site = sites.find((one) => one.head.name === head.name);
    peers.set(head.name, {
      name: head.name,
      gateway,
      trustDomains: [...new Set(trustDomains)].sort(),
      keys: keys.map(({ kty, crv, kid, x, y }) => ({ kty, crv, kid, x, ...(y === undefined ? {} : { y }) })),
      trustUpTo,
      attributes: site === undefined ? new Map([['site:name', head.name]]) : attributesOf(site),
    });
  }
  return peers;
}
