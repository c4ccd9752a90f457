import type { FilterKind } from '../export/types.ts';

/** What an extension is for: `http/api/0` is the first filter of HTTP for the inbound `api`. */
export interface Extension {
  readonly filter: FilterKind;
  readonly inbound: string;
  /** Certificates of tags take two filters, everything else one. */
  readonly position: number;
}

export function extensionName({ filter, inbound, position }: Extension): string {
  return `placet/${filter}/${inbound}/${position}`;
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
}

/** Which dataplane a node is: what its metadata says under `placet`, else its id as `mesh/name`. */
export function proxyOf(id: string, metadata: Readonly<Record<string, unknown>> = {}): ProxyName | undefined {
  const said = metadata['placet'];
  if (typeof said === 'object' && said !== null) {
    const { mesh, dataplane } = said as { mesh?: unknown; dataplane?: unknown };
    if (typeof mesh === 'string' && typeof dataplane === 'string') return { mesh, dataplane };
  }
  const slash = id.indexOf('/');
  return slash <= 0 ? undefined : { mesh: id.slice(0, slash), dataplane: id.slice(slash + 1) };
}
