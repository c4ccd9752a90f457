import type { Violation } from '../../pdp/model/violation.ts';
import type { Assembled } from './assemble.ts';
import { elsewhere, namespaceViolations, type Place } from './namespaces.ts';
import type { PolicyKind } from './policy-kind.ts';
import { type Resource, Resources } from './resources.ts';
import { routeViolations } from './route-checks.ts';

/** What is right by its namespace; the rest is said and left out. `isZones`: a Site says that the documents are a zone's. */
export function soundTargets(
  { policies, resources }: Assembled,
  kinds: ReadonlyMap<string, PolicyKind>,
  isZones: boolean,
  complain: (document: number, found: Violation) => void,
): Assembled {
  const place: Place = { isGlobal: resources.zones.size > 0 && !isZones };
  const sound = <E extends { readonly head: { readonly document: number } }>(
    one: E,
    found: readonly Violation[],
  ): boolean => {
    for (const violation of found) complain(one.head.document, violation);
    return found.length === 0;
  };
  return {
    policies: policies.filter((policy) =>
      sound(policy, namespaceViolations(policy, kinds.get(policy.head.kind), place)),
    ),
    resources: new Resources(
      resources.all.filter((one) => sound(one, resourceViolations(one, place))),
      resources.zones,
    ),
  };
}

function resourceViolations(one: Resource, place: Place): readonly Violation[] {
  if (one.targeted === undefined)
    return one.kind === 'MeshGatewayRoute' ? [...elsewhere(one.head, place), ...routeViolations(one)] : [];
  const gateways = routeViolations(one);
  // What targets a gateway is refused as a route first.
  const others = namespaceViolations(one.targeted, undefined, place);
  return gateways.length === 0 ? others : [...gateways, ...elsewhere(one.head, place)];
}
