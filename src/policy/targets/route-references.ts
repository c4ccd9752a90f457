import type { Path } from '../../pdp/model/violation.ts';
import { kriOf, named } from '../kinds/head.ts';
import { violation } from '../schema/issues.ts';
import { knots } from './cycles.ts';
import { explicit } from './explicit.ts';
import type { Known } from './known.ts';
import { missing } from './missing.ts';
import type { Resource, Resources } from './resources.ts';
import { placeOf } from './role.ts';
import { backendRefs } from './route-checks.ts';
import type { Say } from './status.ts';
import { isRoute, type TargetRef, targetKinds, targetRefOf, type WrittenTargetRef } from './target-ref.ts';

/** What routes refer to: where they send requests, and other routes (SPEC REF6, REF7). */
export function sayRoutes(resources: Resources, known: Known, say: Say): void {
  const edges = new Map<Resource, readonly Resource[]>();
  for (const route of resources.all) {
    if (route.targeted === undefined) continue;
    const { head } = route;
    const backends = backendsOf(route);
    for (const { ref, path } of backends)
      if (!known.has(ref, head.mesh)) say(head, missing(ref, path, known.namesLike(ref, head.mesh)));
    const { targetRef, to = [] } = explicit(route.targeted);
    const refs = [targetRef!, ...to.map((item) => item.targetRef), ...backends.map(({ ref }) => ref)];
    edges.set(
      route,
      refs.filter(isRoute).flatMap((ref) => resources.resolve(ref, head.mesh)),
    );
  }
  for (const knot of knots([...edges.keys()], (one) => edges.get(one) ?? [])) sayKnot(knot, say);
}

function backendsOf({
  head,
  targeted,
}: Resource): readonly { readonly ref: TargetRef; readonly path: Path }[] {
  return backendRefs(targeted?.to ?? []).flatMap(({ ref, path }) => {
    const target = targetRefOf(ref as WrittenTargetRef);
    // What is no reference as ours are is left to those who send requests.
    if (!targetKinds.includes(target.kind) || (target.name === undefined) === (target.labels === undefined))
      return [];
    const namespace = target.namespace ?? placeOf(head);
    const placed = target.name === undefined || namespace === undefined ? target : { ...target, namespace };
    return [{ ref: placed, path }];
  });
}

/** Every route of a knot says who the others are; so many that they are not all named are counted. */
function sayKnot(knot: readonly Resource[], say: Say): void {
  const members = [...knot].sort((a, b) => (kriOf(a.head) < kriOf(b.head) ? -1 : 1));
  const names = members.slice(0, 5).map(({ head }) => named(head));
  const more = members.length > 5 ? `, and ${members.length - 5} more` : '';
  const message =
    members.length === 1
      ? `got a route that refers to itself, ${names[0]}: policies for it are for nothing`
      : `got routes that refer to each other, ${names.join(', ')}${more}: policies for them are for nothing`;
  for (const { head } of members) say(head, violation(head.root, 'reference', message));
}
