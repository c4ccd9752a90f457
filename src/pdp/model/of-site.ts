import type { Inventory, Workload } from './inventory.ts';
import type { CompletePrefixes } from './request.ts';
import { keys } from './rule.ts';
import { trustDomainOf } from './spiffe-id.ts';

/** Below which a site says all there is. */
export const sitePrefixes = ['site:', 'cl:site:'] as const;

/** Those, and what a site is part of. */
export const siteScopes = [...sitePrefixes, keys.fabric] as const;

/** Keys that a site says all of. */
export function isSiteKey(key: string): boolean {
  return sitePrefixes.some((prefix) => key.startsWith(prefix));
}

/** Those, and what a site is part of. */
export function isOfSite(key: string): boolean {
  return isSiteKey(key) || key === keys.fabric;
}

/** Whether nobody knows if there is a value, of a key that a site does not say; `siteless`: it says nothing (SPEC DST3). */
export function isUnsaid(key: string, siteless: boolean): boolean {
  return key === keys.fabric || (siteless && isSiteKey(key));
}

/** Trust domains whose IDs are of this site and of no other (SPEC WHO6). */
export function domainsOfSite({ site }: Pick<Inventory, 'site'>): readonly string[] {
  return site.ownTrustDomains.filter((name) => site.sharedTrustDomains?.includes(name) !== true);
}

/** IDs of which workloads' documents say themselves at which site they are. */
export function placedIds({ workloads }: Pick<Inventory, 'workloads'>): ReadonlySet<string> {
  const placed = workloads.filter(({ attributes }) => attributes.has(keys.siteName));
  return new Set(placed.flatMap(({ spiffeId }) => spiffeId ?? []));
}

/** Tells whether an ID is of this site and of no other (SPEC WHO6). */
export function idsOfSite(inventory: Pick<Inventory, 'site' | 'workloads'>): (id: string) => boolean {
  const domains = new Set(domainsOfSite(inventory));
  const placed = placedIds(inventory);
  return (id) => domains.has(trustDomainOf(id)) && !placed.has(id);
}

/**
 * Tells whether a workload of the inventory is of this site: its document says another, else its ID says so. One
 * without an ID is known by its document alone, which is this site's (SPEC AZ22).
 */
export function workloadsOfSite(
  inventory: Pick<Inventory, 'site' | 'workloads'>,
): (workload: Workload) => boolean {
  const isHere = idsOfSite(inventory);
  return ({ spiffeId, attributes }) =>
    !attributes.has(keys.siteName) && (spiffeId === undefined || isHere(spiffeId));
}

/** All of a site is said by an operator. */
export const completeForSite: CompletePrefixes = Object.fromEntries(
  sitePrefixes.map((prefix) => [prefix, 'configured']),
);
