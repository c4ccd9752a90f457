import type { Known } from '../attributes/identify.ts';
import { Templates } from '../pdp/model/facts.ts';
import type { Inventory } from '../pdp/model/inventory.ts';

/** What an inventory says of identities. */
export function knownOf({ site, meshes }: Inventory): Known {
  return {
    templates: new Templates(site, meshes),
    own: new Set(site.ownTrustDomains),
    shared: new Set(site.sharedTrustDomains),
    site: site.attributes,
  };
}
