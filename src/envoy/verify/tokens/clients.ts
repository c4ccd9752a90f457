import type { Inventory, Peer as Site } from '../../../pdp/model/inventory.ts';
import { isReserved } from '../../../pdp/model/peer-told.ts';
import { isSpiffeId } from '../../../pdp/model/spiffe-id.ts';
import { trustLevels } from '../../../pdp/model/trust.ts';
import type { Metadata, MetadataStruct } from '../../interpreter/evidence.ts';
import { verifyLimits } from '../limits.ts';
import type { Mentioned } from '../mentioned.ts';
import { around, near, noCertificate, withUris } from '../peers.ts';
import { Shuffle } from '../shuffle.ts';
import { type Client, type Token, type Word, words } from './token.ts';

/**
 * Gateways with tokens near everything that is mentioned, then with every sort of token that does not hold, made of some
 * with which they are let in: with any other nobody would see what is not asked for.
 */
export function tokenClients(
  mentioned: Mentioned,
  inventory: Inventory,
  service: string,
  allows: (client: Client) => boolean,
): Client[] {
  const peers = [...(inventory.peers?.values() ?? [])];
  const choices = choicesOf(mentioned);
  const clients = peers.flatMap((peer): Client[] => {
    const base = claimsOf(peer, inventory.site.gateway ?? '', service);
    const sub = `spiffe://${peer.trustDomains[0]}/other`;
    const told = tellings(choices).flatMap((one) => [
      { ...base, ...one, sub },
      { ...base, ...one },
    ]);
    const showing = (token: Token): Client => ({ ...withUris(peer.gateway), token });
    const holding = told.map((claims) => showing({ claims, passed: words }));
    const first = told[0] ?? base;
    const good = [first, ...spread(holding.filter(allows)).map(({ token }) => token?.claims ?? first)];
    return [
      ...holding,
      ...good
        .flatMap((claims) => [
          ...subjects(peer, mentioned).map((one) => named({ ...claims, sub: one })),
          ...brokenTokens(claims, choices, peers, peer),
        ])
        .map(showing),
      ...good.flatMap((claims) =>
        strangers(peer, peers).map((one) => ({ ...one, token: { claims, passed: words } })),
      ),
      withUris(peer.gateway),
    ];
  });
  return [...clients, withUris('spiffe://elsewhere/gateway'), noCertificate];
}

/** A few out of many, from all over them. */
function spread<T>(all: readonly T[]): readonly T[] {
  const step = Math.max(1, Math.floor(all.length / verifyLimits.brokenTokens));
  return all.filter((_, index) => index % step === 0).slice(0, verifyLimits.brokenTokens);
}

/** Keys that a token may state, each with values near what is mentioned. */
type Choices = ReadonlyMap<string, readonly string[]>;

function choicesOf({ attributes }: Mentioned): Choices {
  return new Map(
    [...attributes]
      .filter(([key]) => !isReserved(key))
      .map(([key, values]) => [key, [...new Set([...values].flatMap(nearest)), 'other', '']]),
  );
}

function nearest(value: string): string[] {
  return [...near(value), `${value}/x`];
}

function claimsOf({ gateway }: Site, audience: string, service: string): MetadataStruct {
  return { iss: gateway, aud: audience, export: service, jti: 'x', attributes: {}, trust: {} };
}

/** Nothing, each key alone with each value and each trust, and combinations of several. */
function tellings(choices: Choices): MetadataStruct[] {
  const alone = [...choices].flatMap(([key, values]) => [
    ...values.map((value) => stating([[key, value, 'attested']])),
    ...trustLevels.map((trust) => stating([[key, values[0] ?? '', trust]])),
  ]);
  const shuffle = new Shuffle(alone.length + 1);
  const pick = <T>(from: readonly T[]): T => from[shuffle.below(from.length)] as T;
  const several = Array.from({ length: choices.size < 2 ? 0 : verifyLimits.tokens }, () =>
    stating(
      [...choices].flatMap(([key, values]) =>
        pick([true, true, false]) ? [[key, pick(values), pick([...trustLevels, 'attested'])] as const] : [],
      ),
    ),
  );
  return [stating([]), ...alone, ...several];
}

type Said = readonly [key: string, value: Metadata, trust: string];

function stating(said: readonly Said[]): MetadataStruct {
  return {
    attributes: Object.fromEntries(said.map(([key, value]) => [key, value])),
    trust: Object.fromEntries(said.map(([key, , trust]) => [key, trust])),
  };
}

function subjects({ trustDomains }: Site, { ids, trustDomains: named }: Mentioned): string[] {
  const all = [...ids, ...[...trustDomains, ...named].map((name) => `spiffe://${name}`)].flatMap(around);
  return [...new Set(all)].filter((id) => !'spiffe://'.startsWith(id)).slice(0, verifyLimits.tokens);
}

/** What is no SPIFFE ID of a workload the script finds. */
function named(claims: MetadataStruct): Token {
  const sub = String(claims['sub']);
  return { claims, passed: isSpiffeId(sub) && sub.split('/').length > 3 ? words : but('claims') };
}

function but(missing: Word): readonly Word[] {
  return words.filter((word) => word !== missing);
}

/** A word less, what is meant for others, and claims that are no strings, each by itself. */
function brokenTokens(claims: MetadataStruct, choices: Choices, peers: readonly Site[], peer: Site): Token[] {
  const other = peers.find((one) => one !== peer);
  const meant: MetadataStruct[] = [
    { ...claims, aud: `${String(claims['aud'])}/` },
    { ...claims, aud: [claims['aud'] ?? null] },
    { ...claims, export: 'elsewhere/other' },
    { ...claims, iss: other?.gateway ?? 'spiffe://elsewhere/gateway' },
    { ...claims, sub: `spiffe://${other?.trustDomains[0] ?? 'td'}.elsewhere/x` },
  ];
  const noStrings = [...choices.keys()].flatMap((key) =>
    [7, ['a'], { a: 'b' }].map((value): MetadataStruct => {
      const { attributes, trust } = claims as { attributes: MetadataStruct; trust: MetadataStruct };
      return {
        ...claims,
        attributes: { ...attributes, [key]: value },
        trust: { ...trust, [key]: 'attested' },
      };
    }),
  );
  return [
    ...words.map((word): Token => ({ claims, passed: but(word) })),
    ...meant.map((one): Token => ({ claims: one, passed: words })),
    // What is no string the script finds, and it says so.
    ...noStrings.map((one): Token => ({ claims: one, passed: but('claims') })),
  ];
}

/** Over another's connection a token is bound to none, but a filter that forgets to ask would not see it. */
function strangers({ gateway }: Site, peers: readonly Site[]): Client[] {
  const others = peers.filter((one) => one.gateway !== gateway).map((one) => withUris(one.gateway));
  return [...others, withUris(`${gateway}/x`), withUris(gateway, 'spiffe://elsewhere/x')];
}
