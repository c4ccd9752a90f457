import { proxyOf } from '../../envoy/xds/names.ts';
import type { Catalogue, Node, Resource } from '../../envoy/xds/resource.ts';
import { type Discovery, discovery } from '../../envoy/xds/service.ts';
import type { LivePolicies } from '../../gateway/live/policies.ts';
import type { Made, Wanted } from './rendering.ts';

/** Versions of one name that are kept: proxies whose policies differ have different ones under it. */
const mostVersions = 256;

/** Names and lines that are remembered: whoever asks chooses both. */
const mostNames = 10_000;
const mostSaid = 1_000;

/** What Envoys get, made where the rules are and kept here once, however many of them get it. */
export class LiveCatalogue implements Catalogue {
  readonly #live: Pick<LivePolicies, 'aside'>;
  readonly #say: (line: string) => void;
  readonly #byName = new Map<string, Map<string, Resource>>();
  readonly #said = new Set<string>();
  readonly #listeners = new Set<() => void>();

  constructor(live: Pick<LivePolicies, 'aside'>, say: (line: string) => void) {
    this.#live = live;
    this.#say = say;
  }

  /** There are other policies. */
  changed(): void {
    this.#said.clear();
    for (const listener of this.#listeners) listener();
  }

  onChange(changed: () => void): () => void {
    this.#listeners.add(changed);
    return () => void this.#listeners.delete(changed);
  }

  async render(node: Node, names: readonly string[]): Promise<readonly Resource[]> {
    const proxy = proxyOf(node);
    // Held while it is asked, so that what is known stays so.
    const kept = new Map(names.map((name) => [name, new Map(this.#byName.get(name))]));
    const wanted: Wanted = {
      ...(proxy === undefined ? {} : { proxy }),
      names,
      known: Object.fromEntries([...kept].map(([name, versions]) => [name, [...versions.keys()]])),
    };
    const { resources, problems } = await this.#live.aside<Made>(wanted);
    for (const problem of problems) this.#sayOnce(`xds: ${node.id}: ${problem}`);
    return resources.map(({ bytes, ...one }) =>
      bytes === undefined
        ? (kept.get(one.name)?.get(one.version) as Resource)
        : this.#keep({ ...one, bytes }),
    );
  }

  /** Two may have asked at once: the first that came is everybody's. */
  #keep(resource: Resource): Resource {
    const { name, version } = resource;
    let versions = this.#byName.get(name);
    if (versions === undefined) {
      versions = new Map();
      this.#byName.set(name, versions);
      const [first] = this.#byName.keys();
      if (this.#byName.size > mostNames && first !== undefined) this.#byName.delete(first);
    }
    const known = versions.get(version);
    if (known !== undefined) return known;
    versions.set(version, resource);
    const [oldest] = versions.keys();
    if (versions.size > mostVersions && oldest !== undefined) versions.delete(oldest);
    return resource;
  }

  #sayOnce(line: string): void {
    if (this.#said.has(line)) return;
    if (this.#said.size >= mostSaid) return;
    this.#said.add(line);
    this.#say(line);
  }
}

/** xDS over what is live; what a node refuses, and what cannot be made, is said. */
export function discoveryOf(catalogue: Catalogue, say: (line: string) => void): Discovery {
  return discovery({
    catalogue,
    onRefused: ({ id }, names, words) => say(`xds: ${id} refuses ${names.join(', ')}: ${words}`),
    onFailed: ({ id }, error) => say(`xds: ${id}: ${error instanceof Error ? error.message : String(error)}`),
  });
}
