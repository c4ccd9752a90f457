import type { Keeper } from './index/kept-cells.ts';
import {
  type Dataplane,
  type Inbound,
  type Inventory,
  namespaceOf,
  otherNameOf,
  ownNameOf,
  type Protocol,
  proxyTypeOf,
  type Service,
  tagsOf,
} from './model/inventory.ts';
import { isUnsaid } from './model/of-site.ts';
import { keys, serviceTag } from './model/rule.ts';

/** The groups of rules that govern a destination. */
export interface Found {
  /** Their rows in the table of groups. */
  groups: Int32Array;
  /** Per group: 0 where only its denies count. */
  allows: Uint8Array;
  count: number;
  /** Bit 0: a rule enforced here reads paths. Bit 1: one of the shadow world does. */
  reads: number;
}

/** A destination of the inventory as decisions see it; made once, when the inventory is. */
export interface Target extends Keeper {
  readonly inbound: boolean;
  /** `mixed`: several inbounds of which one is meant, and at least one of them shows no layer 7 (DST5). */
  readonly protocol: Protocol | 'mixed' | undefined;
  /** Whether it, or one of several that may be meant, is declared to speak http (DST6). */
  readonly http: boolean;
  /** Whether AccessPolicies allow here, or only deny (DST2). */
  readonly full: boolean;
  readonly values: ReadonlyMap<string, string | readonly string[]>;
  /** Keys that the inbounds meant do not share, so that nobody knows their value. */
  readonly unknown: ReadonlySet<string>;
  /** Whether nobody says what the site is that it is of. */
  readonly siteless: boolean;
  /** The sections one of which is meant, where the request does not say (DST5). */
  readonly sections: readonly string[] | undefined;
  /** What governs it, once it has been asked for. */
  found: Found | undefined;
}

/** Whether nobody knows if there is a value, of a key that has none (DST3–DST5). */
export function isUnknown({ unknown, siteless }: Target, key: string): boolean {
  return alwaysSomewhere.has(key) || unknown.has(key) || isUnsaid(key, siteless);
}

/** What every destination is in. */
const alwaysSomewhere: ReadonlySet<string> = new Set([keys.namespace, keys.k8sNamespace]);

export interface ProxyTargets {
  /** The name of its inbound, if it has one only: most are asked for by it, and a comparison is less than a look-up. */
  readonly name: string | undefined;
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
  const called: (readonly [Map<string, ProxyTargets>, string, ProxyTargets])[] = [];
  for (const dataplane of inventory.dataplanes.values()) {
    let proxies = dataplanes.get(dataplane.mesh);
    if (proxies === undefined) {
      proxies = new Map();
      dataplanes.set(dataplane.mesh, proxies);
    }
    const targets = proxyTargets(dataplane, inventory);
    proxies.set(dataplane.name, targets);
    const other = otherNameOf(dataplane);
    if (other !== undefined) called.push([proxies, other, targets]);
  }
  // It may be the name of another, which goes before.
  for (const [proxies, name, targets] of called) if (!proxies.has(name)) proxies.set(name, targets);
  const services = new Map<string, Target>();
  for (const [name, service] of inventory.services) services.set(name, serviceTarget(service, inventory));
  return { dataplanes, services };
}

/** What decisions see of an inbound, for those who look for inbounds (SPEC DST3). */
export function inboundValues(
  dataplane: Dataplane,
  inbound: Inbound,
  inventory: Inventory,
): Target['values'] {
  return inboundTarget(dataplane, [inbound], inventory).values;
}

/** The same of a service. */
export function serviceValues(service: Service, inventory: Inventory): Target['values'] {
  return serviceTarget(service, inventory).values;
}

function serviceTarget(service: Service, inventory: Inventory): Target {
  const values = new Map<string, string | readonly string[]>([
    ...service.attributes,
    ...inventory.site.attributes,
  ]);
  values.set(keys.namespace, service.namespace);
  return {
    inbound: false,
    protocol: undefined,
    full: true,
    values,
    unknown: new Set(),
    siteless: inventory.site.attributes.size === 0,
    http: false,
    sections: undefined,
    found: undefined,
    cells: undefined,
  };
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
  const name = only === undefined ? undefined : dataplane.inbounds[0]?.name;
  return { name, whole: only ?? inboundTarget(dataplane, dataplane.inbounds, inventory), inbounds };
}

/** One inbound, or several of which one is meant: what they share is known. */
function inboundTarget(dataplane: Dataplane, inbounds: readonly Inbound[], inventory: Inventory): Target {
  const values = new Map<string, string | readonly string[]>(inventory.site.attributes);
  values.set(keys.mesh, dataplane.mesh);
  values.set(keys.dataplane, ownNameOf(dataplane));
  values.set(keys.proxyType, proxyTypeOf(dataplane));
  for (const [key, value] of dataplane.labels) {
    values.set(keys.dataplaneLabel + key, value);
    values.set(keys.k8sLabel + key, value);
  }
  const namespace = namespaceOf(dataplane);
  if (namespace !== undefined) {
    values.set(keys.k8sNamespace, namespace);
    values.set(keys.namespace, namespace);
  }
  const unknown = new Set<string>();
  for (const [tag, shared] of sharedTags(dataplane, inbounds)) {
    if (shared === undefined) unknown.add(keys.tag + tag);
    else values.set(keys.tag + tag, shared);
    if (tag !== serviceTag) continue;
    if (shared === undefined) unknown.add(keys.serviceName);
    else values.set(keys.serviceName, shared[0] as string);
  }
  const sections = inbounds.flatMap(({ name, port }) =>
    name === undefined ? [String(port)] : [name, String(port)],
  );
  if (inbounds.length === 1) values.set(keys.section, sections);
  return {
    inbound: true,
    protocol: protocolOf(inbounds),
    full: inventory.meshes.get(dataplane.mesh)?.accessPolicies === 'full',
    values,
    unknown,
    siteless: inventory.site.attributes.size === 0,
    http: inbounds.some(({ protocol }) => protocol === 'http'),
    sections: inbounds.length > 1 ? sections : undefined,
    found: undefined,
    cells: undefined,
  };
}

/** Every tag of any of them: its values where all have the same, else undefined, since which is meant is unknown. */
function sharedTags(
  dataplane: Dataplane,
  inbounds: readonly Inbound[],
): ReadonlyMap<string, readonly string[] | undefined> {
  const [first, ...others] = inbounds.length === 0 ? [undefined] : inbounds;
  const shared = new Map<string, readonly string[] | undefined>(tagsOf(dataplane, first));
  for (const other of others) {
    const tags = tagsOf(dataplane, other);
    for (const tag of new Set([...shared.keys(), ...tags.keys()])) {
      const [one, two] = [shared.get(tag), tags.get(tag)];
      if (one?.join('\n') !== two?.join('\n')) shared.set(tag, undefined);
    }
  }
  return shared;
}

function protocolOf(inbounds: readonly Inbound[]): Target['protocol'] {
  const protocols = new Set(inbounds.map(({ protocol }) => protocol));
  if (protocols.size === 1) return inbounds[0]?.protocol;
  return protocols.has('tcp') ? 'mixed' : undefined;
}
