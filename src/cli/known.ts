import type { Known } from '../attributes/identify.ts';
import { Templates } from '../pdp/model/facts.ts';
import type { Inventory } from '../pdp/model/inventory.ts';
import { idsOfSite } from '../pdp/model/of-site.ts';

/** What an inventory says of identities. */
export function knownOf(inventory: Inventory): Known {
  const { site, meshes } = inventory;
  return {
    templates: new Templates(site, meshes),
    own: new Set(site.ownTrustDomains),
    isHere: idsOfSite(inventory),
    site: site.attributes,
  };
}
