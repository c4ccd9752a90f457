import { pushTo } from '../../pdp/model/lists.ts';
import type { Resource } from '../targets/resources.ts';
import { isRoute, type TargetRef } from '../targets/target-ref.ts';
import type { Conf } from '../targets/targeted.ts';
import type { Destination, Destinations } from './destinations.ts';
import type { Origin } from './entries.ts';
import { Layers, type Merged } from './layers.ts';
import type { Concat } from './tree.ts';

/** What a proxy does with what it calls, by all items of `to` that are for it (SPEC MRG8, MRG9). */

export interface ToEntry {
  /** The same for entries that are about the same. */
  readonly key: string;
  readonly ref: TargetRef;
  readonly mesh: string;
  /** Of a policy that is for routes: it says nothing of other requests. */
  readonly routes: readonly Resource[] | undefined;
  /** The routes that the item itself names. */
  readonly named: readonly Resource[];
  readonly conf: Conf;
  readonly origin: Origin;
}

export function toEntry(said: Omit<ToEntry, 'key'>): ToEntry {
  const { ref, mesh, routes } = said;
  return { ...said, key: JSON.stringify([mesh, ref, routes?.map(idOf)]) };
}

type Layer = Pick<ToEntry, 'ref' | 'mesh' | 'routes' | 'named'> & { readonly id: number };

export class Outbounds {
  readonly #destinations: Destinations;
  readonly #layers: Layers<Origin>;
  /** By the name that the item gives, which a destination must have; those without apart. */
  readonly #byName = new Map<string | undefined, Layer[]>();
  readonly #known = new Map<Destination, readonly Layer[]>();

  /** `entries` weakest first. */
  constructor(entries: readonly ToEntry[], concat: Concat, destinations: Destinations) {
    this.#destinations = destinations;
    this.#layers = new Layers(concat);
    let count = 0;
    for (const { key, ref, mesh, routes, named, conf, origin } of entries) {
      const id = this.#layers.add(key, conf, origin);
      if (id < count) continue;
      count++;
      const name = named.length > 0 || isRoute(ref) ? undefined : ref.name;
      const layer = { ref, mesh, routes, named, id };
      pushTo(this.#byName, name, layer);
    }
  }

  of(destination: Destination): Merged<Origin> | undefined {
    return this.#merged(
      this.#about(destination).filter(({ routes, ref }) => routes === undefined && !isRoute(ref)),
    );
  }

  /** What a route of the destination has: what the destination has, and what is for the route. */
  ofRoute(destination: Destination, taken: Resource): Merged<Origin> | undefined {
    return this.#merged(
      this.#about(destination).filter(
        ({ ref, routes, named }) =>
          (routes === undefined || routes.includes(taken)) && (!isRoute(ref) || named.includes(taken)),
      ),
    );
  }

  get merges(): number {
    return this.#layers.merges;
  }

  #merged(layers: readonly Layer[]): Merged<Origin> | undefined {
    return this.#layers.merged(layers.map(({ id }) => id).sort((a, b) => a - b));
  }

  /** Items that name a route are about every destination: whether it is the route's is asked with the route. */
  #about(destination: Destination): readonly Layer[] {
    const known = this.#known.get(destination);
    if (known !== undefined) return known;
    const names = new Set([undefined, ...this.#destinations.namesOf(destination)]);
    const found = [...names].flatMap((name) =>
      (this.#byName.get(name) ?? []).filter(
        ({ ref, mesh }) => isRoute(ref) || this.#destinations.isMeant(destination, ref, mesh),
      ),
    );
    this.#known.set(destination, found);
    return found;
  }
}

function idOf({ kind, head }: Resource): readonly unknown[] {
  return [kind, head.mesh, head.namespace, head.name];
}
