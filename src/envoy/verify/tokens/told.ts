import type { Inventory } from '../../../pdp/model/inventory.ts';
import {
  isReserved,
  type PeerTold,
  type StatedValues,
  subjectOf,
  toldOf,
} from '../../../pdp/model/peer-told.ts';
import type { StatedValue } from '../../../pdp/model/request.ts';
import { isSpiffeId } from '../../../pdp/model/spiffe-id.ts';
import { isTrust, type Trust, weaker } from '../../../pdp/model/trust.ts';
import type { Metadata } from '../../interpreter/evidence.ts';
import { type Client, words } from './token.ts';

/** What the PDP is told of a client by its token (SPEC XCH1, XCH2), or why the client is refused. */
export type Told = PeerTold | { readonly refused: 'invalid-source' | 'peer-refused' | 'token-refused' };

export function toldBy(client: Client, { site, peers }: Inventory, service: string): Told {
  const [id = '', ...others] = client.uriSans;
  if (others.length > 0 || !isSpiffeId(id) || !client.validated) return { refused: 'invalid-source' };
  const peer = [...(peers?.values() ?? [])].find(({ gateway }) => gateway === id);
  if (peer === undefined) return { refused: 'peer-refused' };
  const { token } = client;
  if (token === undefined || !words.every((word) => token.passed.includes(word)))
    return { refused: 'token-refused' };
  const { iss, aud, export: wanted, sub } = token.claims;
  const attributes = attributesOf(token.claims['attributes'], token.claims['trust'], peer.trustUpTo);
  const subject = subjectOf(sub, peer);
  const meant = iss === id && aud === site.gateway && wanted === service;
  if (!meant || attributes === undefined || subject === undefined) return { refused: 'token-refused' };
  return toldOf(attributes, subject, peer);
}

function attributesOf(
  attributes: Metadata | undefined,
  trusts: Metadata | undefined,
  upTo: Trust,
): StatedValues | undefined {
  if (!isStruct(attributes) || !isStruct(trusts)) return undefined;
  const found: (readonly [string, StatedValue])[] = [];
  for (const [key, value] of Object.entries(attributes)) {
    const trust = Object.hasOwn(trusts, key) ? trusts[key] : undefined;
    if (typeof value !== 'string' || isReserved(key) || !isTrust(trust)) return undefined;
    found.push([key, { value, trust: weaker(trust, upTo) }]);
  }
  return Object.keys(trusts).length === found.length ? found : undefined;
}

function isStruct(value: Metadata | undefined): value is { readonly [key: string]: Metadata } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
