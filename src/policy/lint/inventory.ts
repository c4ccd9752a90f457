import {
  type Dataplane,
  type Inbound,
  type Inventory,
  namespaceOf,
  ownNameOf,
  proxyTypeOf,
  type Service,
  tagsOf,
  type Workload,
} from '../../pdp/model/inventory.ts';
import { type Condition, effectOf, keys, type Rule, serviceTag } from '../../pdp/model/rule.ts';
import { Among, type Values } from './among.ts';

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

/** SPEC DST3, DST4 */
export function amongInbounds(inbounds: readonly InboundOf[]): Among<InboundOf> {
  return new Among(inbounds, ({ dataplane, inbound }): Values => {
    const { name, port, tags } = inbound;
    const values = new Map<string, readonly string[]>([
      [keys.mesh, [dataplane.mesh]],
      [keys.dataplane, [ownNameOf(dataplane)]],
      [keys.proxyType, [proxyTypeOf(dataplane)]],
      [keys.section, [...(name === undefined ? [] : [name]), String(port)]],
      [keys.serviceName, tags.get(serviceTag) ?? []],
    ]);
    for (const [tag, several] of tagsOf(dataplane, inbound)) values.set(keys.tag + tag, several);
    for (const [label, value] of dataplane.labels) {
      values.set(keys.dataplaneLabel + label, [value]);
      values.set(keys.k8sLabel + label, [value]);
    }
    const namespace = namespaceOf(dataplane);
    if (namespace !== undefined) values.set(keys.k8sNamespace, [namespace]).set(keys.namespace, [namespace]);
    return values;
  });
}

export function amongServices({ services }: Inventory): Among<Service> {
  return new Among([...services.values()], ({ namespace, attributes }) =>
    listed(attributes).set(keys.namespace, [namespace]),
  );
}

export function amongWorkloads({ workloads }: Inventory): Among<Workload> {
  return new Among(workloads, ({ spiffeId, attributes }) => {
    const values = listed(attributes);
    return spiffeId === undefined ? values : values.set(keys.spiffeId, [spiffeId]);
  });
}

function listed(attributes: ReadonlyMap<string, string>): Map<string, readonly string[]> {
  return new Map([...attributes].map(([key, value]) => [key, [value]]));
}

export function destinationConditions(rule: Rule): readonly Condition[] {
  return rule.when.filter(({ side }) => side === 'destination');
}

export function denies(rule: Rule): boolean {
  return effectOf(rule.tier ?? rule.shadow) === 'deny' || effectOf(rule.shadow) === 'deny';
}
