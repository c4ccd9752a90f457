import { execFileSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { both } from '../../envoy/export/world.ts';
import { svid } from '../../support/certificates/index.ts';
import { openLab } from '../../support/envoy/lab.ts';
import { type Filter, grpcCluster, socketOf } from '../../support/envoy/listeners.ts';
import { spiffeBundles } from '../../support/envoy/trust.ts';
import { spread } from '../measure.ts';
import { writePart } from '../results.ts';
import { generators } from '../workloads/index.ts';
import { cpuOf } from './cpu.ts';
import { clientsOf, type Loaded } from './load.ts';
import { authoritiesOfS, type Server, startServer, vouching } from './servers.ts';

/**
 * What ext_authz makes of a proxy: `node test/bench/authz/envoy.ts`, with --write into RESULTS.md. One Envoy with one
 * worker and whom it asks share the first core, the clients have the other. Envoy answers by itself, so that nothing
 * is measured but its filters; the same rules as a tree in it stand beside it.
 */
const size = 10_000;
const clients = 32;
const seconds = Number(process.env['BENCH_SECONDS'] ?? 4);
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5);
const destination = { mesh: 'default', dataplane: 'backend-0', inbound: 'http' };

const authorities = await authoritiesOfS();
const { documents, requests } = generators.S(size, 1_000);
const set = both(...documents);

/** Of clients whom the policies let in, so that everybody answers the same. */
async function certificates() {
  const ids = requests.map((text) => (JSON.parse(text) as { source: { spiffeId: string } }).source.spiffeId);
  const request = { method: 'GET', path: '/items/1' };
  const allowed = [...new Set(ids)].filter(
    (spiffeId) => set.engine.decide({ source: { spiffeId }, destination, request }).decision === 'allow',
  );
  return await Promise.all(allowed.slice(0, clients).map((id) => svid(vouching(authorities, id), id)));
}

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
const said = Object.fromEntries(Object.entries(destination).map(([key, value]) => [`placet.${key}`, value]));
const askedRoute = {
  ...route,
  typed_per_filter_config: {
    [filterName]: { '@type': type('ExtAuthzPerRoute'), check_settings: { context_extensions: said } },
  },
};

const asked = [
  { name: 'asks node:http2, bare', sort: 'bare' },
  { name: 'asks grpc-js, bare', sort: 'grpc-js' },
  { name: 'asks Placet, S at 10k', sort: 'S' },
] as const;
const plain = 'no filter';

interface Measured extends Loaded {
  /** Microseconds of a core for a request. */
  readonly envoy: number;
  readonly server: number;
}

async function measure(servers: ReadonlyMap<string, Server>): Promise<ReadonlyMap<string, Measured[]>> {
  const trust = spiffeBundles(...authorities);
  // What stands in the log is not what is measured.
  const manager = { access_log: [] };
  const listener = (name: string, filters: readonly Filter[], routes: readonly object[] = [route]) => ({
    ...{ name, kind: 'http' as const, filters, trust, manager },
    routes: routes as readonly Record<string, unknown>[],
  });
  const tree = set.exporter.export(destination, { form: 'tree' }).filters as readonly Filter[];
  const listeners = [
    listener(plain, []),
    listener('the same rules as a tree in Envoy', tree),
    ...asked.map(({ name, sort }) => listener(name, [asking(sort)], [askedRoute])),
  ];
  const clusters = asked.map(({ name, sort }) => grpcCluster(sort, servers.get(name)!.port));
  const lab = await openLab(listeners, { clusters });
  try {
    const { pid, folder } = lab.envoy;
    execFileSync('taskset', ['-acp', '0', `${pid}`], { stdio: 'ignore' });
    const own = await certificates();
    const found = new Map(listeners.map(({ name }) => [name, [] as Measured[]]));
    for (let round = -1; round < rounds; round++)
      for (const [at, { name }] of listeners.entries()) {
        const server = servers.get(name)?.pid;
        const open = await clientsOf(socketOf(folder, at), own);
        const before = [cpuOf(pid), server === undefined ? 0 : cpuOf(server)] as const;
        const loaded = await open.ask(round < 0 ? 2 : seconds);
        open.close();
        if (round < 0) continue;
        const spent = [cpuOf(pid), server === undefined ? 0 : cpuOf(server)] as const;
        const [envoy, asks] = spent.map((now, i) => (now - before[i as 0 | 1]) / loaded.count) as [
          number,
          number,
        ];
        found.get(name)!.push({ ...loaded, envoy, server: asks });
      }
    return found;
  } finally {
    await lab.stop();
  }
}

function table(found: ReadonlyMap<string, readonly Measured[]>): readonly string[] {
  const of = (name: string, key: keyof Measured) => spread(found.get(name)!.map((one) => one[key]));
  const best = of(plain, 'perSec').median;
  return [
    '| Envoy | requests/s | × no filter | p50 | p99 | µs of a core in Envoy | in whom it asks | both, × no filter |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ...[...found.keys()].map((name) => {
      const rate = of(name, 'perSec');
      const [envoy, server] = [of(name, 'envoy'), of(name, 'server')];
      const range = (one: typeof rate) =>
        `${one.median.toFixed(0)} (${one.low.toFixed(0)}–${one.high.toFixed(0)})`;
      const times = (envoy.median + server.median) / of(plain, 'envoy').median;
      const late = (key: 'p50' | 'p99') => {
        const { median, low, high } = of(name, key);
        return `${median.toFixed(2)} ms (${low.toFixed(2)}–${high.toFixed(2)})`;
      };
      return `| ${name} | ${range(rate)} | ${(rate.median / best).toFixed(2)} | ${late('p50')} | ${late('p99')} | ${range(envoy)} | ${server.median === 0 ? '' : range(server)} | ${times.toFixed(2)} |`;
    }),
  ];
}

const load = loadavg()[0]!;
const servers = new Map<string, Server>();
try {
  for (const { name, sort } of asked) servers.set(name, await startServer(sort, size, authorities));
  execFileSync('taskset', ['-acp', '1', `${process.pid}`], { stdio: 'ignore' });
  const lines = table(await measure(servers));
  console.log(lines.join('\n'), `\nload before: ${load.toFixed(1)}`);
  if (process.argv.includes('--write')) {
    const made = `Measured with Envoy 1.40.0 and Node ${process.versions.node} by \`node test/bench/authz/envoy.ts --write\`: one Envoy with one worker and whom it asks together on one core, ${clients} clients of Node's on the other, each with a certificate and an mTLS connection of its own that stays open, ${size} rules, the median of ${rounds} alternating rounds of ${seconds} s; the load of the machine was ${load.toFixed(1)} before it began.`;
    writePart('authz-envoy', made, lines);
  }
} finally {
  for (const { child } of servers.values()) child.kill('SIGTERM');
}
