import { isFields } from '../../pdp/model/fields.ts';
import type { Inventory } from '../../pdp/model/inventory.ts';
import { serviceTag } from '../../pdp/model/rule.ts';
import { byText } from '../../pdp/model/text.ts';
import { displayName, labelNames, ownNamespace } from '../kinds/head.ts';
import { explicit } from '../targets/explicit.ts';
import type { Resource, Resources } from '../targets/resources.ts';
import { isSystemPlace } from '../targets/role.ts';
import { matchesLabels, matchesTags } from '../targets/tags.ts';
import type { TargetRef } from '../targets/target-ref.ts';

/** What a proxy calls: an outbound, and the services that it leads to (SPEC MRG8). */
export interface Destination {
  readonly mesh: string;
  /** What a tag names is a MeshService. */
  readonly kind: TargetRef['kind'];
  readonly tags: ReadonlyMap<string, readonly string[]>;
  /** The service's name as its owner knows it, and its port, where the tag or a reference says. */
  readonly name: string | undefined;
  /** Where the tag or a reference says it, else that of the proxies that offer the service; empty: in none. */
  readonly namespace: string | undefined;
  readonly port: number | undefined;
  readonly resources: readonly Resource[];
}

export const serviceKinds = ['MeshService', 'MeshMultiZoneService', 'MeshExternalService'] as const;

/** Kuma's name on Kubernetes: `name_namespace_svc_port`, without the port for services that have none. */
const longName = /^([a-z0-9-]+)_([a-z0-9-]+)_svc(?:_(\d{1,5}))?$/;

/** Finds the destinations of one set of documents. */
export class Destinations {
  readonly #resources: Resources;
  readonly #byService = new Map<string, Resource[]>();
  readonly #known = new Map<string, Destination>();
  /** By mesh and value of the tag, where the proxies are that offer it. */
  readonly #offered = new Map<string, Set<string>>();

  constructor(resources: Resources, inventory: Inventory) {
    this.#resources = resources;
    for (const { mesh, labels, inbounds } of inventory.dataplanes.values())
      for (const { tags } of inbounds)
        for (const service of tags.get(serviceTag) ?? []) {
          const namespace = tags.get(labelNames.namespace)?.[0] ?? labels.get(labelNames.namespace) ?? '';
          const key = `${mesh}\n${service}`;
          this.#offered.set(key, (this.#offered.get(key) ?? new Set()).add(namespace));
        }
    for (const kind of serviceKinds)
      for (const one of resources.of(kind))
        for (const name of taggedNames(one)) {
          const key = `${one.head.mesh}\n${name}`;
          const others = this.#byService.get(key);
          if (others === undefined) this.#byService.set(key, [one]);
          else if (!others.includes(one)) others.push(one);
        }
  }

  /** Of an outbound that says by tags what it leads to; the same for the same tags. */
  byTags(mesh: string, tags: Destination['tags']): Destination {
    return this.#once(JSON.stringify([mesh, [...tags].sort(byKey)]), () => this.#ofTags(mesh, tags));
  }

  /** Of an outbound that is a reference to a service. */
  byReference(mesh: string, ref: TargetRef, port: number | undefined): Destination {
    return this.#once(JSON.stringify([mesh, ref, port]), () => {
      const resources = this.#resources.resolve(ref, mesh);
      const head = resources[0]?.head;
      const name = head === undefined ? ref.name : displayName(head);
      const namespace = head === undefined ? ref.namespace : ownNamespace(head) || undefined;
      return { mesh, kind: ref.kind, tags: new Map(), name, namespace, port, resources };
    });
  }

  #once(key: string, make: () => Destination): Destination {
    const known = this.#known.get(key) ?? make();
    this.#known.set(key, known);
    return known;
  }

  #ofTags(mesh: string, tags: Destination['tags']): Destination {
    const shared = { mesh, kind: 'MeshService', tags } as const;
    const service = tags.get(serviceTag)?.[0];
    if (service === undefined)
      return { ...shared, name: undefined, namespace: undefined, port: undefined, resources: [] };
    const [, name = service, spaced, port] = longName.exec(service) ?? [];
    const namespace = spaced ?? tags.get(labelNames.namespace)?.[0] ?? this.#whereOffered(mesh, service);
    const named = [name, ...(name === service ? [] : [service])];
    const found = named.flatMap((one) => this.#byService.get(`${mesh}\n${one}`) ?? []);
    const resources = within([...new Set(found)], namespace);
    return { ...shared, name, namespace, port: port === undefined ? undefined : Number(port), resources };
  }

  /** Undefined where nobody offers it, and where proxies of several namespaces do. */
  #whereOffered(mesh: string, service: string): string | undefined {
    const [namespace, ...others] = this.#offered.get(`${mesh}\n${service}`) ?? [];
    return others.length === 0 ? namespace : undefined;
  }

  /** All names by which an item of `to` may mean it. */
  namesOf({ name, tags, resources }: Destination): readonly string[] {
    const written = [name, tags.get(serviceTag)?.[0], ...resources.map(({ head }) => head.name)];
    return [...new Set(written)].filter((one) => one !== undefined);
  }

  /** Whether an item of `to` is about it; `ref` in its most explicit form, `mesh` that of the policy. */
  isMeant(destination: Destination, ref: TargetRef, mesh: string): boolean {
    switch (ref.kind) {
      case 'Mesh':
        return true;
      case 'MeshService':
      case 'MeshMultiZoneService':
      case 'MeshExternalService':
        return this.#isService(destination, ref, mesh) && hasSection(destination, ref);
      case 'MeshServiceSubset':
        return (
          this.#isService(destination, { ...ref, kind: 'MeshService' }, mesh) &&
          matchesTags(ref.tags, destination.tags)
        );
      default:
        return false;
    }
  }

  /** Whether a route is for it; items of a route are those of its most explicit form. */
  isRoutedBy(destination: Destination, { targeted }: Resource): boolean {
    if (targeted === undefined) return false;
    const { to, head } = explicit(targeted);
    return to?.some(({ targetRef }) => this.isMeant(destination, targetRef, head.mesh)) === true;
  }

  #isService(destination: Destination, ref: TargetRef, mesh: string): boolean {
    const { tags: _, ...plain } = ref;
    const found = this.#resources.resolve(plain, mesh);
    if (found.length > 0) return found.some((one) => destination.resources.includes(one));
    // A name that no document has is that of the tag.
    if (ref.kind !== destination.kind || destination.name === undefined) return false;
    if (ref.labels !== undefined)
      return destination.resources.length === 0 && matchesLabels(ref.labels, labelsOf(destination));
    if (ref.name !== destination.name && !destination.tags.get(serviceTag)?.includes(ref.name ?? ''))
      return false;
    // An operator's policy means what the tag says, wherever it is offered. Of a service that is of no namespace for all
    // that is known, no namespace is the producer.
    const isTag = destination.tags.get(serviceTag)?.includes(ref.name ?? '') === true;
    return (
      (isTag && isSystemPlace(ref.namespace)) ||
      ref.namespace === undefined ||
      isIn(ref.namespace, destination.namespace ?? '') ||
      ref.name !== destination.name
    );
  }
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return byText(a, b);
}

/** What the tag of an outbound may call it. */
function taggedNames({ head, spec }: Resource): readonly string[] {
  const selector = isFields(spec['selector']) ? spec['selector'] : {};
  const tags = isFields(selector['dataplaneTags']) ? selector['dataplaneTags'] : {};
  const tag = tags[serviceTag];
  return [head.name, displayName(head), ...(typeof tag === 'string' ? [tag] : [])];
}

/** Without a namespace they are what is meant only if they are all of one: else anybody's would speak for others'. */
function within(found: readonly Resource[], namespace = ownNamespaceOf(found)): readonly Resource[] {
  return found.filter(({ head }) => namespace !== undefined && isIn(ownNamespace(head), namespace));
}

function ownNamespaceOf(found: readonly Resource[]): string | undefined {
  const namespaces = new Set(found.map(({ head }) => ownNamespace(head)));
  return namespaces.size === 1 ? [...namespaces][0] : undefined;
}

function isIn(a: string, b: string): boolean {
  return a === b || (isSystemPlace(a) && isSystemPlace(b));
}

/** Labels that a service would have, of one that no document describes. */
function labelsOf({ name, namespace, tags }: Destination): ReadonlyMap<string, string> {
  const zone = tags.get(labelNames.zone)?.[0];
  return new Map([
    ...(name === undefined ? [] : [[labelNames.displayName, name] as const]),
    ...(namespace === undefined || namespace === '' ? [] : [[labelNames.namespace, namespace] as const]),
    ...(zone === undefined ? [] : [[labelNames.zone, zone] as const]),
  ]);
}

/** A section is a port, by its name or number; of a service with several ports it must be known which is called. */
function hasSection({ port, resources }: Destination, { sectionName }: TargetRef): boolean {
  if (sectionName === undefined) return true;
  const ports = resources.flatMap(({ spec }) => (Array.isArray(spec['ports']) ? spec['ports'] : []));
  const called = port === undefined && ports.length === 1 ? ports[0]?.port : port;
  if (called === undefined) return false;
  return (
    sectionName === String(called) || ports.some((one) => one?.port === called && one?.name === sectionName)
  );
}
