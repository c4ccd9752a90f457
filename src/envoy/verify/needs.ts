import { certificateChannel } from '../../pdp/model/certified.ts';
import { findDataplane, type Inventory } from '../../pdp/model/inventory.ts';
import type { Needs } from './check.ts';
import type { Decide } from './compare.ts';
import { type Destination, hasTags, meshOf, questionOf } from './evidence.ts';
import { type Mentioned, mentionedByFilter, nothingMentioned } from './mentioned.ts';
import type { Verifying } from './verifying.ts';
import type { Way } from './ways.ts';

/** What is known of the destination, and of what its policies and filters read. */
export function needsOf(verifying: Verifying, mentioned: Mentioned, ways: readonly Way[]): Needs {
  const { inventory, destination, decide } = verifying;
  const tags = hasTags(destination, inventory);
  const tokens = verifying.tokens === true && 'service' in destination;
  const filtered = nothingMentioned();
  for (const { sources } of ways) for (const source of sources) mentionedByFilter(source, filtered);
  return {
    protocol: protocolOf(destination, inventory),
    tags,
    tokens,
    trustDomains: tokens ? gatewayDomains(inventory) : trustDomainsOf(destination, inventory),
    readsPaths: filtered.paths.size > 0 || deniesAmbiguous(destination, inventory, decide),
    readsSnis: filtered.snis.size > 0 || mentioned.snis.size > 0,
    readsOthers: [...filtered.others].filter((one) => !tokens || one !== 'tokens').sort(),
    readsValidation: JSON.stringify(ways.map(({ sources }) => sources)).includes(
      '.mtls_authenticated.v3.Config',
    ),
  };
}

function protocolOf(destination: Destination, inventory: Inventory): Needs['protocol'] {
  if ('service' in destination) return 'http';
  const { mesh, dataplane, inbound } = destination;
  const inbounds = findDataplane(inventory, mesh, dataplane)?.inbounds.filter(
    ({ name, port }) => inbound === undefined || [name, String(port)].includes(String(inbound)),
  );
  const only = new Set(inbounds?.map(({ protocol }) => protocol));
  return only.size === 1 ? [...only][0] : undefined;
}

function trustDomainsOf(destination: Destination, inventory: Inventory): readonly string[] {
  const mesh = meshOf(destination);
  if (mesh === undefined) return inventory.site.trustDomains.map(({ name }) => name);
  return hasTags(destination, inventory) ? [mesh] : (inventory.meshes.get(mesh)?.trustDomains ?? []);
}

/** With tokens nobody connects but the gateways of peers. */
function gatewayDomains({ peers }: Inventory): readonly string[] {
  return [...new Set([...(peers?.values() ?? [])].map(({ gateway }) => gateway.split('/')[2] ?? ''))].sort();
}

/** Of any client with an identity: an ambiguous path is denied for all of them, or for none. */
function deniesAmbiguous(destination: Destination, inventory: Inventory, decide: Decide): boolean {
  const uri = hasTags(destination, inventory) ? `spiffe://${meshOf(destination)}/any` : 'spiffe://any/any';
  const peer = { uriSans: [uri], dnsSans: [], presented: true, validated: true };
  const question = questionOf(destination, undefined, peer, { method: 'GET', path: '/%2F' }, inventory);
  return decide(question, certificateChannel).reason === 'ambiguous-path';
}
