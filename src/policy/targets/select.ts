import { isFields } from '../../pdp/model/fields.ts';
import { type Dataplane, type Inbound, namespaceOf, ownNameOf, tagsOf } from '../../pdp/model/inventory.ts';
import { serviceTag } from '../../pdp/model/rule.ts';
import { explicitTop } from './explicit.ts';
import type { Resource, Resources } from './resources.ts';
import { matchesLabels, matchesSelector, matchesTags, type Tags } from './tags.ts';
import type { TargetRef } from './target-ref.ts';

/** Which proxies and inbounds a `targetRef` at the top means; `ref` in its most explicit form (SPEC REF4). */

/** By the inbound's own tags. Without resources, no gateway and no route is known. */
export function selectsInbound(
  ref: TargetRef,
  mesh: string,
  dataplane: Dataplane,
  inbound: Inbound,
  resources?: Resources,
): boolean {
  if (dataplane.mesh !== mesh || !hasType(ref, dataplane)) return false;
  if (ref.kind === 'Dataplane') return isMeant(ref, dataplane) && hasSection(ref, inbound);
  const tags = tagsOf(dataplane, inbound);
  if (!matchesTags(ref.within, tags)) return false;
  return matchesOwn(ref, tags) ?? selectsByResource(ref, mesh, dataplane, resources, new Set());
}

/** One of its inbounds, or the proxy itself where it has none. */
export function selectsProxy(
  ref: TargetRef,
  mesh: string,
  dataplane: Dataplane,
  resources?: Resources,
): boolean {
  return selects(ref, mesh, dataplane, resources, new Set());
}

type Seen = Set<Resource>;

function selects(
  ref: TargetRef,
  mesh: string,
  dataplane: Dataplane,
  resources: Resources | undefined,
  seen: Seen,
): boolean {
  if (dataplane.mesh !== mesh || !hasType(ref, dataplane)) return false;
  const { inbounds } = dataplane;
  if (ref.kind === 'Dataplane')
    return (
      isMeant(ref, dataplane) &&
      (ref.sectionName === undefined || inbounds.some((inbound) => hasSection(ref, inbound)))
    );
  const tagged = inbounds.length === 0 ? [tagsOf(dataplane)] : inbounds.map((one) => tagsOf(dataplane, one));
  const inside = tagged.filter((tags) => matchesTags(ref.within, tags));
  const own = inside.map((tags) => matchesOwn(ref, tags));
  return (
    own.includes(true) ||
    (own.includes(undefined) && selectsByResource(ref, mesh, dataplane, resources, seen))
  );
}

/** Undefined for kinds that are resources. */
function matchesOwn(ref: TargetRef, tags: Tags): boolean | undefined {
  switch (ref.kind) {
    case 'Mesh':
      return true;
    case 'MeshSubset':
      return matchesTags(ref.tags, tags);
    case 'MeshService':
    case 'MeshServiceSubset':
      return tags.get(serviceTag)?.includes(ref.name ?? '') === true && matchesTags(ref.tags, tags);
    default:
      return undefined;
  }
}

function hasType({ proxyTypes = [] }: TargetRef, { gateway }: Dataplane): boolean {
  return proxyTypes.length === 0 || proxyTypes.includes(gateway === undefined ? 'Sidecar' : 'Gateway');
}

function isMeant({ name, namespace, labels = {}, within = {} }: TargetRef, dataplane: Dataplane): boolean {
  if (name !== undefined && ownNameOf(dataplane) !== name) return false;
  if (namespace !== undefined && namespaceOf(dataplane) !== namespace) return false;
  return matchesLabels(labels, dataplane.labels) && matchesLabels(within, dataplane.labels);
}

function hasSection({ sectionName }: TargetRef, { name, port }: Inbound): boolean {
  return sectionName === undefined || sectionName === name || sectionName === String(port);
}

function selectsByResource(
  ref: TargetRef,
  mesh: string,
  dataplane: Dataplane,
  resources: Resources | undefined,
  seen: Seen,
): boolean {
  if (resources === undefined) return false;
  const { tags, within: _, ...plain } = ref;
  return resources.resolve(plain, mesh).some((one) => {
    // A route that leads back to itself is nobody's.
    if (seen.has(one)) return false;
    seen.add(one);
    if (ref.kind === 'MeshGateway') return isGateway(one, tags ?? {}, dataplane);
    if (one.targeted !== undefined)
      return selects(explicitTop(one.targeted), mesh, dataplane, resources, seen);
    return selectorsIn(one.spec).some((match) => matchesSelector(match, gatewayTags(dataplane)));
  });
}

/** `tags` are those of a listener, the gateway's own among them. */
function isGateway(
  { spec }: Resource,
  tags: Readonly<Record<string, string>>,
  dataplane: Dataplane,
): boolean {
  const matches = selectorsIn(spec).some((match) => matchesSelector(match, gatewayTags(dataplane)));
  if (!matches || Object.keys(tags).length === 0) return matches;
  const conf = isFields(spec['conf']) ? spec['conf'] : {};
  const listeners = Array.isArray(conf['listeners']) ? conf['listeners'].filter(isFields) : [];
  return listeners.some((listener) =>
    matchesTags(
      tags,
      new Map([...gatewayTags(dataplane), ...tagsIn(spec['tags']), ...tagsIn(listener['tags'])]),
    ),
  );
}

/** Of a gateway its own, and of a proxy that offers something those of its inbounds. */
function gatewayTags(dataplane: Dataplane): Tags {
  return tagsOf(dataplane, dataplane.gateway === undefined ? dataplane.inbounds[0] : undefined);
}

function selectorsIn(spec: Resource['spec']): readonly Readonly<Record<string, string>>[] {
  const selectors = Array.isArray(spec['selectors']) ? spec['selectors'].filter(isFields) : [];
  return selectors.map((one) => (isFields(one['match']) ? (one['match'] as Record<string, string>) : {}));
}

function tagsIn(tags: unknown): Tags {
  return new Map(
    Object.entries(isFields(tags) ? tags : {}).flatMap(([tag, value]) =>
      typeof value === 'string' ? [[tag, [value]] as const] : [],
    ),
  );
}
