import { displayName, type Head, kriOf, labelNames, ownNamespace, zoneOf } from '../kinds/head.ts';
import { isPermission, type Permission, type Policy } from './policy.ts';

/** Policy order (SPEC AP5, MTP8). All text is compared by code unit, so that no locale has a say. */

export const systemNamespace = 'kuma-system';

/** What a policy is sorted by, worked out once. */
export interface Ranked {
  readonly policy: Policy;
  readonly kri: string;
  readonly ranks: readonly number[];
  readonly display: string;
}

/** Larger names first, or, within an ordered list of a mesh that says so, smaller ones. */
export type NameOrder = 'larger-first' | 'smaller-first';

export function ranked(policy: Policy): Ranked {
  const { head } = policy;
  return {
    policy,
    kri: kriOf(head),
    ranks: isPermission(policy) ? permissionRanks(policy) : [head.kind === 'PrivilegedAccessPolicy' ? 1 : 2],
    display: displayName(head),
  };
}

function permissionRanks({ head, spec }: Permission): readonly number[] {
  const target = spec.targetRef;
  return [
    0,
    target?.kind === 'Dataplane' ? 1 : 0,
    target?.sectionName === undefined ? 0 : 1,
    originRank(head),
    isSystem(head) ? 0 : 1,
  ];
}

function originRank(head: Head): number {
  const origin = head.labels[labelNames.origin];
  if (origin === 'global') return 0;
  return origin === 'zone' ? 2 : 1;
}

/** Of the operator of the mesh, rather than of the owner of a namespace (SPEC MTP7). */
export function isSystem(head: Head): boolean {
  const namespace = ownNamespace(head);
  return namespace === '' || namespace === systemNamespace;
}

export function byPolicyOrder(a: Ranked, b: Ranked): number {
  return byRanks(a, b) || (a.ranks[0] === 0 ? byPermissionName(a, b, 'larger-first') : byAccessName(a, b));
}

/** Within the ordered list of one mesh, the weaker policy first (SPEC TAG1, TAG3). */
export function byStrength(order: NameOrder): (a: Ranked, b: Ranked) => number {
  return (a, b) => byRanks(a, b) || byPermissionName(a, b, order);
}

function byRanks(a: Ranked, b: Ranked): number {
  for (let at = 0; at < a.ranks.length && at < b.ranks.length; at++) {
    const difference = a.ranks[at]! - b.ranks[at]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

function byPermissionName(a: Ranked, b: Ranked, order: NameOrder): number {
  const names = byText(a.display, b.display);
  return (
    (order === 'larger-first' ? -names : names) ||
    byText(ownNamespace(a.policy.head), ownNamespace(b.policy.head)) ||
    byText(zoneOf(a.policy.head), zoneOf(b.policy.head)) ||
    byText(a.kri, b.kri)
  );
}

function byAccessName(a: Ranked, b: Ranked): number {
  return (
    byText(a.policy.head.namespace ?? '', b.policy.head.namespace ?? '') ||
    byText(a.policy.head.name, b.policy.head.name)
  );
}

export function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
