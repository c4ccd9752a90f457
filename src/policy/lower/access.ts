import { canonical } from '../../pdp/model/aliases.ts';
import { type Condition, keys, type Operator, type Side } from '../../pdp/model/rule.ts';
import type { Trust } from '../../pdp/model/trust.ts';
import type { Selector } from '../kinds/access-policy.ts';
import { withoutTrailingSlash } from '../schema/match-flaws.ts';
import { type Access, isShadowOnly, type Sink, tiersOf } from './policy.ts';
import { joined, type Pool } from './pool.ts';

/** An AccessPolicy or PrivilegedAccessPolicy: one rule for each pair out of `from` and `to` (SPEC AP2–AP4). */

export function lowerAccess(policy: Access, kri: string, hierarchical: Levels, pool: Pool, emit: Sink): void {
  const { head, spec } = policy;
  const [allow, deny] = head.kind === 'PrivilegedAccessPolicy' ? ([1, 0] as const) : ([3, 2] as const);
  const [tier, shadow] = tiersOf(spec.action, allow, deny);
  const bound =
    head.kind === 'AccessPolicy' ? [pool.is('destination', keys.namespace, head.namespace ?? 'default')] : [];
  const sources = spec.from.map((entry) =>
    selectorConditions(entry.workloadSelector, 'source', hierarchical, pool, spec.trust),
  );
  const destinations = spec.to.map((entry) =>
    Object.freeze([
      ...bound,
      ...selectorConditions(entry.workloadSelector, 'destination', hierarchical, pool),
    ]),
  );
  for (const [fromIndex, source] of sources.entries()) {
    const path = pool.path(...head.specPath, 'from', fromIndex);
    for (const [toIndex, destination] of destinations.entries()) {
      const index = fromIndex * destinations.length + toIndex;
      emit({
        // Joined, not concatenated: a flat string instead of a chain of halves, kept once a rule.
        id: [kri, '#', index].join(''),
        tier: isShadowOnly(head) ? null : tier,
        shadow,
        when: source.length === 0 ? destination : joined(destination, source),
        origin: {
          policy: head.name,
          kri,
          kind: head.kind,
          effect: spec.action,
          index,
          document: head.document,
          path,
        },
      });
    }
  }
}

/** Keys whose values have levels: a policy value means itself and everything below it (SPEC OP2). */
export type Levels = ReadonlySet<string>;

export function levels(declared: readonly string[]): Levels {
  return new Set(['site:location', keys.spiffeId, ...declared]);
}

const operators = {
  In: 'in',
  NotIn: 'notIn',
  Exists: 'exists',
  DoesNotExist: 'notExists',
} as const satisfies Record<string, Operator>;

export function selectorConditions(
  selector: Selector,
  side: Side,
  hierarchical: Levels,
  pool: Pool,
  trust?: Trust,
): readonly Condition[] {
  const when: Condition[] = [];
  const add = (written: string, op: Operator, values: readonly string[], floor: Trust | undefined) => {
    const key = canonical(written, side);
    if (!hierarchical.has(key)) when.push(pool.any(side, key, op, values, 'exact', floor));
    else when.push(pool.any(side, key, op, values.map(withoutTrailingSlash), 'under', floor));
  };
  const labels = selector.matchLabels ?? {};
  for (const key of Object.keys(labels).sort()) add(key, 'in', [labels[key]!], trust);
  for (const { key, operator, values, trust: floor } of selector.matchExpressions ?? [])
    add(key, operators[operator], values ?? [], floor ?? trust);
  return Object.freeze([...new Set(when)]);
}
