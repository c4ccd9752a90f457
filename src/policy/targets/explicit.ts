import { labelNames, ownNamespace, zoneOf } from '../kinds/head.ts';
import { placeOf, roleOf } from './role.ts';
import type { TargetRef } from './target-ref.ts';
import type { Item, Targeted } from './targeted.ts';

/** A policy with all that it leaves to be understood written out (SPEC NS3 to NS5). */

/** `zone`: that of policies that are labelled with none. */
export function explicit(policy: Targeted, zone?: string): Targeted {
  const to = policy.to?.map((item) => inPlace(item, policy));
  return { ...policy, targetRef: explicitTop(policy, zone), to };
}

/** Which proxies are meant; never undefined. */
export function explicitTop(policy: Targeted, zone?: string): TargetRef {
  const written = policy.targetRef ?? { kind: 'Mesh' };
  const role = roleOf(policy);
  if (role === 'system' || role === 'producer') return isRoute(written) ? placed(written, policy) : written;
  return bound(written, policy, ownTags(policy, zone));
}

/** The namespace and the zone that a policy of a namespace is bound to. */
export function ownTags({ head }: Targeted, zone?: string): Readonly<Record<string, string>> {
  const own = zoneOf(head) === '' ? zone : zoneOf(head);
  return {
    [labelNames.namespace]: ownNamespace(head),
    ...(own === undefined ? {} : { [labelNames.zone]: own }),
  };
}

function bound(ref: TargetRef, policy: Targeted, own: Readonly<Record<string, string>>): TargetRef {
  switch (ref.kind) {
    case 'Mesh':
    case 'MeshSubset':
      return { ...ref, kind: 'MeshSubset', tags: { ...ref.tags, ...own } };
    case 'MeshService':
    case 'MeshServiceSubset':
      return { ...ref, kind: 'MeshServiceSubset', tags: { ...ref.tags, ...own } };
    case 'Dataplane': {
      if (ref.name === undefined) return { ...ref, labels: { ...ref.labels, ...own } };
      const { [labelNames.namespace]: namespace = '', ...labels } = own;
      return { ...ref, namespace, ...(Object.keys(labels).length === 0 ? {} : { labels }) };
    }
    case 'MeshHTTPRoute':
    case 'MeshTCPRoute':
      return ref.labels === undefined ? placed(ref, policy) : { ...ref, labels: { ...ref.labels, ...own } };
    default:
      return ref;
  }
}

function inPlace(item: Item, policy: Targeted): Item {
  return { ...item, targetRef: placed(item.targetRef, policy) };
}

function isRoute({ kind }: TargetRef): boolean {
  return kind === 'MeshHTTPRoute' || kind === 'MeshTCPRoute';
}

const placedKinds: readonly string[] = [
  'MeshService',
  'MeshServiceSubset',
  'MeshMultiZoneService',
  'MeshExternalService',
  'MeshHTTPRoute',
  'MeshTCPRoute',
];

/** With the namespace in which its name is looked up. */
function placed(ref: TargetRef, { head }: Targeted): TargetRef {
  const namespace = placeOf(head);
  if (namespace === undefined || ref.namespace !== undefined || ref.name === undefined) return ref;
  return placedKinds.includes(ref.kind) ? { ...ref, namespace } : ref;
}
