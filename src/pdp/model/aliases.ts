import type { Side } from './rule.ts';

/**
 * ClusterLink's shipped attribute names and the canonical ones they mean, by side. A name of the other side
 * is never present here: known, not unknown (SPEC AP3).
 */

type Table = {
  readonly names: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
};

const peer = {
  names: { 'peer.clusterlink.net/name': 'site:name' },
  labels: { 'peer.clusterlink.net/labels.': 'cl:site:' },
};

const tables: Readonly<Record<'source' | 'destination', Table>> = {
  source: {
    names: {
      'client.clusterlink.net/namespace': 'k8s:ns',
      'client.clusterlink.net/service-account': 'k8s:sa',
      ...peer.names,
    },
    labels: { 'client.clusterlink.net/labels.': 'k8s:label:', ...peer.labels },
  },
  destination: {
    names: {
      'export.clusterlink.net/name': 'service:name',
      'export.clusterlink.net/namespace': 'k8s:ns',
      ...peer.names,
    },
    labels: { 'export.clusterlink.net/labels.': 'k8s:label:', ...peer.labels },
  },
};

const mark = '.clusterlink.net/';

/** How all of them begin, of either side. */
export const aliasScopes: readonly string[] = ['client', 'export', 'peer'].map((of) => `${of}${mark}`);

/** The key that rules and attribute sets use for a key as written; a key that is no alias is canonical. */
export function canonical(key: string, side: Side): string {
  return side === 'request' || !key.includes(mark) ? key : (lookUp(key, tables[side]) ?? key);
}

/** No alias is shorter: of most keys there is no more to look at. */
export const shortestAlias = 'peer.clusterlink.net/name'.length;

export function isAlias(key: string, side: Side): boolean {
  return canonical(key, side) !== key;
}

/** Whether the key is an alias of the other side only, and so absent from every set of this side. */
export function neverPresent(key: string, side: Side): boolean {
  if (side === 'request' || !key.includes(mark)) return false;
  const other = side === 'source' ? 'destination' : 'source';
  return lookUp(key, tables[side]) === undefined && lookUp(key, tables[other]) !== undefined;
}

function lookUp(key: string, table: Table): string | undefined {
  if (Object.hasOwn(table.names, key)) return table.names[key];
  for (const [start, scope] of Object.entries(table.labels))
    if (key.length > start.length && key.startsWith(start)) return scope + key.slice(start.length);
  return undefined;
}
