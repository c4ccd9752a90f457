import type { Inventory, Peer } from '../../../pdp/model/inventory.ts';
import { siteScopes } from '../../../pdp/model/of-site.ts';
import { byText } from '../../../pdp/model/text.ts';
import { all, any, type Expression, type Leaf } from '../expression.ts';

/** Where the parts of an exchange token are once `jwt_authn` has verified it, and what is said of them there. */

export interface Exchange {
  readonly peers: readonly Peer[];
  /** The SPIFFE ID of this site's gateway: whom tokens are for. */
  readonly audience: string;
  /** `namespace/name`: what tokens are for. */
  readonly service: string;
}

/** In an order that no document decides. */
export function peersOf({ peers }: Inventory): readonly Peer[] {
  return [...(peers?.values() ?? [])].sort((a, b) => byText(a.name, b.name));
}

export const tokenHeader = 'x-placet-token';
/** Where `jwt_authn` leaves what it has verified. */
export const jwtFilter = 'envoy.filters.http.jwt_authn';
export const payloadKey = 'jwt_payload';
export const headerKey = 'jwt_header';

/** What the script finds out of a token, each by a word of its own. */
export const checks = ['binding', 'times', 'claims'] as const;
export const checkedBy = 'placet.exchange';
export const passed = 'ok';

/**
 * What is known of a peer's site is known by its record, and by nothing that the peer says: nor anything that only
 * begins like that, such as `cl:fabricated`.
 */
export function beginsAsOfSite(key: string): boolean {
  return siteScopes.some((scope) => key.startsWith(scope));
}

/** Any string, so that a claim that is no string is none. */
const anyText = { match: 'regex', value: '[\\s\\S]*', starts: '' } as const;

export function claim(path: readonly string[], test: Pick<Leaf, 'match' | 'value' | 'starts'>): Leaf {
  return { of: 'metadata', at: [jwtFilter, payloadKey, ...path], ...test };
}

export function isText(path: readonly string[]): Leaf {
  return claim(path, anyText);
}

export function equals(path: readonly string[], value: string): Leaf {
  return claim(path, { match: 'exact', value });
}

/** What is asked of a SPIFFE ID, asked of the workload that the token is about. */
export function ofSubject({ match, value }: Leaf): Leaf {
  return claim(['sub'], { match, value });
}

export function hasPassed(check: (typeof checks)[number]): Leaf {
  return { of: 'metadata', at: [checkedBy, check], match: 'exact', value: passed };
}

/** Stands beside everything that is read out of the tokens of a peer: its connection, and its word. */
export function issuedBy({ gateway }: Peer): Expression {
  return all([{ of: 'id', match: 'exact', value: gateway }, equals(['iss'], gateway)]);
}

export function anyGateway(peers: readonly Peer[]): Expression {
  return any(peers.map(({ gateway }): Leaf => ({ of: 'id', match: 'exact', value: gateway })));
}
