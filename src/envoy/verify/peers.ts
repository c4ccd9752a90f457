import { defaultTemplate, type Inventory } from '../../pdp/model/inventory.ts';
import { keys } from '../../pdp/model/rule.ts';
import type { Peer } from '../interpreter/evidence.ts';
import { verifyLimits } from './limits.ts';
import type { Mentioned } from './mentioned.ts';
import { tagPeers } from './tag-peers.ts';

/** Clients near everything that is mentioned, good certificates first and then every sort of bad one. */
export function peersFor(mesh: string | undefined, mentioned: Mentioned, inventory: Inventory): Peer[] {
  if (mesh !== undefined && inventory.meshes.get(mesh)?.certificates === 'tags') {
    return distinct([...tagPeers(mesh, mentioned, inventory), noCertificate]);
  }
  const ids = [...identitiesFor(mentioned, inventory)];
  const bad = [...new Set([...mentioned.ids, ...ids])].filter(isWholeId).slice(0, verifyLimits.broken);
  return distinct([...ids.map((id) => withUris(id)), ...bad.flatMap(broken), noCertificate]);
}

/** The clients nearest to one rule, and good ones only: few enough to be tried with all that the rule is about. */
export function nearestPeers(mesh: string | undefined, mentioned: Mentioned, inventory: Inventory): Peer[] {
  if (mesh !== undefined && inventory.meshes.get(mesh)?.certificates === 'tags')
    return tagPeers(mesh, mentioned, inventory).slice(0, verifyLimits.nearest);
  const ids = identitiesFor(mentioned, { ...inventory, workloads: [] });
  return [...ids].slice(0, verifyLimits.nearest).map((id) => withUris(id));
}

export const noCertificate: Peer = { uriSans: [], dnsSans: [], presented: false, validated: false };

export function withUris(...uriSans: string[]): Peer {
  return { uriSans, dnsSans: [], presented: true, validated: true };
}

function isWholeId(text: string): boolean {
  return text.startsWith('spiffe://') && !text.endsWith('/') && text.length > 'spiffe://'.length;
}

/** One identity in every wrong place. */
function broken(id: string): Peer[] {
  const other = 'kuma://k/v';
  const bare: Peer = { uriSans: [], dnsSans: [], presented: true, validated: true };
  const domain = id.slice('spiffe://'.length).split('/')[0] as string;
  return [
    withUris(id, other),
    withUris(other, id),
    withUris(id, 'spiffe://elsewhere/ns/x'),
    withUris(`${id},${other}`),
    withUris(`${other},${id}`),
    { ...bare, dnsSans: [id] },
    { ...bare, subject: `CN=${id}` },
    { ...withUris(id), validated: false },
    { ...withUris('spiffe://elsewhere/ns/x'), dnsSans: [id] },
    withUris(id.replace(domain, domain.toUpperCase())),
    withUris(id.replace(/[a-z](?=[^a-z]*$)/, (letter) => `%${letter.charCodeAt(0).toString(16)}`)),
    withUris(`${id}/../x`),
    withUris(`${id}/`),
    withUris(id.padEnd(2_049, 'x')),
    withUris(`${id}?x`),
  ];
}

function identitiesFor(mentioned: Mentioned, inventory: Inventory): Set<string> {
  const ids = new Set<string>();
  for (const id of identities(mentioned, inventory)) {
    // A part of the scheme is no client's name.
    if (!'spiffe://'.startsWith(id)) ids.add(id);
    if (ids.size >= verifyLimits.identities) break;
  }
  return ids;
}

function* identities(mentioned: Mentioned, inventory: Inventory): Generator<string> {
  for (const id of mentioned.ids) yield* around(id);
  for (const { spiffeId } of inventory.workloads) if (spiffeId !== undefined) yield spiffeId;
  const templates = templatesOf(inventory);
  for (const domain of [...mentioned.trustDomains, ...templates.keys()]) yield* around(`spiffe://${domain}`);
  const namespaces = [...(mentioned.attributes.get(keys.k8sNamespace) ?? []), 'other'];
  const accounts = [...(mentioned.attributes.get(keys.k8sServiceAccount) ?? []), 'other'];
  for (const [domain, template] of templates) {
    for (const account of accounts.flatMap(near)) yield fill(domain, template, 'other', account);
    for (const namespace of namespaces.flatMap(near)) {
      for (const account of accounts) yield fill(domain, template, namespace, account);
    }
  }
}

/** A text, and what differs from it least: a character less, one more, and what is below it. */
export function around(text: string): string[] {
  const bare = text.replace(/\/$/, '');
  return [
    text,
    bare,
    text.slice(0, -1),
    `${text}x`,
    `${bare}/x`,
    `${bare}/x/y`,
    `${bare}-x`,
    `${bare}/ns/x/sa/y`,
  ];
}

export function near(value: string): string[] {
  return value === '' ? [] : [value, `${value}x`, value.slice(0, -1)].filter((one) => one !== '');
}

function templatesOf({ site, meshes }: Inventory): ReadonlyMap<string, string> {
  const templates = new Map<string, string>();
  for (const { trustDomains } of meshes.values()) {
    for (const name of trustDomains) templates.set(name, defaultTemplate);
  }
  for (const { name, template } of site.trustDomains) templates.set(name, template);
  return templates;
}

function fill(domain: string, template: string, namespace: string, account: string): string {
  const path = template
    .replace(`{${keys.k8sNamespace}}`, () => namespace)
    .replace(`{${keys.k8sServiceAccount}}`, () => account);
  return `spiffe://${domain}${path}`;
}

function distinct(peers: readonly Peer[]): Peer[] {
  const seen = new Map<string, Peer>();
  for (const peer of peers) {
    const key = JSON.stringify([peer.uriSans, peer.dnsSans, peer.subject, peer.presented, peer.validated]);
    if (!seen.has(key)) seen.set(key, peer);
  }
  return [...seen.values()];
}
