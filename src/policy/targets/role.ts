import {
  displayName,
  type Head,
  isSystem,
  labelNames,
  ownNamespace,
  systemNamespace,
  zoneOf,
} from '../kinds/head.ts';
import type { TargetRef } from './target-ref.ts';
import type { Targeted } from './targeted.ts';

/** Who wrote a policy for whom (SPEC NS1, NS2). */

export const roles = ['system', 'producer', 'consumer', 'workload-owner'] as const;
export type Role = (typeof roles)[number];

export function roleOf(policy: Targeted): Role {
  const { head, to } = policy;
  if (isSystem(head)) return 'system';
  if (to === undefined) return 'workload-owner';
  const written = head.labels[labelNames.role];
  if (isCopy(head) && (written === 'producer' || written === 'consumer')) return written;
  if (policy.role !== undefined) return policy.role;
  return to.length > 0 && to.every((item) => isProduced(item.targetRef, head)) ? 'producer' : 'consumer';
}

/** Whether a destination is of the policy's own namespace, so that what is said of it is for all its clients. */
export function isProduced(ref: TargetRef, head: Head): boolean {
  switch (ref.kind) {
    case 'MeshService':
    case 'MeshServiceSubset':
    case 'MeshMultiZoneService':
    case 'MeshHTTPRoute':
    case 'MeshTCPRoute':
      if (ref.labels !== undefined) return areOwn(ref.labels, head);
      return isOwn(ref.namespace, head) && isNamedOwn(ref.name ?? '', head);
    default:
      return false;
  }
}

/** A name in Kuma's long form says whose it is, whatever stands beside it. */
function isNamedOwn(name: string, head: Head): boolean {
  const [, namespace] = longName.exec(name) ?? [];
  return namespace === undefined || namespace === ownNamespace(head);
}

/** `name_namespace_svc_port`, the port left out for services that have none. */
const longName = /^[^_]+_([^_]+)_svc(?:_\d+)?$/;

/** In a copy names and namespaces are those of the place it was copied to, and say nothing of who owns what. */
function isOwn(namespace: string | undefined, head: Head): boolean {
  if (isCopy(head)) return false;
  return namespace === undefined || namespace === ownNamespace(head);
}

/** Labels that leave the namespace or the zone open may mean others' things. */
function areOwn(labels: Readonly<Record<string, string>>, head: Head): boolean {
  return (
    labels[labelNames.namespace] === ownNamespace(head) && (labels[labelNames.zone] ?? '') === zoneOf(head)
  );
}

/**
 * Synchronised from elsewhere: it lies in another namespace than its own, or has another name than its owner gave.
 * Where namespaces have owners of their own, labels make nothing a copy: they could say whatever they like.
 */
export function isCopy(head: Head): boolean {
  return isMoved(head) || (isSystemPlace(head.namespace) && displayName(head) !== head.name);
}

function isMoved({ namespace, labels }: Head): boolean {
  return namespace !== undefined && (labels[labelNames.namespace] ?? namespace) !== namespace;
}

/** Whether a label gives it to another namespace than the one that it lies in, which is not where copies lie. */
export function isPosing(head: Head, copiesIn: string): boolean {
  return isMoved(head) && !isSystemPlace(head.namespace) && head.namespace !== copiesIn;
}

/** The namespace that names are looked up in where a reference has none. */
export function placeOf(head: Head): string | undefined {
  if (isCopy(head)) return head.namespace;
  const own = ownNamespace(head);
  return own === '' ? undefined : own;
}

/** The operator's namespace and none at all are the same place: Universal has none. */
export function isSystemPlace(namespace: string | undefined): boolean {
  return namespace === undefined || namespace === '' || namespace === systemNamespace;
}
