import { isIP } from 'node:net';
import { accept, type Checked, refuse } from '../evidence.ts';

/** Where the Workload API is: a socket in the file system, or an address of this host or its link. */
export type Endpoint = { readonly path: string } | { readonly host: string; readonly port: number };

/** SPIFFE Workload Endpoint standard §4: who is told nothing else looks here. */
export const endpointVariable = 'SPIFFE_ENDPOINT_SOCKET';

const wanted = 'want unix:///path/of/a/socket or tcp://<IP address>:<port>';

/** Standard §4: a scheme and a path, or a scheme, an IP address and a port, and nothing else. */
export function readEndpoint(text: string): Checked<Endpoint> {
  const fault = (why: string) =>
    refuse('encoding', `got the endpoint ${JSON.stringify(text)}${why}, ${wanted}`);
  const unix = /^unix:(?:\/\/)?(\/(?!\/)[^?#]+)$/.exec(text)?.[1];
  if (unix !== undefined) {
    const path = decoded(unix);
    return path === undefined || path.includes('\0') ? fault(', whose path is no path') : accept({ path });
  }
  const [, v6, v4, digits] = /^tcp:\/\/(?:\[([^\]]+)\]|([^:/?#@]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = v6 ?? v4;
  if (host === undefined) return fault('');
  if (isIP(host) !== (v6 === undefined ? 4 : 6)) return fault(', whose host is no IP address');
  const port = Number(digits);
  return port >= 1 && port <= 65_535 ? accept({ host, port }) : fault(', whose port is no port');
}

export function nameOf(endpoint: Endpoint): string {
  if ('path' in endpoint) return `unix://${endpoint.path}`;
  const { host, port } = endpoint;
  return `tcp://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
