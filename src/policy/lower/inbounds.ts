import { type Condition, keys, serviceTag } from '../../pdp/model/rule.ts';
import { type Head, isSystem, type Labels, labelNames } from '../kinds/head.ts';
import { ownTags, placeOfRoute } from '../targets/explicit.ts';
import { type TargetRef, targetRefOf } from '../targets/target-ref.ts';
import type { Permission } from './policy.ts';
import type { Pool } from './pool.ts';
import { tagConditions } from './tag-conditions.ts';

/** Which inbounds a permission governs (SPEC MTP2, MTP7, TAG5), as conditions that all its rules share. */
export function inboundConditions({ head, spec }: Permission, pool: Pool): readonly Condition[] {
  const when = [
    pool.is('destination', keys.mesh, head.mesh),
    ...targetConditions(targetRefOf(spec.targetRef), head, pool),
  ];
  // As the target has them in its most explicit form (SPEC NS3), in which a Dataplane has labels.
  const own = ownTags(head);
  const byLabels = targetRefOf(spec.targetRef).kind === 'Dataplane';
  when.push(...(byLabels ? labelConditions(own, pool) : tagConditions('destination', own, pool)));
  return Object.freeze([...new Set(when)]);
}

function labelConditions(labels: Labels, pool: Pool): readonly Condition[] {
  return Object.keys(labels)
    .sort()
    .map((label) => pool.is('destination', keys.dataplaneLabel + label, labels[label]!));
}

function targetConditions(target: TargetRef, head: Head, pool: Pool): readonly Condition[] {
  const is = (key: string, value: string) => pool.is('destination', key, value);
  const { kind, name, labels = {}, sectionName } = target;
  // A namespace can name none but its own, which it is bound to anyway (SPEC NS11).
  const namespace = isSystem(head) ? target.namespace : undefined;
  const types = target.proxyTypes ?? [];
  const ofType = types.length === 0 ? [] : [pool.any('destination', keys.proxyType, 'in', types, 'exact')];
  const tags = () => tagConditions('destination', target.tags ?? {}, pool);
  switch (kind) {
    case 'MeshSubset':
      return [...ofType, ...tags()];
    case 'MeshService':
    case 'MeshServiceSubset':
      return [is(keys.tag + serviceTag, name!), ...tags()];
    case 'Dataplane':
      return [
        ...labelConditions(labels, pool),
        ...(name === undefined ? [] : [is(keys.dataplane, name)]),
        ...(namespace === undefined ? [] : [is(keys.dataplaneLabel + labelNames.namespace, namespace)]),
        ...(sectionName === undefined ? [] : [is(keys.section, sectionName)]),
      ];
    case 'MeshGatewayRoute':
    case 'MeshHTTPRoute': {
      const place = placeOfRoute(target, head);
      return [is(keys.route, place === undefined ? name! : `${place}/${name}`)];
    }
    default:
      return ofType;
  }
}
