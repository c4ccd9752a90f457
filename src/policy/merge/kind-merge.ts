import type { Resource, Resources } from '../targets/resources.ts';
import { isRoute, type TargetRef } from '../targets/target-ref.ts';
import type { Targeted } from '../targets/targeted.ts';
import type { Destinations } from './destinations.ts';
import { entriesOf, type Origin, ownOf } from './entries.ts';
import { type FromEntry, type InboundConf, inboundConf, selectedClients } from './inbounds.ts';
import { Layers, type Merged } from './layers.ts';
import { Outbounds, type ToEntry, toEntry } from './outbounds.ts';
import { permissionLists } from './permission-lists.ts';
import type { Concat } from './tree.ts';

/** Policies of one kind that select the same, in their most explicit form, the weakest first. */
export interface Chosen {
  readonly policies: readonly Targeted[];
  /** Equal for equal policies. */
  readonly key: string;
}

/** Merges of the policies of one kind, each set of policies once. */
export class KindMerge {
  readonly #concat: Concat;
  readonly #destinations: Destinations;
  readonly #resources: Resources;
  readonly #to = new Map<Targeted, readonly ToEntry[]>();
  readonly #own = new Map<string, Merged<Origin> | undefined>();
  readonly #outbounds = new Map<string, Outbounds>();
  readonly #inbounds = new Map<string, InboundConf | undefined>();
  #ownMerges = 0;

  constructor(concat: Concat, destinations: Destinations, resources: Resources) {
    this.#concat = concat;
    this.#destinations = destinations;
    this.#resources = resources;
  }

  /** Of kinds with neither array: one conf, which overrides field by field (SPEC MRG7). */
  own(chosen: Chosen): Merged<Origin> | undefined {
    return once(this.#own, chosen.key, () => {
      const layers = new Layers<Origin>(this.#concat);
      for (const policy of chosen.policies) {
        const own = policy.head.kind === 'MeshTrafficPermission' ? undefined : ownOf(policy);
        if (own !== undefined) layers.add('', own.conf, own.origin);
      }
      this.#ownMerges++;
      return layers.merged(layers.count === 0 ? [] : [0]);
    });
  }

  outbounds(chosen: Chosen): Outbounds {
    return once(this.#outbounds, chosen.key, () => {
      const entries = chosen.policies.flatMap((policy) => this.#toEntries(policy));
      return new Outbounds(entries, this.#concat, this.#destinations);
    });
  }

  /** `taken`: for requests that take a route; policies that are for routes are left out without it. */
  inbound(chosen: Chosen, taken?: Resource): InboundConf | undefined {
    const key = taken === undefined ? chosen.key : `${chosen.key} ${this.#resources.all.indexOf(taken)}`;
    return once(this.#inbounds, key, () => {
      const entries = chosen.policies.flatMap((policy) => {
        const routes = this.#routes(policy.targetRef, policy.head.mesh);
        return routes === undefined || (taken !== undefined && routes.includes(taken))
          ? fromEntries(policy)
          : [];
      });
      return entries.length === 0 ? undefined : inboundConf(entries, this.#concat);
    });
  }

  /** The routes that policies are for. */
  routesOf({ policies }: Chosen): readonly Resource[] {
    const found = policies.flatMap(({ targetRef, head }) => this.#routes(targetRef, head.mesh) ?? []);
    return [...new Set(found)];
  }

  get merges(): number {
    const outbounds = [...this.#outbounds.values()].reduce((sum, one) => sum + one.merges, 0);
    return this.#ownMerges + outbounds + this.#inbounds.size;
  }

  /** A policy is in the lists of many proxies. */
  #toEntries(policy: Targeted): readonly ToEntry[] {
    const known = this.#to.get(policy);
    if (known !== undefined) return known;
    const { mesh } = policy.head;
    const routes = this.#routes(policy.targetRef, mesh);
    const entries = entriesOf(policy, 'to').map(({ item, origin }): ToEntry => {
      const named = this.#routes(item.targetRef, mesh) ?? [];
      return toEntry({ ref: item.targetRef, mesh, routes, named, conf: item.conf, origin });
    });
    this.#to.set(policy, entries);
    return entries;
  }

  #routes(ref: TargetRef | undefined, mesh: string): readonly Resource[] | undefined {
    if (ref === undefined || !(isRoute(ref) || ref.kind === 'MeshGatewayRoute')) return undefined;
    return this.#resources.resolve(ref, mesh);
  }
}

function fromEntries(policy: Targeted): readonly FromEntry[] {
  const { mesh } = policy.head;
  const entries = entriesOf(policy, 'from').flatMap(({ item, origin }) => {
    const clients = selectedClients(item.targetRef, mesh);
    return clients === undefined ? [] : [{ clients, conf: item.conf, origin }];
  });
  return [...permissionLists(policy), ...entries];
}

function once<T>(known: Map<string, T>, key: string, make: () => T): T {
  if (known.has(key)) return known.get(key)!;
  const made = make();
  known.set(key, made);
  return made;
}
