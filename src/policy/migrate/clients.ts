import { type Dataplane, type Inventory, tagsOf, type Workload } from '../../pdp/model/inventory.ts';
import { byText } from '../../pdp/model/text.ts';
import type { Document } from '../document.ts';
import { Identities, type Identity } from './identity/identity.ts';

/** Who there is, counted by what their certificates say rather than one by one (SPEC MIG3). */

/** What a certificate of the tag form says. */
export interface TagSource {
  readonly mesh: string;
  readonly tags: ReadonlyMap<string, readonly string[]>;
}

/** All clients with the same certificate now and the same one then. */
export interface Kind {
  /** Undefined: it carries no certificate of a mesh now, so that every inbound denies it. */
  readonly source: number | undefined;
  /** Undefined: nobody knows what it will carry. */
  readonly id: number | undefined;
  /** Of an unknown identity, the trust domain if that is known. */
  readonly trustDomain: string | undefined;
  readonly reason: string | undefined;
  readonly dataplanes: Dataplane[];
  /** Identities that are no proxy's. */
  readonly workloads: Workload[];
}

/** A trust domain of a mesh, and in it the IDs that nobody carries yet: they are one more identity, `rest`. */
export interface TrustDomain {
  readonly name: string;
  readonly meshes: ReadonlySet<string>;
  readonly rest: number;
  readonly members: readonly number[];
}

export interface Clients {
  readonly sources: readonly TagSource[];
  /** SPIFFE IDs; for `rest`, one of those that nobody carries. */
  readonly ids: readonly string[];
  readonly trustDomains: readonly TrustDomain[];
  readonly kinds: readonly Kind[];
  /** Meshes whose Mesh document names all of their trust domains. */
  readonly declared: ReadonlySet<string>;
}

export function clientsOf(inventory: Inventory, documents: readonly Document[]): Clients {
  const identities = new Identities(inventory, documents);
  const found = new Finder();
  const domains = new Map<string, Set<string>>();
  const declared = new Set<string>();
  for (const mesh of inventory.meshes.keys())
    for (const name of identities.trustDomains.declared(mesh)) {
      declared.add(mesh);
      add(domains, name, mesh);
    }
  for (const dataplane of inventory.dataplanes.values()) {
    const identity = identities.of(dataplane);
    found.dataplane(dataplane, identity);
    if (identity.trustDomain !== undefined && !declared.has(dataplane.mesh))
      add(domains, identity.trustDomain, dataplane.mesh);
  }
  for (const workload of inventory.workloads)
    if (workload.spiffeId !== undefined && !identities.linked.has(workload)) found.workload(workload);
  return found.finish(domains, declared);
}

/** Every value that some inbound has; of a dataplane without inbounds, what its labels say. */
function tagsOfClient(dataplane: Dataplane): ReadonlyMap<string, readonly string[]> {
  const all = new Map<string, Set<string>>();
  for (const inbound of dataplane.inbounds.length === 0 ? [undefined] : dataplane.inbounds)
    for (const [tag, values] of tagsOf(dataplane, inbound)) for (const value of values) add(all, tag, value);
  return new Map([...all].map(([tag, values]) => [tag, [...values].sort(byText)] as const));
}

/** An ID of a client to come. */
export function newIdOf(trustDomain: string, count = 1): string {
  return `spiffe://${trustDomain}/new-client${count === 1 ? '' : `-${count}`}`;
}

class Finder {
  readonly #sources: TagSource[] = [];
  readonly #ids: string[] = [];
  readonly #domainOf: string[] = [];
  readonly #kinds: Kind[] = [];
  readonly #numbers = new Map<string, number>();

  dataplane(dataplane: Dataplane, identity: Identity): void {
    const tags = tagsOfClient(dataplane);
    const id = identity.id === undefined ? undefined : this.#id(identity.id, identity.trustDomain);
    const reason = identity.id === undefined ? identity.reason : undefined;
    const source = tags.size === 0 ? undefined : this.#source(dataplane.mesh, tags);
    this.#kind(source, id, identity.trustDomain, reason).dataplanes.push(dataplane);
  }

  workload(workload: Workload): void {
    const id = workload.spiffeId as string;
    const trustDomain = id.split('/')[2] as string;
    this.#kind(undefined, this.#id(id, trustDomain), trustDomain, undefined).workloads.push(workload);
  }

  finish(domains: ReadonlyMap<string, ReadonlySet<string>>, declared: ReadonlySet<string>): Clients {
    const members = new Map<string, number[]>([...domains.keys()].map((name) => [name, []]));
    for (const [id, name] of this.#domainOf.entries()) members.get(name)?.push(id);
    const ids = [...this.#ids];
    const trustDomains = [...domains]
      .sort(([a], [b]) => byText(a, b))
      .map(([name, meshes]) => ({
        name,
        meshes,
        rest: ids.push(this.#unused(name)) - 1,
        members: members.get(name) ?? [],
      }));
    return { sources: this.#sources, ids, trustDomains, kinds: this.#kinds, declared };
  }

  #unused(trustDomain: string): string {
    for (let count = 1; ; count++) {
      const id = newIdOf(trustDomain, count);
      if (!this.#numbers.has(`id ${id}`)) return id;
    }
  }

  #source(mesh: string, tags: ReadonlyMap<string, readonly string[]>): number {
    const key = JSON.stringify([mesh, [...tags].sort(([a], [b]) => byText(a, b))]);
    return this.#number(`source ${key}`, () => this.#sources.push({ mesh, tags }) - 1);
  }

  #id(id: string, trustDomain: string): number {
    return this.#number(`id ${id}`, () => {
      this.#domainOf.push(trustDomain);
      return this.#ids.push(id) - 1;
    });
  }

  #kind(
    source: number | undefined,
    id: number | undefined,
    trustDomain: string | undefined,
    reason: string | undefined,
  ): Kind {
    const key = `kind ${source} ${id} ${id === undefined ? `${trustDomain} ${reason}` : ''}`;
    const made: Kind = { source, id, trustDomain, reason, dataplanes: [], workloads: [] };
    return this.#kinds[this.#number(key, () => this.#kinds.push(made) - 1)] as Kind;
  }

  #number(key: string, make: () => number): number {
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = make();
      this.#numbers.set(key, number);
    }
    return number;
  }
}

function add(sets: Map<string, Set<string>>, key: string, value: string): void {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([value]));
  else set.add(value);
}
