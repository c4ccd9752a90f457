import type { Inventory } from './inventory.ts';
import { sitesOfIds } from './of-site.ts';
import { type Channel, type CompletePrefixes, channelOf, type RequestSource } from './request.ts';
import type { TagIdentity } from './tag-certificate.ts';

/** What a verified certificate alone says of its client: the rest is unknown, not absent (SPEC WHO1, WHO5, WHO6). */

/** What it carries, and says that there is not, is attested. */
export const certificateChannel: Channel = { ...channelOf('relay'), ceiling: 'attested' };

/** A tag mesh's has all tags of its workload, and no SPIFFE ID; of what Kubernetes says it says nothing. */
export const tagCertificate: CompletePrefixes = { 'kuma:tag:': 'attested', 'spiffe:': 'attested' };

export function certifiedTags({ mesh, tags }: TagIdentity): RequestSource {
  return { mesh, tags, complete: tagCertificate };
}

/** What else an ID says is read off it by `decide`; of which site it is, by the inventory alone. */
export function certifiedIds(
  inventory: Pick<Inventory, 'site' | 'workloads'>,
): (id: string) => RequestSource {
  const siteOf = sitesOfIds(inventory);
  return (spiffeId) => ({ spiffeId, ...siteOf(spiffeId) });
}
