import { type Head, kriOf } from '../kinds/head.ts';
import type { Entry, Registry } from '../kinds/seen.ts';
import { onlyOnce } from './duplicates.ts';
import type { PolicyKind } from './policy-kind.ts';
import { targetedOf } from './read.ts';
import { labelsOf, type Resource, Resources } from './resources.ts';
import { isCopy, isProduced } from './role.ts';
import type { Say } from './status.ts';
import { isRoute } from './target-ref.ts';
import type { Targeted } from './targeted.ts';

/** Documents to policies and what they name, each once. */

export interface Assembled {
  readonly resources: Resources;
  /** Of described kinds and permissions; routes are resources. */
  readonly policies: readonly Targeted[];
}

export function assemble(
  seen: Registry,
  kinds: ReadonlyMap<string, PolicyKind>,
  whereabouts: (head: Head) => string,
  say: Say,
): Assembled {
  const once = <E extends Entry>(entries: readonly E[], keyOf: (entry: E) => string) =>
    onlyOnce(entries, keyOf, whereabouts, say);
  const things = once(seen.resources, (entry) =>
    [entry.kind, entry.head.mesh, entry.head.namespace ?? '', entry.head.name].join(' '),
  );
  const plain = things.map(
    ({ kind, head, spec }): Resource => ({
      kind,
      head,
      spec,
      labels: labelsOf(head),
      targeted: isRoute({ kind }) ? targetedOf(head, spec) : undefined,
    }),
  );
  const zones = seen.zones.map((head) => head.name);
  const first = new Resources(plain, zones);
  const withRole = (policy: Targeted): Targeted => roleByReferences(policy, first);
  const resources = new Resources(
    plain.map((one) => (one.targeted === undefined ? one : { ...one, targeted: withRole(one.targeted) })),
    zones,
  );
  const described = once(seen.described, ({ head }) => kriOf(head)).filter(({ head }) =>
    kinds.has(head.kind),
  );
  const permissions = seen.policies.filter(({ head }) => head.kind === 'MeshTrafficPermission');
  const policies = [...described, ...(permissions as readonly Entry[])].map(({ head, spec }) =>
    withRole(targetedOf(head, spec)),
  );
  return { resources, policies };
}

/** A copy's references were rewritten; what they lead to says whose it was. */
function roleByReferences(policy: Targeted, resources: Resources): Targeted {
  const { head, to } = policy;
  if (to === undefined || to.length === 0 || !isCopy(head)) return policy;
  const own = to.every(({ targetRef }) => {
    const { namespace = head.namespace } = targetRef;
    const ref = namespace === undefined ? targetRef : { ...targetRef, namespace };
    const found = targetRef.labels === undefined ? resources.resolve(ref, head.mesh) : [];
    const labels = targetRef.labels ?? (found[0] && Object.fromEntries(found[0].labels));
    return labels !== undefined && isProduced({ kind: targetRef.kind, labels }, head);
  });
  return { ...policy, role: own ? 'producer' : 'consumer' };
}
