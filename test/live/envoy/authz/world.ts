import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { type Both, both } from '../../../envoy/export/world.ts';
import { type Folder, temporary } from '../../../gateway/live/opening.ts';
import { type Authority, authority, type Certificate, svid } from '../../../support/certificates/index.ts';
import type { Filter } from '../../../support/envoy/listeners.ts';
import { type Running, start } from '../../service/process.ts';

/** A shop with one web server, the service that decides about it as a user starts it, and filters that ask it. */

export const shop = [
  { type: 'Mesh', name: 'default', trustDomains: ['td.example'] },
  { type: 'Dataplane', name: 'web-1', inbounds: [{ name: 'http', port: 80, protocol: 'http' }] },
  {
    type: 'MeshTrafficPermission',
    name: 'secret-policy',
    spec: {
      rules: [
        {
          default: {
            deny: [{ path: { type: 'Exact', value: '/metrics' } }],
            allow: [{ spiffeID: { type: 'Prefix', value: 'spiffe://td.example/ns/shop/' } }],
          },
        },
      ],
    },
  },
] as const;

export const friend = 'spiffe://td.example/ns/shop/sa/friend';
export const stranger = 'spiffe://td.example/ns/elsewhere/sa/stranger';
export const web = { mesh: 'default', dataplane: 'web-1', inbound: 'http' } as const;

let made: Both | undefined;
/** What the PDP says itself. */
export function decide(spiffeId: string | undefined, method: string, path: string): 'allow' | 'deny' {
  made ??= both(...shop);
  const source = spiffeId === undefined ? {} : { source: { spiffeId } };
  return made.engine.decide({ ...source, destination: web, request: { method, path } }).decision;
}

let trust: Promise<Authority> | undefined;
export function td(): Promise<Authority> {
  trust ??= authority('td.example');
  return trust;
}

export const certificateFor = async (id: string): Promise<Certificate> => svid(await td(), id);

export interface Serving {
  /** Of ext_authz by gRPC, the same after a restart. */
  readonly port: number;
  /** Of the API, another one each time. */
  httpPort(): number;
  /** Where the API is instead, if it was asked for. */
  readonly socket: string;
  pid(): number;
  /** A line that it says on stderr, once it does. */
  said(pattern: RegExp): Promise<string>;
  /** What it ended with. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | undefined>;
  begin(): Promise<void>;
  close(): Promise<void>;
}

type Json = Readonly<Record<string, unknown>>;

interface How {
  /** Its API is on a Unix socket. */
  readonly socket?: boolean;
  /** What it shows to whoever connects. */
  readonly tls?: Certificate;
  /** In the place of the shop. */
  readonly documents?: readonly object[];
  /** Beside our own. */
  readonly trusted?: readonly Authority[];
}

/** `placet serve` with the shop, on a port that stays. */
export async function serveShop(envoy: Json = {}, more: Json = {}, how: How = {}): Promise<Serving> {
  const { socket = false, tls, documents = shop, trusted = [] } = how;
  const folder: Folder = temporary();
  const port = await freePort();
  folder.put('shop.yaml', documents.map((one) => JSON.stringify(one)).join('\n---\n'));
  const authorities = [await td(), ...trusted];
  for (const { trustDomain, bundle } of authorities) folder.put(`${trustDomain}.pem`, bundle);
  folder.put('own.pem', tls?.chain ?? '');
  folder.put('own-key.pem', tls?.key ?? '');
  const config = {
    policies: ['shop.yaml'],
    bundles: Object.fromEntries(authorities.map(({ trustDomain: name }) => [name, `${name}.pem`])),
    ...(tls === undefined ? {} : { tls: { certificate: 'own.pem', key: 'own-key.pem' } }),
    envoy: { listen: `127.0.0.1:${port}`, ...envoy },
    ...more,
  };
  folder.put('placet.yaml', JSON.stringify(config));
  let running: Running | undefined;
  const end = async (signal: NodeJS.Signals) => {
    const ending = running;
    ending?.process.kill(signal);
    const how = await ending?.ended();
    running = undefined;
    return how;
  };
  const begin = async () => {
    const listen = socket ? ['--listen', `unix:${folder.path}/api`] : [];
    running = await start('--config', `${folder.path}/placet.yaml`, ...listen);
  };
  await begin();
  return {
    port,
    socket: `${folder.path}/api`,
    httpPort: () => (running as Running).port,
    pid: () => (running as Running).process.pid as number,
    said: (pattern) => (running as Running).said(pattern),
    end,
    begin,
    async close() {
      await end('SIGKILL');
      folder.remove();
    },
  };
}

async function freePort(): Promise<number> {
  const server = createSocketServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Asks the cluster `placet` about the web server; what is not said is as Envoy has it. */
export function asking(fields: Json = {}, timeout = '10s'): Filter {
  return {
    name: 'envoy.filters.http.ext_authz',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.filters.http.ext_authz.v3.ExtAuthz',
      transport_api_version: 'V3',
      include_peer_certificate: true,
      include_tls_session: true,
      grpc_service: { envoy_grpc: { cluster_name: 'placet' }, timeout, initial_metadata: saying(web) },
      ...fields,
    },
  };
}

export function saying(destination: Readonly<Record<string, string>>): { key: string; value: string }[] {
  return Object.entries(destination).map(([key, value]) => ({ key: `x-placet-${key}`, value }));
}

export interface Upstream {
  readonly port: number;
  /** The headers of each request that came, by `x-probe`. */
  readonly seen: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  close(): Promise<void>;
}

/** What stands behind an Envoy, and tells what got through to it. */
export async function openUpstream(): Promise<Upstream> {
  const seen = new Map<string, Readonly<Record<string, unknown>>>();
  const server = createServer((incoming, outgoing) => {
    seen.set(String(incoming.headers['x-probe']), incoming.headers);
    outgoing.end('upstream');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A cluster that speaks HTTP/1.1, on a port or a Unix socket. */
export function plainCluster(name: string, at: number | string): Json {
  const address =
    typeof at === 'string'
      ? { pipe: { path: at } }
      : { socket_address: { address: '127.0.0.1', port_value: at } };
  return {
    name,
    type: 'STATIC',
    connect_timeout: '5s',
    load_assignment: {
      cluster_name: name,
      endpoints: [{ lb_endpoints: [{ endpoint: { address } }] }],
    },
  };
}

/** Ways to write a path, from what passes or stops a ban on `/metrics` in Envoy's own filters. */
export const paths = [
  '/orders',
  '/metrics',
  '/metrics?a=1',
  '/metrics?',
  '/orders?/metrics',
  '/a/../metrics',
  '/./metrics',
  '/%6detrics',
  '/%6Detrics',
  '/a/%2e%2e/metrics',
  '/a/%2E%2e/metrics',
  '/a\\..\\metrics',
  '//metrics',
  '///metrics',
  '/a%2f..%2fmetrics',
  '/a%2F..%2Fmetrics',
  '/a%5c..%5cmetrics',
  '/metrics%00',
  '/metrics%zz',
  '/metrics%',
  '/Metrics',
  '/metrics/',
  '/metrics;x=1',
  '/orders?p=%2f..%2fmetrics',
  '/metrics/..;/orders',
  '/metrics/%2e%2e;/orders',
  '/orders/%2E.;x/metrics',
  '/metrics\\..;/orders',
  '/metrics/.%2e;a=1/orders?b',
];
