import { isUnsaid } from '../../pdp/model/of-site.ts';
import type { Condition, Rule } from '../../pdp/model/rule.ts';
import { dataplaneKri, inboundKri } from '../../policy/inspect/layout.ts';
import { kriOf } from '../../policy/kinds/head.ts';
import {
  amongInbounds,
  amongServices,
  denies,
  destinationConditions,
  inboundsOf,
} from '../../policy/lint/inventory.ts';
import type { Loaded, PolicyInfo } from '../../policy/load.ts';
import { Selections } from '../../policy/merge/selection.ts';
import { explicit } from '../../policy/targets/explicit.ts';

/** What a policy selects; of many the first are named. */
export interface Selected {
  /** Of permissions and AccessPolicies. */
  readonly inbounds: Named;
  /** Of AccessPolicies. */
  readonly services: Named;
  /** Of policies that configure proxies. */
  readonly proxies: Named;
}

export interface Named {
  readonly count: number;
  readonly names: readonly string[];
}

const mostNames = 100;

class Names implements Named {
  count = 0;
  readonly names: string[] = [];

  add(name: string): void {
    this.count++;
    if (this.names.length < mostNames) this.names.push(name);
  }
}

class Draft implements Selected {
  readonly inbounds = new Names();
  readonly services = new Names();
  readonly proxies = new Names();
}

/** By identifier of the policy; one that selects nothing has zeroes. */
export function selectedBy(loaded: Loaded): ReadonlyMap<string, Selected> {
  const found = new Map<string, Draft>();
  for (const { kri } of loaded.policies) found.set(kri, new Draft());
  for (const { head } of loaded.targeted) found.set(kriOf(head), new Draft());
  byTarget(loaded, found);
  byAttributes(loaded, found);
  return found;
}

/** Permissions by the inbounds that they are for, all other kinds by proxies. */
function byTarget({ targeted, resources, inventory }: Loaded, found: ReadonlyMap<string, Draft>): void {
  const selections = new Selections(resources);
  const policies = Map.groupBy(targeted, (written) => {
    const { targetRef, head } = explicit(written);
    return selections.idOf(targetRef!, head.mesh);
  });
  const add = (id: number, permission: boolean, part: 'inbounds' | 'proxies', name: string): void => {
    for (const { head } of policies.get(id) ?? [])
      if ((head.kind === 'MeshTrafficPermission') === permission) found.get(kriOf(head))?.[part].add(name);
  };
  for (const dataplane of inventory.dataplanes.values()) {
    for (const id of selections.ofProxy(dataplane)) add(id, false, 'proxies', dataplaneKri(dataplane));
    for (const inbound of dataplane.inbounds)
      for (const id of selections.ofInbound(dataplane, inbound))
        add(id, true, 'inbounds', inboundKri(dataplane, inbound));
  }
}

/** AccessPolicies by what their rules ask of a destination. */
function byAttributes({ policies, rules, inventory }: Loaded, found: ReadonlyMap<string, Draft>): void {
  const inbounds = inboundsOf(inventory);
  const amongst = amongInbounds(inbounds, inventory);
  const services = [...inventory.services.keys()];
  const amongstServices = amongServices(inventory);
  for (const policy of policies) {
    if (policy.kind === 'MeshTrafficPermission') continue;
    const draft = found.get(policy.kri)!;
    const [here, there] = [new Set<number>(), new Set<number>()];
    for (const conditions of destinationsOf(policy)) {
      for (const at of amongst.all(conditions)) here.add(at);
      for (const at of amongstServices.all(conditions)) there.add(at);
    }
    for (const at of [...here].sort((a, b) => a - b)) {
      const { dataplane, inbound } = inbounds[at]!;
      draft.inbounds.add(inboundKri(dataplane, inbound));
    }
    for (const at of [...there].sort((a, b) => a - b)) draft.services.add(services[at]!);
  }

  /** Each once: many rules of a policy differ in their source alone. */
  function destinationsOf({ first, count }: PolicyInfo): readonly (readonly Condition[])[] {
    const sorts = new Map<string, readonly Condition[]>();
    for (const rule of rules.slice(first, first + count)) {
      const conditions = knownOf(rule);
      if (conditions !== undefined) sorts.set(JSON.stringify(conditions), conditions);
    }
    return [...sorts.values()];
  }

  /** What nobody knows of the site holds for a deny and for no allow (SPEC DST3, UNK1). */
  function knownOf(rule: Rule): readonly Condition[] | undefined {
    const conditions = destinationConditions(rule);
    const known = conditions.filter(({ key }) => !isUnknown(key));
    return known.length === conditions.length || denies(rule) ? known : undefined;
  }

  function isUnknown(key: string): boolean {
    const said = inventory.site.attributes;
    return !said.has(key) && isUnsaid(key, said.size === 0);
  }
}
