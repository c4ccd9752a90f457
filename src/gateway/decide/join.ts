import { identityKeys } from '../../pdp/model/identity-keys.ts';
import { limits } from '../../pdp/model/limits.ts';
import {
  type Channel,
  type CompletePrefixes,
  channelOf,
  type Request,
  type RequestSource,
  type Role,
  type Stated,
  type StatedAttributes,
} from '../../pdp/model/request.ts';
import { keys } from '../../pdp/model/rule.ts';
import { stronger, type Trust, trustRank, weaker } from '../../pdp/model/trust.ts';

const plain = channelOf('decide');
const relaying = channelOf('relay');
const asserting = channelOf('assert');
const both: Channel = { ...asserting, identity: relaying.identity };

/** How far a caller is believed, by its roles: each counts for its own part. */
export function channelFor(roles: ReadonlySet<Role>): Channel {
  if (roles.has('relay')) return roles.has('assert') ? both : relaying;
  return roles.has('assert') ? asserting : plain;
}

export interface Joined {
  readonly request: Request;
  readonly channel: Channel;
  /** Identity keys of which evidence and caller say different things. */
  readonly conflicts: readonly string[];
}

/**
 * What evidence says and what the caller states, as one request. Each value keeps the trust of its own source, so
 * that the channel caps nothing any more: all that was stated is capped here. It is of now, if it does not say.
 */
export function join(request: Request, proved: RequestSource, channel: Channel, now: number): Joined {
  const { at = now } = request;
  const stated = request.source ?? nothing;
  if (
    saysNothing(stated) &&
    request.destination.attributes === undefined &&
    proved.attributes !== undefined
  ) {
    return {
      request: { ...request, at, source: proved },
      channel: joinedChannel(channel, identityTrust(stated, proved, channel.identity)),
      conflicts: none,
    };
  }
  const conflicts = new Set<string>();
  const { spiffeId = proved.spiffeId } = stated;
  const saysOtherwise = spiffeId !== proved.spiffeId && (proved.spiffeId ?? proved.tags) !== undefined;
  if (saysOtherwise) conflicts.add(keys.spiffeId);
  const attributes = joinAttributes(capped(stated.attributes, channel), proved, conflicts);
  const complete = joinComplete(stated.complete, proved.complete, channel.ceiling);
  // The certificate of a tag mesh says all there is to say of tags.
  const { mesh, tags } = proved.tags === undefined ? stated : proved;
  const { destination } = request;
  const outright = capped(destination.attributes, channel);
  return {
    request: {
      ...request,
      at,
      source: {
        ...(spiffeId === undefined ? {} : { spiffeId }),
        ...(mesh === undefined ? {} : { mesh }),
        ...(tags === undefined ? {} : { tags }),
        attributes,
        ...(complete === undefined ? {} : { complete }),
      },
      destination:
        outright === undefined
          ? destination
          : ({ ...destination, attributes: outright } as Request['destination']),
    },
    channel: joinedChannel(channel, identityTrust(stated, proved, channel.identity)),
    conflicts: [...conflicts],
  };
}

const joinedChannels = new WeakMap<Channel, Partial<Record<Trust, Channel>>>();

/** The same for the same, since there are only a few. */
function joinedChannel(channel: Channel, identity: Trust): Channel {
  let joined = joinedChannels.get(channel);
  if (joined === undefined) {
    joined = {};
    joinedChannels.set(channel, joined);
  }
  joined[identity] ??= { ...channel, identity, ceiling: 'attested' };
  return joined[identity];
}

const nothing: RequestSource = {};
const none: readonly string[] = [];

function saysNothing(stated: RequestSource): boolean {
  for (const _ in stated) return false;
  return true;
}

/** Evidence is worth what its own values are worth; of what both have a part in, the weaker counts. */
function identityTrust(stated: RequestSource, proved: RequestSource, ofStated: Trust): Trust {
  const ofProved = trustOf(proved.attributes?.[keys.spiffeId]) ?? bestOf(proved.complete) ?? ofStated;
  let trust: Trust | undefined;
  const add = (one: Trust): void => {
    trust = trust === undefined ? one : weaker(trust, one);
  };
  if (proved.spiffeId !== undefined)
    add(stated.spiffeId === undefined || trustRank[ofProved] > trustRank[ofStated] ? ofProved : ofStated);
  else if (stated.spiffeId !== undefined) add(ofStated);
  if (proved.tags !== undefined) add(ofProved);
  else if (stated.tags !== undefined || stated.mesh !== undefined) add(ofStated);
  return trust ?? ofStated;
}

function joinAttributes(
  stated: StatedAttributes | undefined,
  proved: RequestSource,
  conflicts: Set<string>,
): StatedAttributes {
  const all: Record<string, Stated> = { ...proved.attributes };
  for (const [key, value] of Object.entries(stated ?? {})) {
    const known = proved.attributes?.[key];
    const [said, found] = [saidBy(value), known === undefined ? undefined : saidBy(known)];
    if (said !== undefined && found !== undefined && said !== found && identityKeys.has(key))
      conflicts.add(key);
    const rank = rankOf(value);
    // Who knows that nobody can tell, and who knows all that there is, is not told otherwise by less.
    const outranked =
      known === undefined
        ? absenceRank(proved.complete, key) > rank
        : found === undefined || rankOf(known) >= rank;
    if (!outranked) all[key] = value;
  }
  return all;
}

function joinComplete(
  stated: RequestSource['complete'],
  proved: RequestSource['complete'],
  ceiling: Trust,
): RequestSource['complete'] {
  if (typeof stated !== 'object') return stated === true ? true : proved;
  const all: Record<string, Trust> = { ...(typeof proved === 'object' ? proved : {}) };
  for (const [prefix, trust] of Object.entries(stated)) {
    const own = weaker(trust, ceiling);
    const known = all[prefix];
    if (known === undefined && Object.keys(all).length >= limits.completePrefixes) continue;
    all[prefix] = known === undefined ? own : stronger(known, own);
  }
  return all;
}

/** With the trust of its channel said of each. */
function capped(
  attributes: StatedAttributes | undefined,
  { trust, ceiling }: Channel,
): StatedAttributes | undefined {
  if (attributes === undefined) return undefined;
  const all: [string, Stated][] = Object.entries(attributes).map(([key, stated]) => {
    if (typeof stated === 'string') return [key, { value: stated, trust: weaker(trust, ceiling) }];
    if (!('value' in stated)) return [key, stated];
    return [key, { ...stated, trust: weaker(stated.trust ?? trust, ceiling) }];
  });
  return Object.fromEntries(all);
}

function saidBy(stated: Stated): string | undefined {
  if (typeof stated === 'string') return stated;
  return 'value' in stated ? stated.value : undefined;
}

function trustOf(stated: Stated | undefined): Trust | undefined {
  return typeof stated === 'object' && 'value' in stated ? stated.trust : undefined;
}

function rankOf(stated: Stated): number {
  return trustRank[trustOf(stated) ?? 'asserted'];
}

function bestOf(complete: RequestSource['complete']): Trust | undefined {
  if (typeof complete !== 'object') return undefined;
  return Object.values(complete).toSorted((a, b) => trustRank[b] - trustRank[a])[0];
}

function absenceRank(complete: boolean | CompletePrefixes | undefined, key: string): number {
  if (typeof complete !== 'object') return -1;
  return Math.max(
    -1,
    ...Object.entries(complete).map(([prefix, trust]) => (key.startsWith(prefix) ? trustRank[trust] : -1)),
  );
}
