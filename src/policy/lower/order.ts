import type { Fields } from '../../pdp/model/fields.ts';
import { byText } from '../../pdp/model/text.ts';
import { kriOf } from '../kinds/head.ts';
import { compareStrengths, type NameOrder, type Strength, strengthOf } from '../targets/order.ts';
import { targetedOf } from '../targets/read.ts';
import type { Targeted } from '../targets/targeted.ts';
import { isPermission, type Policy } from './policy.ts';

/** Policy order (SPEC AP5, MTP8). */

/** What a policy is sorted by, worked out once. */
export interface Ranked {
  readonly policy: Policy;
  readonly kri: string;
  /** Permissions, then privileged, then the rest. */
  readonly group: 0 | 1 | 2;
  readonly targeted: Targeted | undefined;
  readonly strength: Strength | undefined;
}

export function ranked(policy: Policy): Ranked {
  const { head } = policy;
  const kri = kriOf(head);
  if (!isPermission(policy)) {
    const group = head.kind === 'PrivilegedAccessPolicy' ? 1 : 2;
    return { policy, kri, group, targeted: undefined, strength: undefined };
  }
  const targeted = targetedOf(head, policy.spec as Fields);
  return { policy, kri, group: 0, targeted, strength: strengthOf(targeted) };
}

/** Of permissions the weaker first, as Kuma attributes; the mesh's order of names has no say in it. */
export function byPolicyOrder(a: Ranked, b: Ranked): number {
  if (a.group !== b.group) return a.group - b.group;
  if (a.strength !== undefined && b.strength !== undefined) return compareStrengths(a.strength, b.strength);
  const [one, other] = [a.policy.head, b.policy.head];
  return byText(one.namespace ?? '', other.namespace ?? '') || byText(one.name, other.name);
}

/**
 * Permissions within the ordered list of one mesh, the weaker first (SPEC TAG1, TAG3). `order`: what the document of the
 * mesh says of names; undefined if it says nothing.
 */
export function byStrength(order: NameOrder | undefined): (a: Ranked, b: Ranked) => number {
  const known = new Map<Ranked, Strength>();
  const of = (one: Ranked): Strength => {
    const found = known.get(one) ?? strengthOf(one.targeted!, order);
    known.set(one, found);
    return found;
  };
  return (a, b) => compareStrengths(of(a), of(b));
}
