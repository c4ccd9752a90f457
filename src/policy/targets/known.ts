import { type Dataplane, type Inventory, namespaceOf, ownNameOf } from '../../pdp/model/inventory.ts';
import { pushTo } from '../../pdp/model/lists.ts';
import { serviceTag } from '../../pdp/model/rule.ts';
import { labelNames, ownNamespace, zoneOf } from '../kinds/head.ts';
import type { Resources } from './resources.ts';
import { isSystemPlace } from './role.ts';
import type { TargetRef } from './target-ref.ts';

/** What there is by name, so that it can be said what there is not; where nothing of a sort is known all of it may be. */

interface InMesh {
  readonly proxies: Set<string>;
  /** Values of the tag that names services, of inbounds and gateways. */
  readonly offered: Set<string>;
  /** The same and those of outbounds, each with its namespaces; empty where that is none, or not known. */
  readonly services: Map<string, Set<string>>;
}

/** A misspelt name is compared with others only where these are few. */
const mostCompared = 100;
const anyZone = '*';
const anyNamespace = '*';

export class Known {
  readonly #resources: Resources;
  readonly #meshes = new Map<string, InMesh>();
  readonly #named = new Map<string, string[]>();
  /** By zone, and for all zones. */
  readonly #namespaces = new Map<string, Set<string>>();
  /** Of proxies, by their labels and tags. */
  readonly #zones = new Set<string>();

  constructor(resources: Resources, inventory: Inventory) {
    this.#resources = resources;
    for (const { kind, head } of resources.all) {
      const key = `${kind} ${head.mesh}`;
      pushTo(this.#named, key, head.name);
    }
    for (const dataplane of inventory.dataplanes.values()) this.#addProxy(dataplane);
    for (const { mesh, outbounds = [] } of inventory.dataplanes.values()) {
      const { services } = this.#meshes.get(mesh)!;
      // Where a service is that somebody offers is known from there.
      for (const { tags } of outbounds)
        for (const value of tags.get(serviceTag) ?? [])
          if (!services.has(value)) addService(services, value, '');
    }
    // Where no proxy is known, none is missing.
    if (this.#namespaces.size > 0)
      for (const { kind, head } of resources.all)
        if (kind === 'MeshService') this.#addNamespace(zoneOf(head), ownNamespace(head));
  }

  #addProxy(dataplane: Dataplane): void {
    const { mesh, labels, inbounds, gateway } = dataplane;
    const here = this.#meshes.get(mesh) ?? { proxies: new Set(), offered: new Set(), services: new Map() };
    this.#meshes.set(mesh, here);
    here.proxies.add(ownNameOf(dataplane));
    const own = gateway === undefined ? inbounds : [...inbounds, gateway];
    const namespace = namespaceOf(dataplane) ?? '';
    for (const { tags } of own)
      for (const value of tags.get(serviceTag) ?? []) {
        here.offered.add(value);
        addService(here.services, value, tags.get(labelNames.namespace)?.[0] ?? namespace);
      }
    const zone = labels.get(labelNames.zone) ?? '';
    this.#addNamespace(zone, namespace);
    for (const one of [zone, ...own.flatMap(({ tags }) => tags.get(labelNames.zone) ?? [])])
      this.#zones.add(one);
  }

  #addNamespace(zone: string, namespace: string): void {
    for (const at of [zone, anyZone]) {
      const others = this.#namespaces.get(at);
      if (others === undefined) this.#namespaces.set(at, new Set([namespace]));
      else others.add(namespace);
    }
  }

  /** Whether a reference at the top of a policy may mean any proxy. */
  hasProxies(ref: TargetRef, mesh: string): boolean {
    const here = this.#meshes.get(mesh);
    switch (ref.kind) {
      case 'Dataplane':
        return here === undefined || ref.name === undefined || here.proxies.has(ref.name);
      case 'MeshService':
      case 'MeshServiceSubset':
        return here === undefined || here.offered.has(ref.name!);
      default:
        return this.has(ref, mesh);
    }
  }

  /** Whether there may be what a reference means. */
  has(ref: TargetRef, mesh: string): boolean {
    if (ref.kind === 'Mesh' || ref.kind === 'MeshSubset' || ref.kind === 'Dataplane') return true;
    const isService = ref.kind === 'MeshService' || ref.kind === 'MeshServiceSubset';
    const { tags: _, ...plain } = ref;
    const asked: TargetRef = isService ? { ...plain, kind: 'MeshService' } : plain;
    if (this.#resources.resolve(asked, mesh).length > 0) return true;
    return isService && this.#hasTag(ref, mesh);
  }

  /** A service that no document describes is what the tags of proxies say. */
  #hasTag(ref: TargetRef, mesh: string): boolean {
    const here = this.#meshes.get(mesh);
    const name = ref.name ?? ref.labels?.[labelNames.displayName];
    if (here === undefined || name === undefined) return !this.#named.has(`MeshService ${mesh}`);
    const namespaces = here.services.get(name);
    const namespace = ref.namespace ?? ref.labels?.[labelNames.namespace];
    if (namespaces === undefined) return false;
    return isSystemPlace(namespace) || namespaces.has(namespace!) || namespaces.has(anyNamespace);
  }

  /** Whether a zone may have a namespace; `zone` empty: whether any has it. */
  hasNamespace(namespace: string, zone: string): boolean {
    const here = this.#namespaces.get(zone === '' ? anyZone : zone);
    const nowhere = this.#namespaces.get('');
    if (here === undefined && nowhere === undefined) return true;
    return here?.has(namespace) === true || nowhere?.has(namespace) === true;
  }

  /** Whether there may be proxies in a zone. */
  hasZone(zone: string): boolean {
    return this.#zones.size === 0 || this.#zones.has(zone);
  }

  /** For a hint. */
  namesLike(ref: TargetRef, mesh: string): readonly string[] {
    const kind = ref.kind === 'MeshServiceSubset' ? 'MeshService' : ref.kind;
    const here = this.#meshes.get(mesh);
    const tagged = kind === 'MeshService' ? here?.services.keys() : undefined;
    const others = kind === 'Dataplane' ? here?.proxies : tagged;
    const names = [...(this.#named.get(`${kind} ${mesh}`) ?? []), ...(others ?? [])];
    return ref.name === undefined || names.length > mostCompared ? [] : names;
  }
}

const longName = /^([^_]+)_([^_]+)_svc(?:_\d+)?$/;

/** `namespace`: of a name that does not say it; one that does may stand beside any. */
function addService(services: Map<string, Set<string>>, value: string, namespace: string): void {
  const [, name, spaced] = longName.exec(value) ?? [];
  add(value, name === undefined ? namespace : anyNamespace);
  if (name !== undefined) add(name, spaced!);

  function add(one: string, at: string): void {
    services.set(one, (services.get(one) ?? new Set()).add(at));
  }
}
