import type { Dataplane, Inventory, Service, Workload } from '../../pdp/model/inventory.ts';
import { pushTo } from '../../pdp/model/lists.ts';
import { keys } from '../../pdp/model/rule.ts';
import { byText } from '../../pdp/model/text.ts';

/**
 * What the inventory has of a type (SPEC AZ21). Besides `workload`, `spiffe`, `service` and `dataplane`, a type is
 * whatever carries the attribute `<type>:id`: a workload with `user:id: alice` is the user alice.
 */
export interface Entities {
  subjects(type: string): Named<Workload>;
  resources(type: string): Named<Service>;
  /** IDs of the inbounds of all dataplanes, in order. */
  readonly inbounds: readonly string[];
}

/** By ID. What several have in common is all that is known of one ID. */
export interface Named<T> {
  readonly ids: readonly string[];
  get(id: string): readonly T[];
}

const ofInventory = new WeakMap<Inventory, Entities>();

/** Found when first asked for: an inventory never changes. */
export function entitiesOf(inventory: Inventory): Entities {
  let entities = ofInventory.get(inventory);
  if (entities === undefined) {
    entities = index(inventory);
    ofInventory.set(inventory, entities);
  }
  return entities;
}

function index({ workloads, services, dataplanes }: Inventory): Entities {
  const subjects = new Types<Workload>(workloads, {
    workload: ({ namespace, name }) => `${namespace}/${name}`,
    spiffe: ({ spiffeId }) => spiffeId,
  });
  const resources = new Types<Service>([...services.values()], {
    service: ({ namespace, name }) => `${namespace}/${name}`,
  });
  let inbounds: readonly string[] | undefined;
  return {
    subjects: (type) => subjects.named(type),
    resources: (type) => resources.named(type),
    get inbounds() {
      inbounds ??= [...dataplanes.values()].flatMap(inboundsOf).sort(byText);
      return inbounds;
    },
  };
}

function inboundsOf({ mesh, name, inbounds }: Dataplane): string[] {
  return inbounds.map((inbound) => `${mesh}/${name}/${inbound.name ?? inbound.port}`);
}

interface Carrier {
  readonly attributes: ReadonlyMap<string, string>;
}

type IdOf<T> = (thing: T) => string | undefined;

class Types<T extends Carrier> {
  readonly #things: readonly T[];
  readonly #own: ReadonlyMap<string, IdOf<T>>;
  readonly #named = new Map<string, Named<T>>();
  #types: ReadonlySet<string> | undefined;

  constructor(things: readonly T[], own: Readonly<Record<string, IdOf<T>>>) {
    this.#things = things;
    this.#own = new Map(Object.entries(own));
  }

  /** Only types that there are get an index, so that asking for others costs no memory. */
  named(type: string): Named<T> {
    const own = this.#own.get(type);
    if (own === undefined && !this.#known().has(`${type}:id`)) return nobody;
    let named = this.#named.get(type);
    if (named === undefined) {
      named = byId(this.#things, own ?? (({ attributes }) => attributes.get(`${type}:id`)));
      this.#named.set(type, named);
    }
    return named;
  }

  #known(): ReadonlySet<string> {
    this.#types ??= new Set(this.#things.flatMap(({ attributes }) => [...attributes.keys()].filter(isId)));
    return this.#types;
  }
}

function isId(key: string): boolean {
  return key.endsWith(':id') && key !== keys.spiffeId;
}

const nobody: Named<never> = { ids: [], get: () => [] };

function byId<T>(things: readonly T[], idOf: IdOf<T>): Named<T> {
  const found = new Map<string, T[]>();
  for (const thing of things) {
    const id = idOf(thing);
    if (id !== undefined) pushTo(found, id, thing);
  }
  return { ids: [...found.keys()].sort(byText), get: (id) => found.get(id) ?? [] };
}
