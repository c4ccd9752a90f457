import { clusterLink, core, kuma, placet } from '../kinds/groups.ts';
import type { Kind, Kinds, Reading } from '../kinds/kind.ts';

/** A kind of documents as the API server has it. */
export interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

export const groups = { placet, kuma, clusterLink, core } as const;

/** Kuma keeps these for the whole cluster, whatever files say of them. */
const ofCluster = new Set(['MeshGateway', 'MeshGatewayRoute', 'ProxyTemplate', 'TrafficLog']);

/** Every kind that is read, in each of its groups. */
export function resourcesOf(kinds: Kinds): readonly Resource[] {
  return [...kinds.values()]
    .filter(isResource)
    .flatMap((kind) => kind.readings.map((reading) => resourceOf(kind, reading)));
}

/**
 * Other spellings of a kind are for files alone; so is what is named after a kind, since no object may have capitals in
 * its name.
 */
function isResource({ name, resource }: Kind): boolean {
  return name !== 'PolicyKind' && (resource === undefined || resource === name);
}

export function resourceOf(kind: Kind, { apiVersion }: Reading): Resource {
  const namespaced = kind.namespace !== 'none' && !ofCluster.has(kind.name);
  return { apiVersion, kind: kind.name, plural: pluralOf(kind.name), namespaced };
}

/** As the tools of Kubernetes form it. */
function pluralOf(kind: string): string {
  const singular = kind.toLowerCase();
  if (/(s|x|ch|sh)$/.test(singular)) return `${singular}es`;
  return /[^aeiou]y$/.test(singular) ? `${singular.slice(0, -1)}ies` : `${singular}s`;
}
