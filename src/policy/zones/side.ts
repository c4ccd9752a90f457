import { labelNames } from '../kinds/head.ts';
import type { Resource } from './resource.ts';
import { type Digest, type Identity, longestName, syncedName } from './suffix.ts';

/** One end of a synchronisation: a zone, or Global. Which it is, its documents are not asked (SPEC ZON3). */
export interface Side {
  /** Undefined: Global. */
  readonly zone: string | undefined;
  /** Where copies lie; undefined: nowhere, in a deployment without namespaces. */
  readonly systemNamespace: string | undefined;
}

/** Where a document was written, as far as the side it is on can tell. */
export type Origin =
  | { readonly as: 'own' }
  /** A copy whose name proves whose it is. */
  | { readonly as: 'copy'; readonly of: Identity }
  /** Says that it is of elsewhere, and its name does not. */
  | { readonly as: 'claim'; readonly reason: string };

const own: Origin = { as: 'own' };

/** The identity of a document that was written on this side. Which zone that is, its labels are not asked. */
export function identityOf(resource: Resource, side: Side): Identity {
  const { mesh, name } = resource;
  return { mesh, name, zone: side.zone ?? '', namespace: homeOf(resource) };
}

/** The namespace of a document that was written where it lies. Without a field for it, a label says it. */
export function homeOf({ namespace, labels, travel }: Resource): string {
  return travel?.cluster === true ? '' : (namespace ?? labels[labelNames.namespace] ?? '');
}

export function originOf(resource: Resource, side: Side, digest: Digest): Origin {
  const { labels } = resource;
  const zone = labels[labelNames.zone];
  const fromGlobal = labels[labelNames.origin] === 'global';
  const of = copied(resource, digest);
  if (side.zone === undefined) {
    if (zone === undefined && labels[labelNames.origin] !== 'zone') return misplaced(resource) ?? own;
    if (of !== undefined && of.zone !== '') return { as: 'copy', of };
    return { as: 'claim', reason: `says that it is of ${zoneNamed(zone)}, and its name is no copy's` };
  }
  if (fromGlobal) {
    if (of !== undefined) return { as: 'copy', of };
    return { as: 'claim', reason: "says that it is from global, and its name is no copy's" };
  }
  if (zone !== undefined && zone !== side.zone)
    return {
      as: 'claim',
      reason: `says that it is of ${zoneNamed(zone)}, and lies in ${zoneNamed(side.zone)}`,
    };
  // What global holds of this very zone, brought back by hand.
  if (zone !== undefined && of !== undefined) return { as: 'copy', of };
  return misplaced(resource) ?? own;
}

/** Only who knows all four parts can make such a name, and whoever makes it says by it which source it is of. */
function copied({ labels, name, mesh, travel }: Resource, digest: Digest): Identity | undefined {
  const display = labels[labelNames.displayName];
  if (display === undefined) return undefined;
  const of = {
    mesh,
    name: display,
    zone: labels[labelNames.zone] ?? '',
    namespace: labels[labelNames.namespace] ?? '',
  };
  const expected = travel?.named === true ? display : syncedName(of, travel?.longest ?? longestName, digest);
  return name === expected ? of : undefined;
}

/** A label would make it another owner's. */
function misplaced({ namespace, labels, travel }: Resource): Origin | undefined {
  const said = labels[labelNames.namespace];
  if (travel?.cluster === true || said === undefined || namespace === undefined || said === namespace)
    return undefined;
  const [lies, says] = [namespace, said].map((one) => JSON.stringify(one));
  return { as: 'claim', reason: `says that it is of the namespace ${says}, and lies in ${lies}` };
}

export function zoneNamed(zone: string | undefined): string {
  return zone === undefined ? 'a zone' : `the zone ${JSON.stringify(zone)}`;
}

/** What the side itself is called. */
export function sideNamed(side: Side): string {
  return side.zone === undefined ? 'global' : zoneNamed(side.zone);
}
