import { type Fields, isFields } from '../../pdp/model/fields.ts';
import { type Head, type Labels, labelNames } from '../kinds/head.ts';
import { type Role, roleOf } from '../targets/role.ts';
import { type TargetRef, targetRefOf } from '../targets/target-ref.ts';
import type { Item } from '../targets/targeted.ts';
import type { Resource } from './resource.ts';
import { homeOf, type Side } from './side.ts';

/** The role of a policy where it was written, of kinds too that are not read otherwise (SPEC NS1, NS2). */
export function roleIn(resource: Resource, side: Side): Role {
  const home = homeOf(resource);
  if (home === '' || home === side.systemNamespace) return 'system';
  const { apiVersion = '', kind, name, mesh, labels, document, root } = resource;
  const { [labelNames.displayName]: _, ...own } = labels;
  const head: Head = {
    kind,
    apiVersion,
    name,
    namespace: home,
    mesh,
    labels: { ...own, [labelNames.zone]: side.zone ?? '', [labelNames.namespace]: home },
    document,
    root,
    specPath: root,
  };
  const to = itemsOf(resource.value);
  return roleOf({ head, form: 'later-overrides', targetRef: undefined, to, from: undefined, own: undefined });
}

/** Only what they are about: what an undescribed kind configures is nobody's here. */
function itemsOf(value: Fields): readonly Item[] | undefined {
  const body = isFields(value['spec']) ? value['spec'] : value;
  const items = body['to'] ?? (isFields(body['conf']) ? body['conf']['to'] : undefined);
  if (!Array.isArray(items)) return undefined;
  return items.map((item: unknown, index) => ({
    targetRef: refOf(isFields(item) ? item['targetRef'] : undefined),
    conf: {},
    path: ['to', index],
  }));
}

/** A reference that cannot be read may be to anything, which is to all of the mesh. */
function refOf(written: unknown): TargetRef {
  if (!isFields(written)) return targetRefOf(undefined);
  const { kind, name, namespace, labels } = written;
  if (typeof kind !== 'string' || (namespace !== undefined && typeof namespace !== 'string'))
    return targetRefOf(undefined);
  const placed = namespace === undefined ? {} : { namespace };
  if (isFields(labels)) return targetRefOf({ kind, ...placed, labels: labels as Labels });
  return targetRefOf(typeof name === 'string' ? { kind, name, ...placed } : undefined);
}
