import { execFileSync } from 'node:child_process';
import { type Asked, both } from '../../envoy/export/world.ts';
import type { Certificate } from '../../support/certificates/index.ts';
import { extensionsOf } from '../../support/envoy/extensions.ts';
import { openLab } from '../../support/envoy/lab.ts';
import { type Filter, grpcCluster, socketOf } from '../../support/envoy/listeners.ts';
import { spiffeBundles } from '../../support/envoy/trust.ts';
import { spread } from '../measure.ts';
import { cpuOf } from './cpu.ts';
import { clientsOf, type Loaded } from './load.ts';
import { certificateOf, type Server, startServer, startService, stop } from './servers.ts';
import type { World, WorldName } from './worlds.ts';

/**
 * What ext_authz makes of a proxy. One Envoy with one worker and whom it asks share the first core, the clients have the
 * other. Envoy answers by itself, so that nothing is measured but its filters; the same rules as a tree in it stand
 * beside it. All clients are let in, so that everybody answers the same.
 */
export interface Course {
  readonly rounds: number;
  /** Of a round. */
  readonly seconds: number;
}

type Worlds = Readonly<Record<WorldName, World>>;

const type = (name: string) => `type.googleapis.com/envoy.extensions.filters.http.ext_authz.v3.${name}`;
const filterName = 'envoy.filters.http.ext_authz';

/** As the exported bootstrap asks. */
function asking(cluster: string): Filter {
  return {
    name: filterName,
    typed_config: {
      '@type': type('ExtAuthz'),
      stat_prefix: 'placet',
      transport_api_version: 'V3',
      include_peer_certificate: true,
      include_tls_session: true,
      grpc_service: { envoy_grpc: { cluster_name: cluster }, timeout: '10s' },
    },
  };
}

const route = {
  match: { prefix: '' },
  direct_response: { status: 200, body: { inline_string: 'ok' } },
};

function askedRoute({ friends }: World): object {
  return {
    ...route,
    typed_per_filter_config: {
      [filterName]: {
        '@type': type('ExtAuthzPerRoute'),
        check_settings: { context_extensions: extensionsOf(friends.destination) },
      },
    },
  };
}

/** What an Envoy does with a request, whose clients ask it, and whom it asks. */
interface Row {
  readonly name: string;
  readonly world: WorldName;
  readonly start?: (worlds: Worlds) => Promise<Server>;
}

const plain: Row = { name: 'no filter', world: 'S' };
const rows: readonly Row[] = [
  plain,
  { name: 'the rules of S as a tree in Envoy', world: 'S' },
  { name: 'the rules of A as a tree in Envoy', world: 'A' },
  { name: 'asks node:http2, reads nothing', world: 'S', start: () => startServer('reads nothing', 0) },
  { name: 'asks grpc-js, reads nothing', world: 'S', start: () => startServer('grpc-js', 0) },
  { name: 'asks Placet, S', world: 'S', start: ({ S }) => startService(S) },
  { name: 'asks Placet, A', world: 'A', start: ({ A }) => startService(A) },
];

/** Of the rules those that govern the destination, as many of them as there are. */
function treeOf({ documents, friends }: World): readonly Filter[] {
  const exported = both(...documents).exporter.export(friends.destination as unknown as Asked, {
    form: 'tree',
  });
  return exported.filters as readonly Filter[];
}

function listenerOf({ name, world, start }: Row, at: number, worlds: Worlds) {
  const of = worlds[world];
  const asks = start !== undefined;
  const tree = name === plain.name ? [] : treeOf(of);
  return {
    name: `${at}`,
    kind: 'http' as const,
    filters: asks ? [asking(`${at}`)] : tree,
    trust: spiffeBundles(...of.authorities),
    // What stands in the log is not what is measured.
    manager: { access_log: [] },
    routes: [asks ? askedRoute(of) : route] as readonly Record<string, unknown>[],
  };
}

interface Measured extends Loaded {
  /** Microseconds of a core for a request. */
  readonly envoy: number;
  readonly server: number;
}

async function measure(
  worlds: Worlds,
  { rounds, seconds }: Course,
  servers: ReadonlyMap<Row, Server>,
): Promise<ReadonlyMap<Row, Measured[]>> {
  const listeners = rows.map((row, at) => listenerOf(row, at, worlds));
  const clusters = [...servers].map(([row, { port }]) => grpcCluster(`${rows.indexOf(row)}`, port));
  const friends: Partial<Record<WorldName, readonly Certificate[]>> = {};
  for (const name of ['S', 'A'] as const)
    friends[name] = await Promise.all(worlds[name].friends.ids.map((id) => certificateOf(worlds[name], id)));
  const lab = await openLab(listeners, { clusters });
  try {
    const { pid, folder } = lab.envoy;
    execFileSync('taskset', ['-acp', '0', `${pid}`], { stdio: 'ignore' });
    const found = new Map(rows.map((row) => [row, [] as Measured[]]));
    for (let round = -1; round < rounds; round++)
      for (const [at, row] of rows.entries()) {
        const server = servers.get(row)?.pid;
        const spent = () => [cpuOf(pid), server === undefined ? 0 : cpuOf(server)] as const;
        const open = await clientsOf(socketOf(folder, at), friends[row.world]!);
        const before = spent();
        const loaded = await open.ask(round < 0 ? 2 : seconds);
        open.close();
        if (round < 0) continue;
        const [envoy, asked] = spent();
        found.get(row)!.push({
          ...loaded,
          envoy: (envoy - before[0]) / loaded.count,
          server: (asked - before[1]) / loaded.count,
        });
      }
    return found;
  } finally {
    await lab.stop();
  }
}

function table(found: ReadonlyMap<Row, readonly Measured[]>): readonly string[] {
  const of = (row: Row, key: keyof Measured) => spread(found.get(row)!.map((one) => one[key]));
  const best = of(plain, 'perSec').median;
  return [
    '| Envoy | requests/s | × no filter | p50 | p99 | µs of a core in Envoy | in whom it asks | both, × no filter |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ...rows.map((row) => {
      const rate = of(row, 'perSec');
      const [envoy, server] = [of(row, 'envoy'), of(row, 'server')];
      const range = (one: typeof rate) =>
        `${one.median.toFixed(0)} (${one.low.toFixed(0)}–${one.high.toFixed(0)})`;
      const times = (envoy.median + server.median) / of(plain, 'envoy').median;
      const late = (key: 'p50' | 'p99') => {
        const { median, low, high } = of(row, key);
        return `${median.toFixed(2)} ms (${low.toFixed(2)}–${high.toFixed(2)})`;
      };
      return `| ${row.name} | ${range(rate)} | ${(rate.median / best).toFixed(2)} | ${late('p50')} | ${late('p99')} | ${range(envoy)} | ${server.median === 0 ? '' : range(server)} | ${times.toFixed(2)} |`;
    }),
  ];
}

/** The table of it. */
export async function throughEnvoy(worlds: Worlds, course: Course): Promise<readonly string[]> {
  const servers = new Map<Row, Server>();
  try {
    for (const row of rows) if (row.start !== undefined) servers.set(row, await row.start(worlds));
    execFileSync('taskset', ['-acp', '1', `${process.pid}`], { stdio: 'ignore' });
    return table(await measure(worlds, course, servers));
  } finally {
    for (const server of servers.values()) await stop(server);
  }
}
