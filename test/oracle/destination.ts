import type { Channel, RequestDestination, StatedValue } from '../../src/pdp/model/request.ts';
import { wrongSide } from './access.ts';
import type { Known, KnownDataplane, KnownInbound } from './known.ts';
import { type Seen, weakerOf } from './seen.ts';

/** What is asked for. */

export interface Destination {
  /** The inbounds that can be meant: one, or all if none is named (DST5). Not given: no inbound. */
  inbounds?: KnownInbound[];
  /** [DST2] */
  accessPoliciesAllow: boolean;
  /** [DST4] The request names another namespace than the inventory. */
  elsewhere?: boolean;
  see(key: string): Seen;
}

const absent: Seen = { is: 'absent', trust: 'configured' };
/** [AP3] Known whatever is asked of it. */
const never: Seen = { is: 'absent', trust: undefined };
const unknown: Seen = { is: 'unknown', because: 'missing' };

/** [REQ3] [REQ4] */
export function destinationOf(
  given: RequestDestination,
  known: Known,
  channel: Channel,
): Destination | 'unknown-destination' {
  if (given.dataplane !== undefined) return atDataplane(given, known, channel);
  if (given.service !== undefined) return atService(given, known);
  return outright(given, channel);
}

/** What Placet itself says of a destination is no evidence: no floor is asked of it. */
function own(values: readonly string[]): Seen {
  return { is: 'value', values, trust: undefined };
}

function configured(values: readonly string[]): Seen {
  return { is: 'value', values, trust: 'configured' };
}

function atDataplane(
  given: RequestDestination,
  known: Known,
  channel: Channel,
): Destination | 'unknown-destination' {
  const mesh = given.mesh ?? 'default';
  const plane = known.dataplanes.find((one) => one.mesh === mesh && one.name === given.dataplane);
  if (plane === undefined) return 'unknown-destination';
  let inbounds = plane.inbounds;
  if (given.inbound !== undefined) {
    const wanted = String(given.inbound);
    inbounds = inbounds.filter((one) => one.name === wanted || String(one.port) === wanted);
    if (inbounds.length === 0) return 'unknown-destination';
  }
  const declared = known.meshes.find((one) => one.name === mesh);
  return {
    inbounds,
    accessPoliciesAllow: declared?.accessPolicies === 'full',
    elsewhere: differ(given.namespace, plane.labels['k8s.kuma.io/namespace']),
    see: (key) => seeAtInbound(key, given, plane, inbounds, known, channel),
  };
}

function differ(given: string | undefined, known: string | undefined): boolean {
  return given !== undefined && known !== undefined && given !== known;
}

/** [DST3] [DST5] */
function seeAtInbound(
  key: string,
  given: RequestDestination,
  plane: KnownDataplane,
  inbounds: readonly KnownInbound[],
  known: Known,
  channel: Channel,
): Seen {
  if (wrongSide(key, 'destination')) return never;
  if (key === 'kuma:mesh') return own([plane.mesh]);
  if (key === 'kuma:dataplane') return own([plane.name]);
  if (key === 'kuma:proxy-type') return own([plane.gateway === undefined ? 'Sidecar' : 'Gateway']);
  if (key === 'kuma:section') {
    const options = inbounds.map((one) => [...(one.name === undefined ? [] : [one.name]), String(one.port)]);
    return { is: 'either', options };
  }
  if (key.startsWith('kuma:tag:')) {
    const seen = agreed(tagOfEach(key.slice('kuma:tag:'.length), plane, inbounds));
    return seen.is === 'value' ? own(seen.values) : seen.is === 'absent' ? never : seen;
  }
  // [DST8]
  if (key === 'kuma:route') {
    if (given.route === undefined) return unknown;
    const [, name] = given.route.split('/');
    if (name !== undefined) return own([given.route, name]);
    return { is: 'somewhere', name: given.route };
  }
  if (key === 'service:name') return agreed(inbounds.map((one) => one.tags['kuma.io/service'] ?? []));
  if (key.startsWith('kuma:label:')) {
    const label = fromLabels(plane, key.slice('kuma:label:'.length));
    return label.is === 'value' ? own(label.values) : never;
  }
  if (key.startsWith('k8s:label:')) return fromLabels(plane, key.slice('k8s:label:'.length));
  if (key === 'k8s:ns' && plane.labels['k8s.kuma.io/namespace'] === undefined) {
    const trust = weakerOf(channel.trust, channel.ceiling);
    return given.namespace === undefined ? unknown : { is: 'value', values: [given.namespace], trust }; // DST4
  }
  if (key === 'k8s:ns') return fromLabels(plane, 'k8s.kuma.io/namespace');
  if (key === 'placet:namespace') {
    if (given.namespace !== undefined) return own([given.namespace]);
    const namespace = plane.labels['k8s.kuma.io/namespace'];
    return namespace === undefined ? unknown : own([namespace]); // DST4
  }
  return ofSite(known, key);
}

/** [DST3] Without a Site nobody says what it is. */
function ofSite(known: Known, key: string): Seen {
  if (Object.hasOwn(known.siteAttributes, key)) return fromTexts(known.siteAttributes, key);
  const said = Object.keys(known.siteAttributes).length > 0;
  return key === 'cl:fabric' || (!said && /^(cl:)?site:/.test(key)) ? unknown : absent;
}

/** [DST7] Of each inbound, or of none: labels say what is not written. */
function tagOfEach(tag: string, plane: KnownDataplane, inbounds: readonly KnownInbound[]) {
  const ofLabels = ['k8s.kuma.io/namespace', 'kuma.io/zone'].includes(tag) ? plane.labels[tag] : undefined;
  const otherwise = ofLabels === undefined ? [] : [ofLabels];
  if (inbounds.length === 0) return [[plane.gateway?.[tag] ?? otherwise].flat()];
  return inbounds.map((one) => one.tags[tag] ?? otherwise);
}

/** What all inbounds that can be meant share is known, even if it is nothing. */
function agreed(perInbound: readonly (readonly string[])[]): Seen {
  const [first = []] = perInbound;
  for (const other of perInbound) if (other.join('\n') !== first.join('\n')) return unknown;
  return first.length === 0 ? absent : configured(first);
}

function fromLabels(plane: KnownDataplane, label: string): Seen {
  return fromTexts(plane.labels, label);
}

function fromTexts(texts: Readonly<Record<string, string>>, key: string): Seen {
  return Object.hasOwn(texts, key) ? configured([texts[key]!]) : absent;
}

function atService(given: RequestDestination, known: Known): Destination | 'unknown-destination' {
  const service = known.services.find((one) => `${one.namespace}/${one.name}` === given.service);
  if (service === undefined) return 'unknown-destination';
  const attributes = { ...service.attributes, ...known.siteAttributes };
  return {
    accessPoliciesAllow: true,
    elsewhere: differ(given.namespace, service.namespace),
    see: (key) => {
      if (wrongSide(key, 'destination')) return never;
      if (key === 'placet:namespace') return own([given.namespace ?? service.namespace]);
      if (key.startsWith('kuma:')) return never;
      return Object.hasOwn(attributes, key) ? fromTexts(attributes, key) : ofSite(known, key);
    },
  };
}

function outright(given: RequestDestination, channel: Channel): Destination {
  const attributes = given.attributes ?? {};
  const complete = given.complete ?? channel.complete;
  const see = (key: string): Seen => {
    if (wrongSide(key, 'destination')) return never;
    if (key === 'placet:namespace') {
      if (given.namespace !== undefined) return own([given.namespace]);
      const namespace = see('k8s:ns');
      return namespace.is === 'value' ? own(namespace.values) : unknown; // DST4
    }
    if (key.startsWith('kuma:')) return never;
    const stated = Object.hasOwn(attributes, key) ? attributes[key] : undefined;
    const channelTrust = weakerOf(channel.trust, channel.ceiling);
    if (stated === undefined && key === 'k8s:ns' && given.namespace !== undefined)
      return { is: 'value', values: [given.namespace], trust: channelTrust }; // DST4
    if (stated === undefined) return complete ? { is: 'absent', trust: channelTrust } : unknown;
    const full: StatedValue = typeof stated === 'string' ? { value: stated } : stated;
    const trust = weakerOf(full.trust ?? channel.trust, channel.ceiling);
    return { is: 'value', values: [full.value], trust };
  };
  return { accessPoliciesAllow: true, see };
}
