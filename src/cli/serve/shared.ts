import type { Node, Resource } from '../../envoy/xds/resource.ts';

interface Held {
  readonly resource: Resource;
  /** Nodes that have it. */
  count: number;
}

type Versions = ReadonlyMap<string, Resource>;

/** Resources that nodes have, each version once, until the last of them has another or has left. */
export class Shared {
  readonly #byName = new Map<string, Map<string, Held>>();
  readonly #had = new Map<Node, readonly Resource[]>();
  readonly #left = new WeakSet<Node>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  of(names: Iterable<string>): ReadonlyMap<string, Versions> {
    const found = new Map<string, Versions>();
    for (const name of names) {
      const versions = this.#byName.get(name);
      if (versions === undefined) continue;
      found.set(name, new Map([...versions].map(([version, { resource }]) => [version, resource])));
    }
    return found;
  }

  /** What a node has from now on: of each version the one that was there first. */
  give(node: Node, resources: readonly Resource[]): readonly Resource[] {
    // It may have left while this was asked for.
    if (this.#left.has(node)) return resources;
    const given = resources.map((resource) => this.#take(resource));
    const had = this.#had.get(node) ?? [];
    this.#had.set(node, given);
    for (const resource of had) this.#drop(resource);
    return given;
  }

  leave(node: Node): void {
    this.#left.add(node);
    for (const resource of this.#had.get(node) ?? []) this.#drop(resource);
    this.#had.delete(node);
  }

  #take(resource: Resource): Resource {
    // They are small, and of names that nodes make up.
    if (resource.denies !== undefined) return resource;
    const { outdated, ...own } = resource;
    const { name, version } = own;
    const given = (held: Resource) => (outdated === undefined ? held : { ...held, outdated });
    let versions = this.#byName.get(name);
    if (versions === undefined) {
      versions = new Map();
      this.#byName.set(name, versions);
    }
    const held = versions.get(version);
    if (held !== undefined) {
      held.count++;
      return given(held.resource);
    }
    const first = outdated === undefined ? resource : own;
    versions.set(version, { resource: first, count: 1 });
    this.#size++;
    return resource;
  }

  #drop({ name, version, denies }: Resource): void {
    if (denies !== undefined) return;
    const versions = this.#byName.get(name);
    const held = versions?.get(version);
    if (versions === undefined || held === undefined || --held.count > 0) return;
    versions.delete(version);
    this.#size--;
    if (versions.size === 0) this.#byName.delete(name);
  }
}
