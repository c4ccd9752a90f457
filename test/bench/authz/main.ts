import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { svid } from '../../support/certificates/index.ts';
import { goProgram } from '../../support/programs/build.ts';
import { spread } from '../measure.ts';
import { writePart } from '../results.ts';
import { generators } from '../workloads/index.ts';
import { cpuOf } from './cpu.ts';
import { ghz } from './ghz.ts';
import { authoritiesOfS, type Server, startServer, vouching } from './servers.ts';

/**
 * What ext_authz makes of a core: `node test/bench/authz/main.ts`, with --write into RESULTS.md. Each server has the
 * first core for itself and is asked by ghz from the other, in alternating rounds: servers that let everybody in, and
 * Placet. The ceiling is the one that reads of a call what there is to decide by.
 */
const size = 10_000;
const clients = 32;
const seconds = Number(process.env['BENCH_SECONDS'] ?? 4);
const warming = 3;
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5);
const questions = 100;
const wanted = { rate: 0.7, p99: 2 };

const deps = fileURLToPath(new URL('../../../node_modules/@grpc/grpc-js-xds/deps', import.meta.url));
const imports = ['envoy-api', 'xds', 'googleapis', 'protoc-gen-validate'].map((name) => join(deps, name));
const folder = mkdtempSync(join(tmpdir(), 'placet-bench-'));
const program = join((await goProgram(ghz)).folder, 'ghz');

interface Asked {
  readonly source: { readonly spiffeId: string };
  readonly destination: Readonly<Record<string, string>>;
  readonly request: Readonly<Record<string, string>>;
}

const authorities = await authoritiesOfS();

/** A request as an Envoy sends it, with the certificate of its client. */
async function ofCertificates(): Promise<object[]> {
  const { requests } = generators.S(size, questions);
  return await Promise.all(
    requests.map(async (text) => {
      const { source, destination, request } = JSON.parse(text) as Asked;
      const { chain } = await svid(vouching(authorities, source.spiffeId), source.spiffeId);
      const extensions = Object.entries(destination).map(([key, value]) => [`placet.${key}`, value]);
      return {
        attributes: {
          source: { principal: source.spiffeId, certificate: encodeURIComponent(chain) },
          request: { http: { ...request, headers: { ':path': request['path'], 'user-agent': 'curl/8' } } },
          contextExtensions: Object.fromEntries(extensions),
        },
      };
    }),
  );
}

/** One whose attributes come with it: 14 of the source, 6 of the destination. */
function ofAttributes(): object[] {
  return generators.A(size, questions).requests.map((text) => ({
    attributes: {
      contextExtensions: { 'placet.service': 'any/any' },
      metadataContext: {
        filterMetadata: { 'envoy.filters.http.jwt_authn': { request: JSON.parse(text) as object } },
      },
    },
  }));
}

const data = { S: await ofCertificates(), A: ofAttributes() } as const;
const files = Object.fromEntries(
  Object.entries(data).map(([name, all]) => {
    const file = join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify(all));
    return [name, file];
  }),
) as Record<keyof typeof data, string>;

/** Lets everybody in. */
function ceiling(workload: string): string {
  return `node:http2, reads ${workload}`;
}

const contenders = (['S', 'A'] as const).flatMap((workload) => [
  { name: ceiling(workload), sort: 'reading', workload },
  { name: `node:http2, reads nothing of ${workload}`, sort: 'bare', workload },
  { name: `grpc-js, reads nothing of ${workload}`, sort: 'grpc-js', workload },
  { name: `Placet, ${workload} at 10k`, sort: workload, workload },
]);
type Contender = (typeof contenders)[number];

interface Measured {
  readonly perSec: number;
  readonly cpu: number;
  readonly p50: number;
  readonly p99: number;
}

interface Report {
  readonly rps: number;
  readonly count: number;
  readonly statusCodeDistribution: Readonly<Record<string, number>>;
  readonly latencyDistribution: readonly { readonly percentage: number; readonly latency: number }[];
}

function ask({ port, pid }: Server, workload: keyof typeof data, duration: number): Measured {
  const args = ['-c', '1', program, '--insecure', '--proto', 'envoy/service/auth/v3/external_auth.proto'];
  args.push('-i', imports.join(','));
  args.push('--call', 'envoy.service.auth.v3.Authorization.Check', '-D', files[workload]);
  args.push(
    '-c',
    `${clients}`,
    '-z',
    `${duration}s`,
    '--duration-stop',
    'wait',
    '-O',
    'json',
    `127.0.0.1:${port}`,
  );
  const before = cpuOf(pid);
  const report = JSON.parse(
    execFileSync('taskset', args, { encoding: 'utf8', maxBuffer: 1 << 30 }),
  ) as Report;
  const { OK = 0, ...others } = report.statusCodeDistribution;
  if (OK === 0 || Object.keys(others).length > 0)
    throw new Error(JSON.stringify(report.statusCodeDistribution));
  const at = (percentage: number) =>
    (report.latencyDistribution.find((one) => one.percentage === percentage)?.latency ?? 0) / 1e6;
  return { perSec: report.rps, cpu: (cpuOf(pid) - before) / report.count, p50: at(50), p99: at(99) };
}

/** In a process of its own: what the compiler makes of the same code differs from one to the next by some microseconds. */
async function measured({ sort, workload }: Contender): Promise<Measured> {
  const server = await startServer(sort, size, authorities);
  try {
    ask(server, workload, warming);
    return ask(server, workload, seconds);
  } finally {
    const exit = once(server.child, 'exit');
    server.child.kill('SIGTERM');
    await exit;
  }
}

try {
  const found = new Map(contenders.map(({ name }) => [name, [] as Measured[]]));
  const load = loadavg()[0]!;
  for (let round = 0; round < rounds; round++)
    for (const one of contenders) found.get(one.name)!.push(await measured(one));
  const of = (name: string, key: keyof Measured) => spread(found.get(name)!.map((one) => one[key]));
  const lines = [
    '| server | µs of a core | calls a core gives, × ceiling | calls/s | p50 | p99 | × ceiling |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...contenders.map(({ name, workload }) => {
      const bare = ceiling(workload);
      const [rate, p50, p99] = [of(name, 'perSec'), of(name, 'p50'), of(name, 'p99')];
      const cpu = of(name, 'cpu');
      const gives = (of(bare, 'cpu').median / cpu.median).toFixed(2);
      const late = (p99.median / of(bare, 'p99').median).toFixed(2);
      const range = `${Math.round(rate.low)}–${Math.round(rate.high)}`;
      const cores = `${cpu.median.toFixed(0)} (${cpu.low.toFixed(0)}–${cpu.high.toFixed(0)})`;
      return `| ${name} | ${cores} | ${gives} | ${Math.round(rate.median)} (${range}) | ${p50.median.toFixed(2)} ms | ${p99.median.toFixed(2)} ms | ${late} |`;
    }),
  ];
  lines.push('');
  for (const { name, workload } of contenders.filter(({ name }) => name.startsWith('Placet'))) {
    const bare = ceiling(workload);
    const rate = of(bare, 'cpu').median / of(name, 'cpu').median;
    const late = of(name, 'p99').median / of(bare, 'p99').median;
    const reached = (yes: boolean) => (yes ? 'yes' : '**no**');
    lines.push(
      `- ${name}: ${rate.toFixed(2)} × the calls that the ceiling has for a core, wanted ${wanted.rate}: ${reached(rate >= wanted.rate)}; p99 ${late.toFixed(2)} ×, wanted at most ${wanted.p99}: ${reached(late <= wanted.p99)}.`,
    );
  }
  console.log(lines.join('\n'), `\nload before: ${load}`);
  if (process.argv.includes('--write')) {
    const made = `Measured with Node ${process.versions.node} by \`node test/bench/authz/main.ts --write\`: one core for the server, ghz with ${clients} clients on the other, ${size} rules, the median of ${rounds} alternating rounds of ${seconds} s, in processes of their own; the load of the machine was ${load.toFixed(1)} before it began. To reach: ${wanted.rate} × the ceiling, p99 at most ${wanted.p99} ×.`;
    writePart('authz', made, lines);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
