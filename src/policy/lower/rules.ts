import { limits } from '../../pdp/model/limits.ts';
import { pushTo } from '../../pdp/model/lists.ts';
import type { Rule } from '../../pdp/model/rule.ts';
import type { Path } from '../../pdp/model/violation.ts';
import { displayName, type Head, type Labels } from '../kinds/head.ts';
import { violation } from '../schema/issues.ts';
import type { NameOrder } from '../targets/order.ts';
import { type Levels, lowerAccess } from './access.ts';
import type { Complain } from './complain.ts';
import { byPolicyOrder, byStrength, type Ranked, ranked } from './order.ts';
import { lowerPermission } from './permission.ts';
import { isPermission, isShadowOnly, type Permission, type Policy } from './policy.ts';
import type { Pool } from './pool.ts';
import { itemsOf, lowerTags } from './tags.ts';

/** A policy that was lowered, for those who speak of policies rather than of rules. */
export interface PolicyInfo {
  readonly kind: Head['kind'];
  /** As its owner knows it. */
  readonly name: string;
  readonly kri: string;
  readonly mesh: string;
  readonly namespace: string | undefined;
  readonly labels: Labels;
  /** Never enforced. */
  readonly shadow: boolean;
  readonly document: number;
  /** Where in the document its own fields stand. */
  readonly path: Path;
  /** Position in policy order. */
  readonly order: number;
  /** Its rules are `rules.slice(first, first + count)`. */
  readonly first: number;
  readonly count: number;
}

export interface Lowered {
  readonly rules: readonly Rule[];
  readonly policies: readonly PolicyInfo[];
}

export interface Settings {
  readonly hierarchical: Levels;
  readonly nameOrder: (mesh: string) => NameOrder | undefined;
}

/** Lowers policies in policy order. */
export function lowerAll(
  policies: readonly Policy[],
  settings: Settings,
  pool: Pool,
  complain: Complain,
): Lowered {
  const order = policies.map(ranked).sort(byPolicyOrder);
  const strengths = strengthsOf(order, settings);
  const rules: Rule[] = [];
  const infos: PolicyInfo[] = [];
  for (const one of order) {
    const first = rules.length;
    lowerOne(one, strengths, settings, pool, (rule) => rules.push(rule));
    const { head } = one.policy;
    for (let at = first; at < rules.length; at++) {
      const got = rules[at]!.when.length;
      if (got <= limits.conditionsPerRule) continue;
      const message = `got ${got} conditions in one rule, want at most ${limits.conditionsPerRule}`;
      complain(head.document, violation(rules[at]!.origin.path, 'limit', message));
      rules.length = first;
    }
    infos.push(infoOf(one, infos.length, first, rules.length - first));
  }
  return { rules, policies: infos };
}

function lowerOne(
  { policy, kri }: Ranked,
  strengths: ReadonlyMap<Policy, number>,
  settings: Settings,
  pool: Pool,
  emit: (rule: Rule) => void,
): void {
  if (!isPermission(policy)) return lowerAccess(policy, kri, settings.hierarchical, pool, emit);
  const items = itemsOf(policy);
  if (items === undefined) lowerPermission(policy, kri, pool, emit);
  else lowerTags(policy, items, kri, strengths.get(policy)!, pool, emit);
}

/** The strength of each policy's first item in the ordered list of its mesh (SPEC TAG1, TAG3). */
function strengthsOf(order: readonly Ranked[], settings: Settings): ReadonlyMap<Policy, number> {
  const byMesh = new Map<string, Ranked[]>();
  for (const one of order) {
    if (!isPermission(one.policy) || itemsOf(one.policy) === undefined) continue;
    const { mesh } = one.policy.head;
    pushTo(byMesh, mesh, one);
  }
  const strengths = new Map<Policy, number>();
  for (const [mesh, list] of byMesh) {
    let strength = 0;
    for (const { policy } of list.sort(byStrength(settings.nameOrder(mesh)))) {
      strengths.set(policy, strength);
      strength += itemsOf(policy as Permission)?.items.length ?? 0;
    }
  }
  return strengths;
}

function infoOf({ policy: { head }, kri }: Ranked, order: number, first: number, count: number): PolicyInfo {
  return {
    kind: head.kind,
    name: displayName(head),
    kri,
    mesh: head.mesh,
    namespace: head.namespace,
    labels: head.labels,
    shadow: isShadowOnly(head),
    document: head.document,
    path: head.specPath,
    order,
    first,
    count,
  };
}
