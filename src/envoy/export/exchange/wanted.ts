import type { Inventory } from '../../../pdp/model/inventory.ts';
import { refused } from '../refused.ts';
import type { Target } from '../target.ts';
import type { ExportOptions, FilterKind } from '../types.ts';
import { type Exchange, peersOf } from './token.ts';

/** Whose tokens an export is to take: only what is exported to other sites has any. */
export function exchangeFor(
  target: Target,
  filter: FilterKind,
  { attributes }: ExportOptions,
  inventory: Inventory,
): Exchange | undefined {
  if (attributes !== 'jwt' || !('service' in target)) return undefined;
  if (filter === 'network')
    throw refused(
      'protocol',
      'got the filter network with attributes out of tokens, want http: a token comes with a request',
      'give --filter http, or --attributes inventory',
    );
  const peers = peersOf(inventory);
  const { gateway } = inventory.site;
  if (peers.length === 0)
    throw refused(
      'exchange',
      'got attributes out of tokens and no peer, want at least one Peer, whose gateway makes them',
    );
  if (gateway === undefined)
    throw refused(
      'exchange',
      'got attributes out of tokens and no gateway of this site, want the one that they are for',
      'name it in the Site: gateway: spiffe://trust-domain/gateway',
    );
  return { peers, audience: gateway, service: target.service };
}
