import type { Dataplane, Inbound, Inventory, Protocol, Service } from './model/inventory.ts';
import { keys } from './model/rule.ts';

/** A destination of the inventory as decisions see it; made once, when the inventory is. */
export interface Target {
  readonly inbound: boolean;
  readonly protocol: Protocol | undefined;
  /** Whether AccessPolicies allow here, or only deny (DST2). */
  readonly full: boolean;
  readonly values: ReadonlyMap<string, string | readonly string[]>;
  /** The sections one of which is meant, where the request does not say (DST5). */
  readonly sections: readonly string[] | undefined;
}

export interface ProxyTargets {
  /** What is meant without an inbound. */
  readonly whole: Target;
  /** By name and by port. */
  readonly inbounds: ReadonlyMap<string, Target>;
}

export interface Targets {
  readonly dataplanes: ReadonlyMap<string, ReadonlyMap<string, ProxyTargets>>;
  readonly services: ReadonlyMap<string, Target>;
}

export function targetsOf(inventory: Inventory): Targets {
  const dataplanes = new Map<string, Map<string, ProxyTargets>>();
  for (const dataplane of inventory.dataplanes.values()) {
    let proxies = dataplanes.get(dataplane.mesh);
    if (proxies === undefined) {
      proxies = new Map();
      dataplanes.set(dataplane.mesh, proxies);
    }
    proxies.set(dataplane.name, proxyTargets(dataplane, inventory));
  }
  const services = new Map<string, Target>();
  for (const [name, service] of inventory.services) services.set(name, serviceTarget(service, inventory));
  return { dataplanes, services };
}

function serviceTarget(service: Service, inventory: Inventory): Target {
  const values = new Map<string, string | readonly string[]>([
    ...inventory.site.attributes,
    ...service.attributes,
  ]);
  values.set(keys.namespace, service.namespace);
  return { inbound: false, protocol: undefined, full: true, values, sections: undefined };
}

function proxyTargets(dataplane: Dataplane, inventory: Inventory): ProxyTargets {
  const inbounds = new Map<string, Target>();
  const all = dataplane.inbounds.map((inbound) => {
    const target = inboundTarget(dataplane, [inbound], inventory);
    inbounds.set(String(inbound.port), target);
    return target;
  });
  // A name goes before a port that is written the same.
  dataplane.inbounds.forEach(({ name }, i) => {
    if (name !== undefined) inbounds.set(name, all[i] as Target);
  });
  const only = all.length === 1 ? all[0] : undefined;
  return { whole: only ?? inboundTarget(dataplane, dataplane.inbounds, inventory), inbounds };
}

/** One inbound, or several of which one is meant: what they share is known. */
function inboundTarget(
  dataplane: Dataplane,
  inbounds: readonly Inbound[],
  inventory: Inventory,
): Target {
  const values = new Map<string, string | readonly string[]>(inventory.site.attributes);
  values.set(keys.mesh, dataplane.mesh);
  values.set(keys.dataplane, dataplane.name);
  for (const [key, value] of dataplane.labels) {
    values.set(keys.dataplaneLabel + key, value);
    values.set(keys.k8sLabel + key, value);
  }
  const namespace = dataplane.labels.get('k8s.kuma.io/namespace');
  if (namespace !== undefined) {
    values.set(keys.k8sNamespace, namespace);
    values.set(keys.namespace, namespace);
  }
  const service = shared(inbounds.map(({ tags }) => tags.get('kuma.io/service')?.[0]));
  if (service !== undefined) values.set('service:name', service);
  const sections = inbounds.flatMap(({ name, port }) => (name === undefined ? [String(port)] : [name, String(port)]));
  if (inbounds.length === 1) values.set(keys.section, sections);
  return {
    inbound: true,
    protocol: shared(inbounds.map(({ protocol }) => protocol)),
    full: inventory.meshes.get(dataplane.mesh)?.accessPolicies === 'full',
    values,
    sections: inbounds.length === 1 ? undefined : sections,
  };
}

function shared<T>(values: readonly T[]): T | undefined {
  return values.every((value) => value === values[0]) ? values[0] : undefined;
}
