import type { FilterKind } from '../export/types.ts';

/** What an extension is for: `http/api/0` is the first filter of HTTP for the inbound `api`. */
export interface Extension {
  readonly filter: FilterKind;
  readonly inbound: string;
  readonly position: number;
}

/** The first filter decides. The second says, of certificates of tags, what allowed, and lets all others pass. */
export const positions = [0, 1] as const;

export function extensionName({ filter, inbound, position }: Extension): string {
  return `placet/${filter}/${inbound}/${position}`;
}

/** Names that others give out come over one stream with ours. */
export function isOurs(name: string): boolean {
  return name.startsWith('placet/');
}

export function readExtensionName(name: string): Extension | undefined {
  const [placet, filter, inbound, position, ...more] = name.split('/');
  if (placet !== 'placet' || (filter !== 'http' && filter !== 'network')) return undefined;
  if (inbound === undefined || inbound === '' || more.length > 0) return undefined;
  if (position !== '0' && position !== '1') return undefined;
  return { filter, inbound, position: Number(position) };
}

export interface ProxyName {
  readonly mesh: string;
  readonly dataplane: string;
  /** For an Envoy that does not read all that is exported: the oldest one that reads what it does. */
  readonly envoy?: string;
}

/** As a node says it of itself. */
export interface SaidOfNode {
  readonly id: string;
  readonly cluster: string;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Which dataplane a node is. Its metadata come first, under `placet`; then its id, as `mesh/name` or as the name alone.
 * Where neither says the mesh, it is the cluster, which all nodes of a mesh have in common.
 */
export function proxyOf({ id, cluster, metadata }: SaidOfNode): ProxyName | undefined {
  const said = Object(metadata?.['placet']) as { readonly mesh?: unknown; readonly dataplane?: unknown };
  const slash = id.indexOf('/');
  const dataplane = textOf(said.dataplane) ?? id.slice(slash + 1);
  const mesh = textOf(said.mesh) ?? (slash < 0 ? cluster || 'default' : id.slice(0, slash));
  return mesh === '' || dataplane === '' ? undefined : { mesh, dataplane };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
