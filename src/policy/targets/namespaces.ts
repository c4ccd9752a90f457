import type { Violation } from '../../pdp/model/violation.ts';
import { oneOf, quote } from '../../pdp/model/words.ts';
import { type Head, labelNames, metadataPath, ownNamespace, systemNamespace, zoneOf } from '../kinds/head.ts';
import { violation } from '../schema/issues.ts';
import type { PolicyKind } from './policy-kind.ts';
import { isCopy, isPosing, isProduced, isSystemPlace, roleOf } from './role.ts';
import type { TargetRef } from './target-ref.ts';
import type { Targeted } from './targeted.ts';

/** What a policy of a namespace may not say (SPEC NS7 to NS11). */

export interface Place {
  /** Whether the documents are those of a global control plane: they have Zones, and no Site says which zone it is. */
  readonly isGlobal: boolean;
}

/** `kind`: what is known of the policy's kind; undefined for kinds of the code. */
export function namespaceViolations(
  policy: Targeted,
  kind: PolicyKind | undefined,
  place: Place,
): readonly Violation[] {
  const { head } = policy;
  return [
    ...elsewhere(head, place),
    ...(roleOf(policy) === 'system' ? [] : [...arrays(policy), ...gateway(policy, kind), ...foreign(policy)]),
    ...roleLabel(policy),
  ];
}

/** Before anything is said of names: one that poses as another's would stand in the way of it. */
export function posingViolation(head: Head, copiesIn: string): Violation | undefined {
  if (!isPosing(head, copiesIn)) return undefined;
  const label = head.labels[labelNames.namespace]!;
  const message = `got ${quote(label)}, want ${quote(head.namespace!)}, in which it lies: only synchronised copies are of another namespace, and they lie in ${quote(copiesIn)}`;
  return violation([...metadataPath(head), 'labels', labelNames.namespace], 'conflict', message);
}

/** Namespaces of their own are only where the proxies are. */
export function elsewhere(head: Head, place: Place): readonly Violation[] {
  if (isSystemPlace(head.namespace)) return [];
  const origin = head.labels[labelNames.origin];
  const isZones = origin === 'zone' || (origin === undefined && zoneOf(head) !== '');
  if (isZones || (origin === undefined && !place.isGlobal)) return [];
  const why = origin === 'global' ? 'its origin is global' : 'these documents have Zones, as a global has';
  const message = `got ${quote(head.namespace!)}, want ${quote(systemNamespace)} or none: ${why}, and policies lie in other namespaces on zones only`;
  const hint = origin === 'global' ? undefined : 'label it with "kuma.io/origin": "zone" if it is of a zone';
  return [violation([...metadataPath(head), 'namespace'], 'conflict', message, hint)];
}

function arrays(policy: Targeted): readonly Violation[] {
  const { head, to, from } = policy;
  const found: Violation[] = [];
  if (to !== undefined && from !== undefined) {
    const other = from[0]?.path.at(-2) === 'rules' ? 'rules' : 'from';
    const message = `got "to" and "${other}" in the namespace ${quote(ownNamespace(head))}, want one of them: write two policies`;
    const path = from[0]?.path.slice(0, -1) ?? [...head.specPath, 'from'];
    found.push(violation(path, 'conflict', message));
  }
  if (to === undefined || to.length === 0 || isCopy(head)) return found;
  const first = isProduced(to[0]!.targetRef, head);
  for (const [index, item] of to.entries()) {
    if (isProduced(item.targetRef, head) === first) continue;
    const where = first ? 'outside of' : 'in';
    const message = `got a destination ${where} the namespace ${quote(ownNamespace(head))} after one ${first ? 'in' : 'outside of'} it in to[0], want them in two policies`;
    found.push(violation([...to[index]!.path, 'targetRef'], 'conflict', message));
  }
  return found;
}

/** A gateway is of the whole cluster: only what a producer says of the way to its own service may be for it. */
function gateway(policy: Targeted, kind: PolicyKind | undefined): readonly Violation[] {
  const { head, targetRef } = policy;
  if (targetRef?.kind !== 'MeshGateway') return [];
  const role = roleOf(policy);
  if (role === 'producer' && kind?.clusters === true) return [];
  const why =
    role === 'producer'
      ? `a ${head.kind} configures more than clusters`
      : `this is the policy of a ${role}, and a gateway is of the whole cluster`;
  const message = `got "MeshGateway" in the namespace ${quote(ownNamespace(head))}, want another kind: ${why}`;
  const hint = role === 'producer' ? 'name a route of the gateway in "to"' : undefined;
  return [violation([...head.specPath, 'targetRef', 'kind'], 'conflict', message, hint)];
}

/** Consumers and owners of workloads speak of their own namespace and zone, and cannot name others. */
function foreign(policy: Targeted): readonly Violation[] {
  const { head, targetRef } = policy;
  const role = roleOf(policy);
  if (targetRef === undefined || role === 'producer') return [];
  const found: Violation[] = [];
  const look = (got: string | undefined, own: string, path: readonly string[]) => {
    if (got === undefined || own === '' || got === own) return;
    const message = `got ${quote(got)}, want ${quote(own)}: a policy selects dataplanes of its own namespace and zone`;
    found.push(violation([...head.specPath, 'targetRef', ...path], 'conflict', message));
  };
  if (!isCopy(head) || targetRef.namespace !== head.namespace)
    look(targetRef.namespace, ownNamespace(head), ['namespace']);
  for (const field of ['tags', 'labels'] as const) {
    const written: TargetRef['tags'] = targetRef[field];
    look(written?.[labelNames.namespace], ownNamespace(head), [field, labelNames.namespace]);
    look(written?.[labelNames.zone], zoneOf(head), [field, labelNames.zone]);
  }
  return found;
}

/** Kuma writes the role as a label; of a copy that label is what says it. */
function roleLabel(policy: Targeted): readonly Violation[] {
  const { head, to } = policy;
  const written = head.labels[labelNames.role];
  if (written === undefined) return [];
  const role = roleOf(policy);
  const possible =
    isCopy(head) && role !== 'system' && to !== undefined ? ['producer', 'consumer'] : [role as string];
  if (possible.includes(written)) return [];
  const message = `got ${quote(written)}, want ${oneOf(possible.map(quote))}, which is what the policy is by its namespace and its arrays`;
  return [violation([...metadataPath(head), 'labels', labelNames.role], 'conflict', message)];
}
