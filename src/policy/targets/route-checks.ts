import { type Fields, isFields } from '../../pdp/model/fields.ts';
import type { Path, Violation } from '../../pdp/model/violation.ts';
import { quote } from '../../pdp/model/words.ts';
import { metadataPath, ownNamespace } from '../kinds/head.ts';
import { violation } from '../schema/issues.ts';
import type { Resource } from './resources.ts';
import { isSystemPlace, placeOf } from './role.ts';

/** What a route of a namespace may not say (SPEC NS12). */
export function routeViolations({ kind, head, targeted }: Resource): readonly Violation[] {
  const namespace = ownNamespace(head);
  const isGateways = kind === 'MeshGatewayRoute' || targeted?.targetRef?.kind === 'MeshGateway';
  if (!isGateways || isSystemPlace(namespace)) return [];
  const path =
    kind === 'MeshGatewayRoute'
      ? [...metadataPath(head), 'namespace']
      : [...head.specPath, 'targetRef', 'kind'];
  const message = `got a route of a gateway in the namespace ${quote(namespace)}, want it in "kuma-system": the operator of the mesh decides what enters it`;
  const found = [violation(path, 'conflict', message)];
  for (const { ref, path } of backendRefs(targeted?.to ?? []))
    if (typeof ref['namespace'] === 'string' && ref['namespace'] !== placeOf(head)) {
      const message = `got ${quote(ref['namespace'])}, want ${quote(namespace)}: a route of a gateway sends nothing to another namespace`;
      found.push(violation([...path, 'namespace'], 'conflict', message));
    }
  return found;
}

export interface BackendRef {
  readonly ref: Fields;
  readonly path: Path;
}

/** Where the rules of a route send requests. */
export function backendRefs(items: NonNullable<Resource['targeted']>['to'] & {}): readonly BackendRef[] {
  return items.flatMap(({ conf, path }) =>
    listOf(conf['rules']).flatMap((rule, index) =>
      listOf(isFields(rule['default']) ? rule['default']['backendRefs'] : undefined).map((ref, at) => ({
        ref,
        path: [...path, 'rules', index, 'default', 'backendRefs', at],
      })),
    ),
  );
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}
