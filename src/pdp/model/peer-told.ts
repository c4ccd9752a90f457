import { aliasScopes } from './aliases.ts';
import type { Peer } from './inventory.ts';
import { completeForSite, siteScopes } from './of-site.ts';
import type { Channel, RequestSource, StatedValue } from './request.ts';
import { keys, ownScopes } from './rule.ts';
import { isSpiffeId } from './spiffe-id.ts';

/** What a peer's word on a workload of its own comes to (SPEC XCH1, XCH2), whoever verified the token that carries it. */
export interface PeerTold {
  readonly source: RequestSource;
  readonly channel: Channel;
}

export type StatedValues = readonly (readonly [string, StatedValue])[];

/** What begins so a token does not say in its attributes, and is refused if it does. */
export const reservedScopes = [
  ...siteScopes,
  'spiffe:',
  ...ownScopes,
  // What they mean is found out behind all that is asked of names here, and by the PDP alone.
  ...aliasScopes,
];

export function isReserved(key: string): boolean {
  return reservedScopes.some((scope) => key.startsWith(scope));
}

/** What the record says of the peer's site goes before what the peer says. */
export function toldOf(
  attributes: StatedValues,
  subject: StatedValues,
  { attributes: record, trustUpTo: trust }: Peer,
): PeerTold {
  const ofSite = [...record].map(([key, value]) => [key, { value, trust: 'configured' }] as const);
  return {
    source: {
      attributes: Object.fromEntries([...attributes, ...ofSite, ...subject]),
      complete: completeForSite,
    },
    channel: { identity: trust, trust, ceiling: 'attested', complete: false },
  };
}

/** A peer speaks of nobody by name, or of a workload of its own. */
export function subjectOf(sub: unknown, { trustDomains, trustUpTo: trust }: Peer): StatedValues | undefined {
  if (sub === undefined) return [];
  if (typeof sub !== 'string' || !isSpiffeId(sub)) return undefined;
  const [, , domain = '', ...path] = sub.split('/');
  // Of a trust domain itself nobody is a workload.
  if (path.length === 0 || !trustDomains.includes(domain)) return undefined;
  return [
    [keys.spiffeId, { value: sub, trust }],
    [keys.trustDomain, { value: domain, trust }],
  ];
}
