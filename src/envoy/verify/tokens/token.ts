import type { MetadataStruct, Peer } from '../../interpreter/evidence.ts';

/** A token whose signature holds, as the filters in front of RBAC leave it. */
export interface Token {
  readonly claims: MetadataStruct;
  /** What the script says of it, each by its word. */
  readonly passed: readonly Word[];
}

export const words = ['binding', 'times', 'claims'] as const;
export type Word = (typeof words)[number];

/** Who connects, and the token that comes with the request, if one does. */
export interface Client extends Peer {
  readonly token?: Token;
}

export const verifiedBy = 'envoy.filters.http.jwt_authn';
export const payload = 'jwt_payload';
export const checkedBy = 'placet.exchange';

export function metadataOf({ claims, passed }: Token): MetadataStruct {
  return {
    [verifiedBy]: { [payload]: claims },
    ...(passed.length === 0 ? {} : { [checkedBy]: Object.fromEntries(passed.map((word) => [word, 'ok'])) }),
  };
}
