import type { Reason } from '../model/decision.ts';
import type { Inventory } from '../model/inventory.ts';
import { normalisePath, pathAmbiguity } from '../model/path.ts';
import type { Channel, Request } from '../model/request.ts';
import { isOwnKey, keys, type Side } from '../model/rule.ts';
import { spiffeIdFault } from '../model/spiffe-id.ts';
import { asciiLower } from '../model/text.ts';
import { type Destination, destinationOf } from './destination.ts';
import { notThere } from './not-there.ts';
import { type Anew, absent, known, type Seen, unknown } from './seen.ts';
import { Source } from './source.ts';

/** A reason to deny before any rule is asked, in words, with what to do about it (TIER4). */
export interface Guard {
  readonly reason: Reason;
  readonly keys?: readonly string[];
  readonly message: string;
  readonly hint: string;
}

/** One request as conditions see it. Without a guard, all of it is there. */
export interface View {
  readonly guard?: Guard;
  readonly destination?: Destination;
  /** [PATH2] Why the path is ambiguous, where the inbound shows it at all. */
  readonly ambiguity?: string;
  anew(side: Side, key: string): Anew;
  /** [SRC1] */
  readonly identified: boolean;
  see(side: Side, key: string): Seen;
}

export function viewOf(request: Request, inventory: Inventory, channel: Channel): View {
  const source = new Source(request.source, inventory, channel);
  const destination = destinationOf(request.destination, inventory, channel);
  const guard = guardOf(request, source, destination, inventory);
  const inbounds = destination?.inbounds ?? [];
  const { method, path, sni } = request.request ?? {};
  const hidden = inbounds.some(({ protocol }) => protocol === 'tcp');
  const ambiguity = path === undefined ? undefined : pathAmbiguity(path);
  const seen = new Map<string, Seen>([
    [keys.method, hidden ? notShown : shown(method)],
    [keys.path, hidden ? notShown : shownPath(path)],
    [keys.sni, serverName(sni, channel)],
  ]);
  const all = inbounds.length > 0 && inbounds.every(({ protocol }) => protocol === 'tcp');
  return {
    ...(guard === undefined ? {} : { guard }),
    ...(destination === undefined ? {} : { destination }),
    ...(ambiguity === undefined || all ? {} : { ambiguity }),
    identified: source.identified,
    anew(side, key) {
      if (side === 'source') return source.anew(key);
      const counts = key === keys.namespace || !isOwnKey(key);
      const trust = side === 'destination' && counts ? destination?.statedTrust(key) : undefined;
      return { most: 'attested', ...(trust === undefined ? {} : { trust }) };
    },
    see(side, key) {
      if (side === 'source') return source.see(key);
      if (side === 'destination') return destination?.see(key) ?? absent('nowhere');
      return seen.get(key) ?? absent('request');
    },
  };
}

/** [UNK2] A method or path, as the inbound lets it be seen. */
function shown(part: string | undefined): Seen {
  return part === undefined ? unknown('not-given', 'request') : known([part], 'request');
}

/** [PATH2] */
function shownPath(path: string | undefined): Seen {
  const normal = path === undefined ? undefined : normalisePath(path);
  if (path === undefined || normal !== undefined) return shown(normal);
  return unknown('ambiguous-path', 'request', { values: [path] });
}

/** [REQ6] */
function serverName(sni: string | undefined, { serverNames }: Channel): Seen {
  if (sni !== undefined) return known([asciiLower(sni)], 'request');
  return serverNames === 'untold' ? unknown('not-given', 'request') : absent('request');
}

const notShown: Seen = unknown('not-shown', 'inbound declared tcp');

/** In the order of TIER4; `invalid-request` comes before there is a request, `ambiguous-path` needs the rules. */
function guardOf(
  request: Request,
  source: Source,
  destination: Destination | undefined,
  inventory: Inventory,
): Guard | undefined {
  if (destination === undefined) {
    const instead = notThere(request.destination, inventory)?.instead;
    const hint =
      'name a dataplane and inbound, or a service, that a document gives, or give attributes outright';
    return {
      reason: 'unknown-destination',
      message: `the inventory has no ${destinationInWords(request)}`,
      hint: instead === undefined ? hint : `${instead}; ${hint}`,
    };
  }
  if (source.invalid !== undefined) {
    const fault = spiffeIdFault(source.invalid);
    return {
      reason: 'invalid-source',
      message: fault?.message ?? '',
      hint: fault?.hint ?? 'give the SPIFFE ID as the certificate has it',
    };
  }
  if (destination.inbounds !== undefined && !source.identified)
    return {
      reason: 'unidentified',
      message: 'the request says nothing of who asks, and an inbound always wants an identity',
      hint: 'give source.spiffeId',
    };
  const conflicts = source.conflicts();
  const { elsewhere } = destination;
  if (conflicts.length > 0 || elsewhere !== undefined) {
    const words = conflicts.map(
      ({ key, stated, derived }) =>
        `${key} is stated as ${stated} and is ${derived.values[0]} by ${derived.from}`,
    );
    if (elsewhere !== undefined) words.push(`the destination is in the namespace ${elsewhere}`);
    return {
      reason: 'conflict',
      keys: [...conflicts.map(({ key }) => key), ...(elsewhere === undefined ? [] : [keys.namespace])].sort(),
      message: words.join('; '),
      hint: 'leave out what is known already',
    };
  }
  return incomplete(request, destination);
}

/** [DST6] */
function incomplete(request: Request, { inbounds = [] }: Destination): Guard | undefined {
  if (!inbounds.some(({ protocol }) => protocol === 'http')) return undefined;
  const { method, path } = request.request ?? {};
  const missing = [...(method === undefined ? ['method'] : []), ...(path === undefined ? ['path'] : [])];
  if (missing.length === 0) return undefined;
  return {
    reason: 'incomplete-request',
    message: `${inbounds.length === 1 ? 'the inbound' : 'an inbound that may be meant'} speaks http, and the request has no ${missing.join(' and no ')}`,
    hint: `${inbounds.length === 1 ? 'give' : 'say which inbound is meant, or give'} ${missing.map((part) => `request.${part}`).join(' and ')}`,
  };
}

function destinationInWords({ destination }: Request): string {
  const { dataplane, mesh = 'default', inbound, service } = destination;
  if (dataplane === undefined) return `service ${service}`;
  return inbound === undefined
    ? `dataplane ${mesh}/${dataplane}`
    : `inbound ${inbound} of a dataplane ${mesh}/${dataplane}`;
}
