import { isFields } from '../../pdp/model/fields.ts';
import type { Path } from '../../pdp/model/violation.ts';
import type { Targeted } from '../targets/targeted.ts';
import { originOf } from './entries.ts';
import { type FromEntry, selectedClients } from './inbounds.ts';

/** The lists of a permission in the SPIFFE form add up over all policies (SPEC MTP3). */
export const permissionConcat: readonly string[] = ['deny', 'allowWithShadowDeny', 'allow'];

/** What they say of all clients; who each matcher is about it says itself. */
export function permissionLists(policy: Targeted): readonly FromEntry[] {
  const { head, own } = policy;
  if (head.kind !== 'MeshTrafficPermission' || own === undefined) return [];
  const clients = selectedClients({ kind: 'Mesh' }, head.mesh)!;
  const entry = (conf: unknown, path: Path): readonly FromEntry[] =>
    isFields(conf) ? [{ clients, conf, origin: originOf(policy, path, [...path, 'default']) }] : [];
  const rules = Array.isArray(own['rules']) ? own['rules'] : [];
  return [
    ...entry(own['default'], head.specPath),
    ...rules.flatMap((rule: unknown, index) =>
      isFields(rule) ? entry(rule['default'], [...head.specPath, 'rules', index]) : [],
    ),
  ];
}
