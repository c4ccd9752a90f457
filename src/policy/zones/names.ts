import { type Fields, isFields } from '../../pdp/model/fields.ts';
import { serviceTag } from '../../pdp/model/rule.ts';
import { kuma } from '../kinds/groups.ts';
import { type Reference, referencesOf, referred, replacedAt } from './references.ts';
import type { Resource } from './resource.ts';
import { homeOf, identityOf, type Origin, originOf, type Side } from './side.ts';
import { type Digest, type Identity, longestName, looksSynced, syncedName } from './suffix.ts';
import { travelOf } from './travel.ts';

/** Where a document lies at the other end. */
interface Spot {
  readonly name: string;
  readonly namespace: string | undefined;
}

/** The documents of one side, and what each is called at the other (SPEC ZON1, ZON9). */
export class Names {
  readonly #from: Side;
  readonly #to: Side;
  readonly #digest: Digest;
  readonly #origins = new Map<Resource, Origin>();
  readonly #byKey = new Map<string, Resource>();
  readonly #groups = new Map<string, string>();
  /** Values of the tag of services, by mesh. */
  readonly #tagged = new Set<string>();

  constructor(resources: readonly Resource[], from: Side, to: Side, digest: Digest) {
    this.#from = from;
    this.#to = to;
    this.#digest = digest;
    for (const resource of resources) {
      if (resource.kind === 'PolicyKind') this.#groups.set(resource.name, groupIn(resource.value));
      if (resource.kind === 'Dataplane')
        for (const service of servicesOf(resource.value)) this.#tagged.add(tagKey(resource.mesh, service));
      this.#origins.set(resource, originOf(resource, from, digest));
      this.#byKey.set(
        this.#key(resource.kind, resource.mesh, this.#place(resource), resource.name),
        resource,
      );
    }
  }

  origin(resource: Resource): Origin {
    return this.#origins.get(resource)!;
  }

  /** The group and version of a document, which the short form leaves out. */
  group({ kind, apiVersion }: Resource): string {
    return apiVersion ?? this.#groups.get(kind) ?? kuma;
  }

  /** Whose it is, for one of this side or a copy that it holds. */
  identity(resource: Resource): Identity {
    const origin = this.origin(resource);
    return origin.as === 'copy' ? origin.of : identityOf(resource, this.#from);
  }

  /** What a document of this side is called at the other, which may be where it is from. */
  spot(resource: Resource): Spot {
    const origin = this.origin(resource);
    const { travel } = resource;
    if (origin.as === 'copy' && origin.of.zone === (this.#to.zone ?? ''))
      return {
        name: origin.of.name,
        namespace: origin.of.namespace === '' ? undefined : origin.of.namespace,
      };
    const namespace = travel?.cluster === true ? undefined : this.#to.systemNamespace;
    if (origin.as !== 'own' || travel?.named === true) return { name: resource.name, namespace };
    return { name: this.#hashed(resource.kind, this.identity(resource)), namespace };
  }

  /** The document with every reference as it must read at the other end. */
  rewritten(resource: Resource): Fields {
    const changes = referencesOf(resource).flatMap((reference) => {
      const spot = this.#follow(reference, resource);
      if (spot === undefined) return [];
      return [{ path: reference.path, value: renamed(reference.ref, spot) }];
    });
    return replacedAt(resource.value, changes) as Fields;
  }

  /** Undefined: it stays as it is. Labels mean the same everywhere, and a reference without a name is none to follow. */
  #follow({ kind: written, at, ref }: Reference, by: Resource): Spot | undefined {
    const kind = referred(written);
    const name = ref['name'];
    if (typeof name !== 'string' || !isNamed(kind, at)) return undefined;
    const home = this.#place(by);
    const namespace = typeof ref['namespace'] === 'string' ? ref['namespace'] : undefined;
    const found = this.#byKey.get(this.#key(kind, by.mesh, namespace ?? home, name));
    if (found !== undefined) return this.spot(found);
    if (at === 'top') return undefined;
    // Without a namespace to look in it may be the value of a tag, which is the same everywhere.
    if (namespace === undefined && this.#isSystem(home)) return undefined;
    if (kind === 'MeshService' && this.#isTag(by.mesh, name)) return asTag(name, namespace ?? home);
    const there = this.#to.systemNamespace;
    const zone = this.#from.zone;
    if (zone === undefined || this.#isForeign(kind, name, namespace ?? home))
      return { name, namespace: there };
    const identity = { mesh: by.mesh, name, zone, namespace: namespace ?? home };
    return { name: this.#hashed(kind, identity), namespace: there };
  }

  /** A copy that is not among the documents: of what no zone can have made, or by the form of its name. */
  #isForeign(kind: string, name: string, namespace: string): boolean {
    return travelOf(kind, undefined)?.up !== true || (this.#isSystem(namespace) && looksSynced(name));
  }

  /** No name of a document has a `_`; a short one that only proxies have is theirs. */
  #isTag(mesh: string, name: string): boolean {
    return name.includes('_') || this.#tagged.has(tagKey(mesh, name));
  }

  #hashed(kind: string, identity: Identity): string {
    return syncedName(identity, travelOf(kind, undefined)?.longest ?? longestName, this.#digest);
  }

  /** The namespace that references look in: a copy lies where it lies, whatever its labels say. */
  #place(resource: Resource): string {
    return this.origin(resource).as === 'own' ? homeOf(resource) : (resource.namespace ?? '');
  }

  #isSystem(namespace: string): boolean {
    return namespace === '' || namespace === this.#from.systemNamespace;
  }

  #key(kind: string, mesh: string, namespace: string, name: string): string {
    const cluster = travelOf(kind, undefined)?.cluster === true;
    return JSON.stringify([kind, mesh, cluster || this.#isSystem(namespace) ? '' : namespace, name]);
  }
}

/** A kind that a document describes is read in the group that it says. */
function groupIn({ spec }: Fields): string {
  return isFields(spec) && typeof spec['apiVersion'] === 'string' ? spec['apiVersion'] : kuma;
}

/** At the top a service is the tag of an inbound; in the other places it is a document. */
function isNamed(kind: string, at: Reference['at']): boolean {
  if (kind === 'Mesh' || kind === 'MeshSubset') return false;
  return at !== 'top' || kind !== 'MeshService';
}

/** It is the same everywhere. A short one is offered in a namespace, which must not become another one by being moved. */
function asTag(name: string, namespace: string): Spot | undefined {
  return name.includes('_') ? undefined : { name, namespace };
}

function tagKey(mesh: string, service: string): string {
  return JSON.stringify([mesh, service]);
}

/** What a Dataplane offers and calls by tags. */
function servicesOf({ networking, outbounds }: Fields): readonly string[] {
  const { inbound, outbound, gateway } = isFields(networking) ? networking : {};
  const parts = [inbound, outbound, outbounds, [gateway]].flatMap((one) => (Array.isArray(one) ? one : []));
  return parts.flatMap((part) => {
    const tags = isFields(part) && isFields(part['tags']) ? part['tags'] : {};
    const service = tags[serviceTag];
    return typeof service === 'string' ? [service] : [];
  });
}

function renamed(ref: Fields, { name, namespace }: Spot): Fields {
  const named = { name, ...(namespace === undefined ? {} : { namespace }) };
  return Object.fromEntries(
    Object.entries(ref).flatMap(([key, value]) => {
      if (key === 'namespace') return [];
      return key === 'name' ? Object.entries(named) : [[key, value]];
    }),
  );
}
