import type { Inventory } from './inventory.ts';
import type { RequestSource, StatedValue } from './request.ts';
import { keys } from './rule.ts';
import { trustDomainOf } from './spiffe-id.ts';

/** Below which a site says all there is. */
export const sitePrefixes = ['site:', 'cl:site:'] as const;

/** Trust domains whose IDs are of this site and of no other (SPEC WHO6). */
export function domainsOfSite({ site }: Pick<Inventory, 'site'>): readonly string[] {
  return site.ownTrustDomains.filter((name) => site.sharedTrustDomains?.includes(name) !== true);
}

/** IDs of which workloads' documents say themselves at which site they are. */
export function placedIds({ workloads }: Pick<Inventory, 'workloads'>): ReadonlySet<string> {
  const placed = workloads.filter(({ attributes }) => attributes.has(keys.siteName));
  return new Set(placed.flatMap(({ spiffeId }) => spiffeId ?? []));
}

/** What an ID that was verified says of the site of its client, as a request states it. */
export class SiteOfIds {
  readonly #domains: ReadonlySet<string>;
  readonly #placed: ReadonlySet<string>;
  readonly #said: Pick<RequestSource, 'attributes' | 'complete'>;

  constructor(inventory: Pick<Inventory, 'site' | 'workloads'>) {
    const { attributes } = inventory.site;
    this.#domains = new Set(attributes.size === 0 ? [] : domainsOfSite(inventory));
    this.#placed = placedIds(inventory);
    const values = [...attributes].map(([key, value]): [string, StatedValue] => [
      key,
      { value, trust: 'configured' },
    ]);
    this.#said = {
      attributes: Object.fromEntries(values),
      complete: Object.fromEntries(sitePrefixes.map((prefix) => [prefix, 'configured' as const])),
    };
  }

  /** Nothing of those that may be of another. */
  saidBy(id: string): Pick<RequestSource, 'attributes' | 'complete'> {
    return this.#domains.has(trustDomainOf(id)) && !this.#placed.has(id) ? this.#said : {};
  }
}
