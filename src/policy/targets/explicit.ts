import { type Head, isSystem, type Labels, labelNames, ownNamespace, zoneOf } from '../kinds/head.ts';
import { placeOf, roleOf } from './role.ts';
import { isRoute, type TargetRef } from './target-ref.ts';
import type { Item, Targeted } from './targeted.ts';

/** A policy with all that it leaves to be understood written out (SPEC NS3 to NS5). */

/** `zone`: that of policies that are labelled with none. */
export function explicit(policy: Targeted, zone?: string): Targeted {
  const meant = inZone(policy, zone);
  const to = policy.to?.map((item) => inPlace(item, policy));
  return { ...policy, targetRef: explicitTop(meant), to };
}

/** As it would be labelled in the zone; what is of Global has none there either. */
export function inZone(policy: Targeted, zone: string | undefined): Targeted {
  const { head } = policy;
  if (zone === undefined || zoneOf(head) !== '' || isGlobal(head)) return policy;
  return { ...policy, head: { ...head, labels: { ...head.labels, [labelNames.zone]: zone } } };
}

/** Which proxies are meant; never undefined. */
export function explicitTop(policy: Targeted): TargetRef {
  const { head, targetRef = { kind: 'Mesh' } } = policy;
  const role = roleOf(policy);
  if (role === 'producer') return inOwnPlace(targetRef, policy);
  return bound(targetRef, policy, ownTags(head));
}

/**
 * Its kind counts in the order of policies. A system policy is for all that its zone has, whether or not it says which
 * zone that is: saying it makes it no narrower.
 */
export function rankedTop(policy: Targeted): TargetRef {
  const top = explicitTop(policy);
  const tags = Object.entries(top.tags ?? {});
  const own = ownTags(policy.head);
  if (roleOf(policy) !== 'system' || !tags.every(([tag, value]) => own[tag] === value)) return top;
  if (tags.length === 0) return top;
  const wider =
    top.kind === 'MeshSubset' ? 'Mesh' : top.kind === 'MeshServiceSubset' ? 'MeshService' : top.kind;
  return { ...top, kind: wider };
}

/** What a policy that is no producer's is bound to: in a namespace to that and its zone, in the system's to its zone. */
export function ownTags(head: Head): Labels {
  const zone = isSystem(head) && isGlobal(head) ? '' : zoneOf(head);
  return {
    ...(isSystem(head) ? {} : { [labelNames.namespace]: ownNamespace(head) }),
    ...(zone === '' ? {} : { [labelNames.zone]: zone }),
  };
}

function isGlobal({ labels }: Head): boolean {
  return labels[labelNames.origin] === 'global';
}

function bound(ref: TargetRef, policy: Targeted, own: Labels): TargetRef {
  if (Object.keys(own).length === 0) return inOwnPlace(ref, policy);
  switch (ref.kind) {
    case 'Mesh':
    case 'MeshSubset':
      return { ...withOwn(ref, 'tags', own), kind: 'MeshSubset' };
    case 'MeshService':
    case 'MeshServiceSubset':
      return { ...withOwn(ref, 'tags', own), kind: 'MeshServiceSubset' };
    case 'Dataplane': {
      if (ref.name === undefined) return withOwn(ref, 'labels', own);
      const { [labelNames.namespace]: namespace = ref.namespace, ...labels } = own;
      return {
        ...ref,
        ...(namespace === undefined ? {} : { namespace }),
        ...(Object.keys(labels).length === 0 ? {} : { labels }),
      };
    }
    case 'MeshHTTPRoute':
    case 'MeshTCPRoute':
      if (ref.labels === undefined || isSystem(policy.head))
        return { ...inOwnPlace(ref, policy), within: own };
      return { ...withOwn(ref, 'labels', own), within: own };
    default:
      return { ...ref, within: own };
  }
}

/** What is written stays; where it says otherwise, both must hold. */
function withOwn(ref: TargetRef, field: 'tags' | 'labels', own: Labels): TargetRef {
  const written = ref[field] ?? {};
  const said = Object.keys(own).every((key) => (written[key] ?? own[key]) === own[key]);
  return { ...ref, [field]: { ...written, ...own, ...written }, ...(said ? {} : { within: own }) };
}

function inOwnPlace(ref: TargetRef, policy: Targeted): TargetRef {
  if (!isRoute(ref)) return ref;
  if (policy.head.kind !== 'MeshTrafficPermission') return placed(ref, policy);
  const namespace = placeOfRoute(ref, policy.head);
  return namespace === undefined ? ref : { ...ref, namespace };
}

/** Permissions name routes as requests do, and look none up (SPEC DST8). Undefined: in whichever namespace. */
export function placeOfRoute({ kind, namespace }: TargetRef, head: Head): string | undefined {
  if (isSystem(head)) return namespace;
  const own = ownNamespace(head);
  // A copy's route is a copy too, which has its name to itself; and routes of gateways have no namespaces.
  if (namespace !== undefined) return namespace === own ? own : undefined;
  return kind === 'MeshGatewayRoute' ? undefined : own;
}

function inPlace(item: Item, policy: Targeted): Item {
  return { ...item, targetRef: placed(item.targetRef, policy) };
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
