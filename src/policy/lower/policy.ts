import type { Rule, Tier, WrittenEffect } from '../../pdp/model/rule.ts';
import type { AccessPolicySpec } from '../kinds/access-policy.ts';
import { type Head, labelNames } from '../kinds/head.ts';
import type { MeshTrafficPermissionSpec } from '../kinds/mesh-traffic-permission.ts';

/** A policy that is right by itself, on its way to rules. */
export type Policy = Permission | Access;

export interface Permission {
  readonly head: Head & { readonly kind: 'MeshTrafficPermission' };
  readonly spec: MeshTrafficPermissionSpec;
}

export interface Access {
  readonly head: Head & { readonly kind: 'AccessPolicy' | 'PrivilegedAccessPolicy' };
  readonly spec: AccessPolicySpec;
}

export function isPermission(policy: Policy): policy is Permission {
  return policy.head.kind === 'MeshTrafficPermission';
}

/** Labelled so that it is never enforced (SPEC SHD2). */
export function isShadowOnly(head: Head): boolean {
  return head.labels[labelNames.effect] === 'shadow';
}

/** Enforced and shadow. */
export function tiersOf(effect: WrittenEffect, allow: Tier, deny: Tier): readonly [Tier, Tier] {
  switch (effect) {
    case 'allow':
      return [allow, allow];
    case 'deny':
      return [deny, deny];
    case 'allowWithShadowDeny':
      return [allow, deny];
    case 'denyWithShadowAllow':
      return [deny, allow];
  }
}

export type Sink = (rule: Rule) => void;
