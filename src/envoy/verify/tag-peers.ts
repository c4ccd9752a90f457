import type { Inventory } from '../../pdp/model/inventory.ts';
import { keys, serviceTag } from '../../pdp/model/rule.ts';
import { readTagCertificate, tagUri } from '../../pdp/model/tag-certificate.ts';
import type { Peer } from '../interpreter/evidence.ts';
import { verifyLimits } from './limits.ts';
import type { Mentioned } from './mentioned.ts';
import { Shuffle } from './shuffle.ts';

/**
 * Clients of meshes with certificates of tags: services and tags that are mentioned, in combinations, and others
 * beside them. What is no such certificate is left out where a CA vouches for it: that they are as they should be is
 * what the mesh's CA is relied on for, since Envoy looks at one name at a time.
 */
export function tagPeers(mesh: string, mentioned: Mentioned, inventory: Inventory): Peer[] {
  const tags = new Map<string, string[]>([[serviceTag, ['other']]]);
  for (const [key, values] of mentioned.attributes) {
    if (!key.startsWith(keys.tag)) continue;
    tags.set(key.slice(keys.tag.length), [...values, 'other']);
  }
  for (const uri of mentioned.ids) addUri(uri, tags);
  const services = [...new Set(tags.get(serviceTag) as string[])];
  tags.delete(serviceTag);
  const choices = [...tags].map(([key, values]) => choicesOf(key, [...new Set(values)]));
  const named = [mesh, ...tagMeshes(inventory)].flatMap((one) =>
    services.flatMap((service) => [
      [`spiffe://${one}/${service}`],
      [tagUri(serviceTag, service), `spiffe://${one}/${service}`],
    ]),
  );
  const two = services.slice(0, 2).map((service) => `spiffe://${mesh}/${service}`);
  const good = combinations([[...named, two], ...choices]).map(peer);
  const other = peer([`spiffe://${mesh}/other`]);
  const spoofs = [...mentioned.ids].slice(0, verifyLimits.broken).flatMap((uri): Peer[] => [
    { ...other, dnsSans: [uri] },
    { ...other, subject: `CN=${uri}` },
    { ...peer([uri]), validated: false },
  ]);
  return [...good, ...spoofs].filter(
    ({ uriSans, validated }) => !validated || 'identity' in readTagCertificate(uriSans, inventory.meshes),
  );
}

/** Meshes whose clients have certificates of tags. */
export function tagMeshes({ meshes }: Inventory): string[] {
  return [...meshes.values()].flatMap(({ name, certificates }) => (certificates === 'tags' ? [name] : []));
}

/** Nothing, each value, and two at once, as a workload with two inbounds has them. */
function choicesOf(key: string, values: readonly string[]): string[][] {
  const uris = values.map((value) => tagUri(key, value));
  return [[], ...uris.map((uri) => [uri]), ...(uris.length > 1 ? [uris.slice(0, 2)] : [])];
}

function combinations(choices: readonly (readonly string[][])[]): string[][] {
  const total = choices.reduce((product, one) => product * one.length, 1);
  if (total <= verifyLimits.tagCertificates) {
    return choices.reduce<string[][]>(
      (all, one) => all.flatMap((uris) => one.map((more) => [...uris, ...more])),
      [[]],
    );
  }
  const shuffle = new Shuffle(total);
  return Array.from({ length: verifyLimits.tagCertificates }, () =>
    choices.flatMap((one) => one[shuffle.below(one.length)] ?? []),
  );
}

function addUri(uri: string, tags: Map<string, string[]>): void {
  const tag = /^kuma:\/\/(.+)\/([^/]+)$/.exec(uri);
  const service = /^spiffe:\/\/[^/]+\/([^/]+)$/.exec(uri);
  const [key, value] = tag ? [decoded(tag[1] as string), tag[2] as string] : [serviceTag, service?.[1]];
  if (value === undefined) return;
  const values = tags.get(key) ?? ['other'];
  tags.set(key, [...values, decoded(value)]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function peer(uriSans: readonly string[]): Peer {
  return { uriSans: [...new Set(uriSans)], dnsSans: [], presented: true, validated: true };
}
