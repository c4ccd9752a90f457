import type { Dataplane, Inbound, Inventory, Service, Workload } from '../../pdp/model/inventory.ts';
import { type Condition, type Effect, effectOf, keys, type Rule } from '../../pdp/model/rule.ts';
import { inboundValues, serviceValues } from '../../pdp/targets.ts';
import { Among } from './among.ts';

/** What the inventory has, to be asked by the conditions of rules. */

export interface InboundOf {
  readonly dataplane: Dataplane;
  readonly inbound: Inbound;
}

export function inboundsOf({ dataplanes }: Inventory): readonly InboundOf[] {
  return [...dataplanes.values()].flatMap((dataplane) =>
    dataplane.inbounds.map((inbound) => ({ dataplane, inbound })),
  );
}

/** By all that decisions see of them, what is of the site too (SPEC DST3). */
export function amongInbounds(inbounds: readonly InboundOf[], inventory: Inventory): Among<InboundOf> {
  return new Among(inbounds, ({ dataplane, inbound }) => lists(inboundValues(dataplane, inbound, inventory)));
}

export function amongServices(inventory: Inventory): Among<Service> {
  return new Among([...inventory.services.values()], (service) => lists(serviceValues(service, inventory)));
}

export function amongWorkloads({ workloads }: Inventory): Among<Workload> {
  return new Among(workloads, ({ spiffeId, attributes }) => {
    const values = lists(attributes);
    return spiffeId === undefined ? values : values.set(keys.spiffeId, [spiffeId]);
  });
}

function lists(values: ReadonlyMap<string, string | readonly string[]>): Map<string, readonly string[]> {
  return new Map([...values].map(([key, value]) => [key, typeof value === 'string' ? [value] : value]));
}

export function destinationConditions(rule: Rule): readonly Condition[] {
  return rule.when.filter(({ side }) => side === 'destination');
}

/** In one of the two worlds at least. */
export function denies(rule: Rule): boolean {
  return has(rule, 'deny');
}

export function allows(rule: Rule): boolean {
  return has(rule, 'allow');
}

function has({ tier, shadow }: Rule, effect: Effect): boolean {
  return effectOf(tier ?? shadow) === effect || effectOf(shadow) === effect;
}
