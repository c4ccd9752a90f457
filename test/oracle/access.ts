import type { Operator, Pattern } from '../../src/pdp/model/rule.ts';
import type { Trust } from '../../src/pdp/model/trust.ts';
import { onlyShadow, under } from './permissions.ts';
import { type TwinCondition, type TwinRule, tiersOf } from './rule.ts';
import type { AccessSpec, Header, Selector } from './shapes.ts';

/** AccessPolicy and PrivilegedAccessPolicy, in both groups. */

/** [AP5] Namespace, then name. */
export function accessRules(headers: readonly Header[], hierarchical: readonly string[]): TwinRule[] {
  const sorted = [...headers];
  sorted.sort((a, b) => {
    const [left, right] = [a.namespace ?? '', b.namespace ?? ''];
    if (left !== right) return left < right ? -1 : 1;
    if (a.name !== b.name) return a.name < b.name ? -1 : 1;
    return 0;
  });
  const rules: TwinRule[] = [];
  for (const header of sorted) rules.push(...rulesOfPolicy(header, hierarchical));
  return rules;
}

/** [AP2] One rule for each pair. [AP4] Which tiers, and what a namespace binds. */
function rulesOfPolicy(header: Header, hierarchical: readonly string[]): TwinRule[] {
  const spec = header.body as AccessSpec;
  const privileged = header.kind === 'PrivilegedAccessPolicy';
  const tiers = privileged ? tiersOf(spec.action, 1, 0) : tiersOf(spec.action, 3, 2);
  const bound: TwinCondition[] = [];
  if (!privileged) {
    bound.push({
      side: 'destination',
      key: 'placet:namespace',
      op: 'in',
      values: [{ match: 'exact', value: header.namespace ?? '' }],
      floor: undefined,
    });
  }
  const rules: TwinRule[] = [];
  spec.from.forEach((from, i) => {
    spec.to.forEach((to, j) => {
      rules.push({
        kind: header.kind,
        by: {
          policy: header.name,
          kri: `${header.kind}/${header.namespace ?? ''}/${header.name}`,
          effect: spec.action,
          index: i * spec.to.length + j,
        },
        enforced: onlyShadow(header) ? null : tiers.enforced,
        shadow: tiers.shadow,
        conditions: [
          ...bound,
          ...selectorConditions(from.workloadSelector, 'source', hierarchical, spec.trust),
          ...selectorConditions(to.workloadSelector, 'destination', hierarchical, undefined),
        ],
        list: undefined,
      });
    });
  });
  return rules;
}

const operators: Record<string, Operator> = {
  In: 'in',
  NotIn: 'notIn',
  Exists: 'exists',
  DoesNotExist: 'notExists',
};

/** [UNK4] A floor of the policy is one of its source conditions. */
export function selectorConditions(
  selector: Selector,
  side: 'source' | 'destination',
  hierarchical: readonly string[],
  policyFloor: Trust | undefined,
): TwinCondition[] {
  const conditions: TwinCondition[] = [];
  for (const [written, value] of Object.entries(selector.matchLabels ?? {})) {
    const key = canonical(written, side);
    conditions.push({ side, key, op: 'in', values: [pattern(key, value, hierarchical)], floor: policyFloor });
  }
  for (const expression of selector.matchExpressions ?? []) {
    const key = canonical(expression.key, side);
    conditions.push({
      side,
      key,
      op: operators[expression.operator]!,
      values: (expression.values ?? []).map((value) => pattern(key, value, hierarchical)),
      floor: expression.trust ?? policyFloor,
    });
  }
  return conditions;
}

/** [OP2] */
function pattern(key: string, value: string, hierarchical: readonly string[]): Pattern {
  return hierarchical.includes(key) ? under(value) : { match: 'exact', value };
}

const client = 'client.clusterlink.net/';
const exported = 'export.clusterlink.net/';
const peer = 'peer.clusterlink.net/';

/** [AP3] The key that a name of ClusterLink's means on its side; on the wrong side it stays as written. */
export function canonical(written: string, side: 'source' | 'destination'): string {
  if (side === 'source') {
    if (written === `${client}namespace`) return 'k8s:ns';
    if (written === `${client}service-account`) return 'k8s:sa';
    if (written.startsWith(`${client}labels.`)) return `k8s:label:${written.slice(client.length + 7)}`;
  } else {
    if (written === `${exported}namespace`) return 'k8s:ns';
    if (written === `${exported}name`) return 'service:name';
    if (written.startsWith(`${exported}labels.`)) return `k8s:label:${written.slice(exported.length + 7)}`;
  }
  if (written === `${peer}name`) return 'site:name';
  if (written.startsWith(`${peer}labels.`)) return `cl:site:${written.slice(peer.length + 7)}`;
  return written;
}

/** [AP3] Known to be absent, whatever a set says of its completeness. */
export function wrongSide(key: string, side: 'source' | 'destination'): boolean {
  if (side === 'source')
    return (
      key === `${exported}name` || key === `${exported}namespace` || key.startsWith(`${exported}labels.`)
    );
  return (
    key === `${client}namespace` || key === `${client}service-account` || key.startsWith(`${client}labels.`)
  );
}
