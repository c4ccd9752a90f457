import { type Condition, keys } from '../../pdp/model/rule.ts';
import { labelNames, ownNamespace, zoneOf } from '../kinds/head.ts';
import { isSystem } from './order.ts';
import type { Permission } from './policy.ts';
import type { Pool } from './pool.ts';

/** Which inbounds a permission governs (SPEC MTP2, MTP7), as conditions that all its rules share. */
export function inboundConditions({ head, spec }: Permission, pool: Pool): readonly Condition[] {
  const is = (key: string, value: string) => pool.is('destination', key, value);
  const label = (name: string, value: string) => is(keys.dataplaneLabel + name, value);
  const when = [is(keys.mesh, head.mesh)];
  const target = spec.targetRef ?? {};
  for (const name of Object.keys(target.labels ?? {}).sort()) when.push(label(name, target.labels![name]!));
  if (target.name !== undefined) when.push(is(keys.dataplane, target.name));
  if (target.namespace !== undefined) when.push(label(labelNames.namespace, target.namespace));
  if (target.sectionName !== undefined) when.push(is(keys.section, String(target.sectionName)));
  if (!isSystem(head)) {
    when.push(label(labelNames.namespace, ownNamespace(head)));
    if (zoneOf(head) !== '') when.push(label(labelNames.zone, zoneOf(head)));
  }
  return Object.freeze([...new Set(when)]);
}
