import type { Trust } from './trust.ts';

/** The object that `decide` takes: from the command line, the library and `POST /decide` alike. */

export interface StatedValue {
  readonly value: string;
  readonly trust?: Trust;
  /** Milliseconds since the epoch at which the value was seen. */
  readonly since?: number;
}

/** Why nobody can tell a value: those who share the identity differ in it, or it has not come in yet. */
export const unknowns = ['shared-identity', 'not-known'] as const;

/** A value that there may be and that nobody can tell. */
export interface StatedUnknown {
  readonly unknown: (typeof unknowns)[number];
  /** Who shares it. */
  readonly pods?: readonly string[];
}

export type Stated = string | StatedValue | StatedUnknown;

export type StatedAttributes = Readonly<Record<string, Stated>>;

/** Key prefixes, each with the trust of who knows all that there is under it. */
export type CompletePrefixes = Readonly<Record<string, Trust>>;

export interface RequestSource {
  readonly spiffeId?: string;
  readonly mesh?: string;
  readonly tags?: Readonly<Record<string, string | readonly string[]>>;
  readonly attributes?: StatedAttributes;
  /** Whether what is not here is known to be absent, rather than unknown: all of it, or what is under a prefix. */
  readonly complete?: boolean | CompletePrefixes;
}

/** One of the three, so that a program which names two, or none, does not compile: `decide` refuses it (SPEC REQ3). */
export type RequestDestination = DataplaneDestination | ServiceDestination | OutrightDestination;

interface EveryDestination {
  /** The one whose policies bind it, where nothing else says it. */
  readonly namespace?: string;
}

/** A dataplane of a mesh (`default` if not given) and one of its inbounds, by name or port. */
interface DataplaneDestination extends EveryDestination {
  readonly dataplane: string;
  readonly mesh?: string;
  readonly inbound?: string | number;
  /** The route of the inbound that the request takes, `name` or `namespace/name`; not given, it is not known. */
  readonly route?: string;
  readonly service?: never;
  readonly attributes?: never;
  readonly complete?: never;
}

interface ServiceDestination extends EveryDestination {
  /** `ns/name` of a service or an export. */
  readonly service: string;
  readonly dataplane?: never;
  readonly mesh?: never;
  readonly inbound?: never;
  readonly route?: never;
  readonly attributes?: never;
  readonly complete?: never;
}

/** Attributes outright. */
interface OutrightDestination extends EveryDestination {
  readonly attributes: Readonly<Record<string, string | StatedValue>>;
  readonly complete?: boolean;
  readonly dataplane?: never;
  readonly mesh?: never;
  readonly inbound?: never;
  readonly route?: never;
  readonly service?: never;
}

export interface RequestParts {
  readonly method?: string;
  readonly path?: string;
  readonly sni?: string;
}

export interface Request {
  readonly source?: RequestSource;
  readonly destination: RequestDestination;
  readonly request?: RequestParts;
  /** Milliseconds since the epoch, for ages; the core has no clock. */
  readonly at?: number;
}

/** How far the channel of a request is believed: the operator's own command line vouches for everything. */
export interface Channel {
  /** The trust of `spiffeId`, `mesh` and `tags`, and of what a template reads off the ID. */
  readonly identity: Trust;
  /** The trust of attributes that state none. */
  readonly trust: Trust;
  /** No attribute counts for more than this, whatever it states. */
  readonly ceiling: Trust;
  /** Whether a set that does not say so is complete. */
  readonly complete: boolean;
  /** That it is not told of server names: one that is not said is unknown then, and not known to be absent (REQ6). */
  readonly serverNames?: 'untold';
}

export const operatorChannel: Channel = {
  identity: 'attested',
  trust: 'attested',
  ceiling: 'attested',
  complete: true,
};

/** What a caller may do at the service (SPEC REQ5, SVC1 to SVC3). */
export const roles = ['decide', 'relay', 'assert', 'explain', 'admin'] as const;
export type Role = (typeof roles)[number];

const untold = new WeakMap<Channel, Channel>();

/** The same one for the same. */
export function untoldServerNames(channel: Channel): Channel {
  let made = untold.get(channel);
  if (made === undefined) {
    made = { ...channel, serverNames: 'untold' };
    untold.set(channel, made);
  }
  return made;
}

export function channelOf(role: Role): Channel {
  const trust: Trust = role === 'assert' ? 'reported' : 'asserted';
  return { identity: role === 'relay' ? 'attested' : trust, trust, ceiling: trust, complete: false };
}
