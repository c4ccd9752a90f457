import { type Authority, authority, svid } from '../certificates/index.ts';
import { AccessLog, type LogEntry } from './access-log.ts';
import { askHttp, type Probe } from './http-client.ts';
import { accessLog, bootstrapOf, type ListenerSpec, type Surroundings, socketOf } from './listeners.ts';
import { askNetwork } from './network-client.ts';
import { type Running, start } from './process.ts';
import type { Peer } from './tls-client.ts';

/** What one real Envoy said to one request or connection. */
export interface Said {
  /** `refused`: the handshake failed. `rejected`: answered 4xx before any filter decided. */
  readonly verdict: 'allow' | 'deny' | 'refused' | 'rejected';
  readonly status?: number;
  /** Of the policy that denied, as Envoy tells it. */
  readonly policy?: string;
  /** What the filters left in the metadata, shadow results among it. */
  readonly rbac: Readonly<Record<string, unknown>>;
  /** What other filters left there, by their names, if they left anything. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** The header with a token, if it is still there where the request leaves. */
  readonly token?: string;
  /** The id that the answer has of Placet's decision, if it has one. */
  readonly decision?: string;
  /** As the filters saw it. */
  readonly path?: string;
}

export interface Lab {
  readonly envoy: Running;
  /** Requests of one peer, over as few connections as can be, each with its answer. */
  ask(listener: string, peer: Peer, probes: readonly Probe[]): Promise<Said[]>;
  /** One connection to a listener of the network. */
  knock(listener: string, peer: Peer): Promise<Said>;
  stop(): Promise<void>;
}

const refused: Said = { verdict: 'refused', rbac: {} };
let server: Promise<Authority> | undefined;

/** One Envoy with these listeners. */
export async function openLab(specs: readonly ListenerSpec[], around: Surroundings = {}): Promise<Lab> {
  server ??= authority('server.example');
  const own = await svid(await server, 'spiffe://server.example/envoy');
  const envoy = await start({ bootstrap: (folder) => bootstrapOf(specs, folder, own, around) });
  const ports = await portsOf(envoy);
  const log = new AccessLog(accessLog(envoy.folder));
  const index = new Map(specs.map(({ name }, at) => [name, at]));
  let probes = 0;
  return {
    envoy,
    async ask(listener, peer, asked) {
      const numbered = asked.map((probe) => ({ ...probe, id: `${probes++}` }));
      const path = socketOf(envoy.folder, index.get(listener) ?? -1);
      const codes = await askHttp({ path }, peer, numbered);
      if (codes === undefined) return asked.map(() => refused);
      // What is not even a request is in the log without its header.
      const logged = numbered.filter((_, at) => codes[at] === 200 || codes[at] === 403);
      const entries = new Map((await log.take(logged.map(({ id }) => id))).map((entry) => [entry.id, entry]));
      return numbered.map(({ id }, at) => said(codes[at] ?? 0, entries.get(id)));
    },
    async knock(listener, peer) {
      const connected = await askNetwork({ port: ports.get(listener) ?? 0 }, peer);
      if (connected === undefined) return refused;
      const [entry] = await log.take([`${listener} ${connected.port}`]);
      return said(connected.echoed ? 200 : 403, entry);
    },
    stop: () => envoy.stop(),
  };
}

function said(status: number, entry: LogEntry | undefined): Said {
  const rbac = entry?.rbac ?? {};
  const left = Object.entries(entry?.metadata ?? {}).filter(([, one]) => one !== null);
  if (status !== 200 && status !== 403) return { verdict: 'rejected', status, rbac };
  // "rbac_access_denied_matched_policy[name]", with spaces in the name as "_".
  const policy = /matched_policy\[(.*)\]$/.exec(entry?.details ?? '')?.[1];
  return {
    verdict: status === 200 ? 'allow' : 'deny',
    status,
    rbac,
    ...(left.length === 0 ? {} : { metadata: Object.fromEntries(left) }),
    ...(policy === undefined ? {} : { policy }),
    ...(typeof entry?.token === 'string' ? { token: entry.token } : {}),
    ...(typeof entry?.decision === 'string' ? { decision: entry.decision } : {}),
    ...(typeof entry?.path === 'string' ? { path: entry.path } : {}),
  };
}

interface Listeners {
  readonly listener_statuses?: readonly {
    readonly name: string;
    readonly local_address: { readonly socket_address?: { readonly port_value: number } };
  }[];
}

async function portsOf(envoy: Running): Promise<Map<string, number>> {
  const { listener_statuses = [] } = JSON.parse(await envoy.admin('/listeners?format=json')) as Listeners;
  return new Map(
    listener_statuses.flatMap(({ name, local_address: { socket_address } }) =>
      socket_address === undefined ? [] : [[name, socket_address.port_value] as const],
    ),
  );
}
