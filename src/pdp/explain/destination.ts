import { neverPresent } from '../model/aliases.ts';
import {
  type Dataplane,
  findDataplane,
  type Inbound,
  type Inventory,
  namespaceOf,
  ownNameOf,
  proxyTypeOf,
  tagsOf,
} from '../model/inventory.ts';
import { isOfSite } from '../model/of-site.ts';
import type { Channel, RequestDestination } from '../model/request.ts';
import { isOwnKey, keys, serviceTag } from '../model/rule.ts';
import { type Trust, weaker } from '../model/trust.ts';
import { absent, known, type Seen, unknown } from './seen.ts';

/** What is asked for (SPEC DST1–DST6). */
export interface Destination {
  /** The inbounds one of which is meant: one, or all if none is named. Not given: no inbound at all. */
  readonly inbounds?: readonly Inbound[];
  /** [DST2] Whether AccessPolicies allow here. */
  readonly full: boolean;
  /** The trust of what the request would say of a key; of the namespace, where that is what the destination has. */
  statedTrust(key: string): Trust;
  /** [DST4] The namespace that the inventory has, where the request names another. */
  readonly elsewhere?: string;
  see(key: string): Seen;
}

/** [DST4] What a request says of a dataplane that does not. */
const spoken: readonly string[] = [keys.namespace, keys.k8sNamespace];
const configured: Trust = 'configured';

/** Undefined if the inventory does not have it. */
export function destinationOf(
  given: RequestDestination,
  inventory: Inventory,
  channel: Channel,
): Destination | undefined {
  const found = find(given, inventory, channel);
  if (found === undefined) return undefined;
  const see = (key: string): Seen => {
    if (neverPresent(key, 'destination')) return absent('a name of sources');
    if (key === keys.namespace && given.namespace !== undefined)
      return known([given.namespace], 'namespace of the destination');
    return found.see(key);
  };
  const [inventoried] = given.attributes === undefined ? found.see(keys.namespace).values : [];
  const other = given.namespace !== undefined && inventoried !== undefined && inventoried !== given.namespace;
  return { ...found, ...(other ? { elsewhere: inventoried } : {}), see };
}

function find(given: RequestDestination, inventory: Inventory, channel: Channel): Destination | undefined {
  if (given.dataplane !== undefined) return atDataplane(given, inventory, channel);
  return given.service === undefined ? outright(given, channel) : atService(given.service, inventory);
}

function atDataplane(
  given: RequestDestination,
  inventory: Inventory,
  channel: Channel,
): Destination | undefined {
  const mesh = given.mesh ?? 'default';
  const dataplane = findDataplane(inventory, mesh, given.dataplane as string, given.namespace);
  if (dataplane === undefined) return undefined;
  const inbounds = inboundsMeant(dataplane, given.inbound);
  if (given.inbound !== undefined && inbounds.length === 0) return undefined;
  return {
    inbounds,
    full: inventory.meshes.get(mesh)?.accessPolicies === 'full',
    statedTrust: (key) => (spoken.includes(key) ? weaker(channel.trust, channel.ceiling) : configured),
    see(key) {
      if (key === keys.route) return routeOf(given.route);
      if (key === keys.k8sNamespace)
        return namespaceSeen(dataplane, given.namespace, weaker(channel.trust, channel.ceiling));
      return seeAtInbound(key, dataplane, inbounds, inventory);
    },
  };
}

/** A name goes before a port that is written the same. */
function inboundsMeant({ inbounds }: Dataplane, inbound: string | number | undefined): readonly Inbound[] {
  if (inbound === undefined) return inbounds;
  const wanted = String(inbound);
  const named = inbounds.filter(({ name }) => name === wanted);
  const meant = named.length > 0 ? named : inbounds.filter(({ port }) => String(port) === wanted);
  return meant.slice(-1);
}

function seeAtInbound(
  key: string,
  dataplane: Dataplane,
  inbounds: readonly Inbound[],
  inventory: Inventory,
): Seen {
  const { mesh, name, labels } = dataplane;
  const from = `Dataplane ${mesh}/${name}`;
  const label = (written: string): Seen => {
    const value = labels.get(written);
    return value === undefined ? ofSite(key, inventory) : known([value], from, configured);
  };
  if (key === keys.mesh) return known([mesh], from);
  if (key === keys.dataplane) return known([ownNameOf(dataplane)], from);
  if (key === keys.proxyType) return known([proxyTypeOf(dataplane)], from);
  if (key === keys.section) return section(inbounds, from);
  if (key === keys.namespace) {
    const value = namespaceOf(dataplane);
    return value === undefined ? unknown('not-given', from) : known([value], from);
  }
  if (key.startsWith(keys.dataplaneLabel)) {
    const value = labels.get(key.slice(keys.dataplaneLabel.length));
    return value === undefined ? absent(from) : known([value], from);
  }
  if (key.startsWith(keys.tag)) return tag(key.slice(keys.tag.length), dataplane, inbounds, from);
  if (isOwnKey(key)) return absent(from);
  if (key.startsWith(keys.k8sLabel)) return label(key.slice(keys.k8sLabel.length));
  if (key === keys.serviceName) {
    const seen = tag(serviceTag, dataplane, inbounds, from);
    if (seen.state === 'absent') return ofSite(key, inventory);
    return seen.state === 'known' ? known(seen.values, from, configured) : seen;
  }
  return ofSite(key, inventory);
}

/** [DST4] */
function namespaceSeen(dataplane: Dataplane, given: string | undefined, trust: Trust): Seen {
  const from = `Dataplane ${dataplane.mesh}/${dataplane.name}`;
  const value = namespaceOf(dataplane);
  if (value !== undefined) return known([value], from, configured);
  if (given === undefined) return unknown('not-given', from);
  return known([given], 'namespace of the destination', trust);
}

/** [DST5] [DST7] */
function tag(name: string, dataplane: Dataplane, inbounds: readonly Inbound[], from: string): Seen {
  const written = inbounds.length === 0 ? [tagsOf(dataplane)] : inbounds.map((one) => tagsOf(dataplane, one));
  const [first, ...others] = written.map((tags) => tags.get(name));
  if (others.some((other) => other?.join('\n') !== first?.join('\n')))
    return unknown('section-not-given', from);
  return first === undefined ? absent(from) : known(first, from);
}

/** [DST8] */
function routeOf(route: string | undefined): Seen {
  if (route === undefined) return unknown('not-given', 'request');
  const slash = route.indexOf('/');
  if (slash < 0) return { ...known([route], 'request'), anyNamespace: true };
  return known([route, route.slice(slash + 1)], 'request');
}

function section(inbounds: readonly Inbound[], from: string): Seen {
  const possible = inbounds.map(({ name, port }) => (name === undefined ? [] : [name]).concat(String(port)));
  const [only] = possible;
  if (only === undefined) return absent(from);
  if (possible.length === 1) return known(only, from);
  return unknown('section-not-given', from, { possible });
}

function ofSite(key: string, { site }: Inventory): Seen {
  const value = site.attributes.get(key);
  if (value !== undefined) return known([value], 'site', configured);
  if (site.attributes.size === 0 && isOfSite(key))
    return unknown('not-given', 'inventory, which has no Site');
  return key === keys.fabric ? unknown('not-given', 'site') : absent('inventory', configured);
}

function atService(service: string, inventory: Inventory): Destination | undefined {
  const found = inventory.services.get(service);
  if (found === undefined) return undefined;
  const from = `Service ${service}`;
  return {
    full: true,
    statedTrust: () => configured,
    see(key) {
      if (key === keys.namespace) return known([found.namespace], from);
      if (isOwnKey(key)) return absent(from);
      const value = inventory.site.attributes.has(key) ? undefined : found.attributes.get(key);
      return value === undefined ? ofSite(key, inventory) : known([value], from, configured);
    },
  };
}

const stated = 'stated in the request';

function outright(given: RequestDestination, channel: Channel): Destination {
  const attributes = given.attributes ?? {};
  const complete = given.complete ?? channel.complete;
  const statedTrust = weaker(channel.trust, channel.ceiling);
  const see = (key: string): Seen => {
    if (key === keys.namespace) {
      const namespace = see(keys.k8sNamespace);
      return namespace.state === 'known' ? known(namespace.values, stated) : unknown('not-given', stated);
    }
    if (isOwnKey(key)) return absent(stated);
    const value = Object.hasOwn(attributes, key) ? attributes[key] : undefined;
    if (value === undefined && key === keys.k8sNamespace && given.namespace !== undefined)
      return known([given.namespace], 'namespace of the destination', statedTrust);
    if (value === undefined) return complete ? absent(stated, statedTrust) : unknown('not-given', stated);
    if (typeof value === 'string') return known([value], stated, statedTrust);
    return known([value.value], stated, weaker(value.trust ?? channel.trust, channel.ceiling), value.since);
  };
  return { full: true, statedTrust: () => statedTrust, see };
}
