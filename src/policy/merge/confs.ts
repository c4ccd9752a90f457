import type { Dataplane, Inbound, Inventory } from '../../pdp/model/inventory.ts';
import { pushTo } from '../../pdp/model/lists.ts';
import { isShadowOnly } from '../lower/policy.ts';
import { explicit } from '../targets/explicit.ts';
import { byStrength, type NameOrder } from '../targets/order.ts';
import type { PolicyKind } from '../targets/policy-kind.ts';
import type { Resource, Resources } from '../targets/resources.ts';
import type { Targeted } from '../targets/targeted.ts';
import { type Outbound, ProxyOutbounds } from './dataplane-outbounds.ts';
import { Destinations } from './destinations.ts';
import type { Origin } from './entries.ts';
import type { InboundConf } from './inbounds.ts';
import { type Chosen, KindMerge } from './kind-merge.ts';
import type { Merged } from './layers.ts';
import { permissionConcat } from './permission-lists.ts';
import { Selections } from './selection.ts';

/** What each proxy gets: all policies that select it, merged kind by kind (SPEC MRG6 to MRG9). */

export interface World {
  readonly inventory: Inventory;
  readonly resources: Resources;
  /** Sound policies, as they are written. */
  readonly targeted: readonly Targeted[];
  readonly kinds: ReadonlyMap<string, PolicyKind>;
  readonly nameOrder: (mesh: string) => NameOrder | undefined;
  /** Whether policies that are labelled never to be enforced count (SPEC MRG12). */
  readonly shadow?: boolean;
}

export interface RouteConf {
  readonly route: Resource;
  readonly merged: Merged<Origin> | undefined;
}

export interface OutboundConf {
  readonly outbound: Outbound;
  readonly merged: Merged<Origin> | undefined;
  readonly routes: readonly RouteConf[];
}

export interface InboundEntry {
  readonly inbound: Inbound;
  readonly conf: InboundConf | undefined;
  /** For requests that take a route that policies are for. */
  readonly routes: readonly { readonly route: Resource; readonly conf: InboundConf | undefined }[];
}

/** What the policies of one kind come to for one proxy. */
export interface KindConf {
  readonly kind: string;
  /** That have a say in it, the strongest first. */
  readonly policies: readonly Targeted[];
  readonly own: Merged<Origin> | undefined;
  readonly outbounds: readonly OutboundConf[];
  readonly inbounds: readonly InboundEntry[];
}

interface Selecting {
  readonly policy: Targeted;
  readonly strength: number;
}

export class Confs {
  readonly #world: World;
  readonly #selections: Selections;
  readonly #destinations: Destinations;
  readonly #outbounds: ProxyOutbounds;
  readonly #kinds = new Map<string, KindMerge>();
  /** By what they are for. */
  readonly #bySelection = new Map<number, Selecting[]>();
  readonly #routesBySelection = new Map<number, Resource[]>();
  readonly #chosen = new Map<string, ReadonlyMap<string, Chosen>>();

  constructor(world: World) {
    this.#world = world;
    this.#selections = new Selections(world.resources);
    this.#destinations = new Destinations(world.resources, world.inventory);
    this.#outbounds = new ProxyOutbounds(this.#destinations, world.resources, world.inventory);
    const inForce = world.targeted.filter(({ head }) => world.shadow === true || !isShadowOnly(head));
    const sorted = inForce.sort(byStrength(world.nameOrder));
    for (const [strength, written] of sorted.entries()) {
      const policy = explicit(written);
      const { kind, mesh } = policy.head;
      pushTo(this.#bySelection, this.#selections.idOf(policy.targetRef!, mesh), { policy, strength });
      if (!this.#kinds.has(kind)) this.#kinds.set(kind, this.#kindMerge(kind));
    }
    for (const route of world.resources.all) {
      if (route.targeted === undefined) continue;
      const { targetRef, head } = explicit(route.targeted);
      pushTo(this.#routesBySelection, this.#selections.idOf(targetRef!, head.mesh), route);
    }
  }

  /** Kinds of which there are policies, in the order of their names. */
  get kinds(): readonly string[] {
    return [...this.#kinds.keys()].sort();
  }

  /** All kinds that select the proxy, or the one that is asked for. */
  of(dataplane: Dataplane, kind?: string): readonly KindConf[] {
    const ids = this.#selections.ofProxy(dataplane);
    const chosen = this.#chosenBy(ids);
    const routes = ids.flatMap((id) => this.#routesBySelection.get(id) ?? []);
    const outbounds = this.#routed(dataplane, routes);
    const inbounds = dataplane.inbounds.map((inbound) => ({
      inbound,
      chosen: this.#chosenBy(this.#selections.ofInbound(dataplane, inbound)),
    }));
    const names = kind === undefined ? [...chosen.keys()].sort() : chosen.has(kind) ? [kind] : [];
    return names.map((name): KindConf => {
      const merge = this.#kinds.get(name)!;
      const all = chosen.get(name)!;
      const to = merge.outbounds(all);
      return {
        kind: name,
        policies: [...all.policies].reverse(),
        own: merge.own(all),
        outbounds: outbounds.map(({ outbound, routes }) => ({
          outbound,
          merged: to.of(outbound.destination),
          routes: routes.map((route) => ({ route, merged: to.ofRoute(outbound.destination, route) })),
        })),
        inbounds: inbounds.map(({ inbound, chosen }) => {
          const here = chosen.get(name);
          if (here === undefined) return { inbound, conf: undefined, routes: [] };
          const taken = merge.routesOf(here).map((route) => ({ route, conf: merge.inbound(here, route) }));
          return { inbound, conf: merge.inbound(here), routes: taken };
        }),
      };
    });
  }

  /** What it calls, whether or not a policy speaks of it. */
  outboundsOf(dataplane: Dataplane): readonly Outbound[] {
    return this.#outbounds.of(dataplane);
  }

  /** Each with the routes that apply there. */
  #routed(dataplane: Dataplane, routes: readonly Resource[]) {
    return this.#outbounds.of(dataplane).map((outbound) => ({
      outbound,
      routes: routes.filter((route) => this.#destinations.isRoutedBy(outbound.destination, route)),
    }));
  }

  /** Confs that were merged, and selections that were compared with proxies, so far. */
  get work(): { readonly merges: number; readonly compared: number } {
    const merges = [...this.#kinds.values()].reduce((sum, kind) => sum + kind.merges, 0);
    return { merges, compared: this.#selections.compared };
  }

  /** Policies by kind, the weakest first; proxies with equal selections share them. */
  #chosenBy(ids: readonly number[]): ReadonlyMap<string, Chosen> {
    const key = ids.join();
    const known = this.#chosen.get(key);
    if (known !== undefined) return known;
    const byKind = new Map<string, Selecting[]>();
    for (const id of ids)
      for (const one of this.#bySelection.get(id) ?? []) pushTo(byKind, one.policy.head.kind, one);
    const chosen = new Map(
      [...byKind].map(([kind, list]): [string, Chosen] => {
        list.sort((a, b) => a.strength - b.strength);
        const policies = list.map(({ policy }) => policy);
        return [kind, { policies, key: list.map(({ strength }) => strength).join() }];
      }),
    );
    this.#chosen.set(key, chosen);
    return chosen;
  }

  #kindMerge(kind: string): KindMerge {
    const described = this.#world.kinds.get(kind)?.concat.map((path) => path.join('.'));
    const concat = kind === 'MeshTrafficPermission' ? permissionConcat : described;
    return new KindMerge(new Set(concat), this.#destinations, this.#world.resources);
  }
}
