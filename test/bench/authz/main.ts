import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromJson, type JsonObject, toBinary } from '@bufbuild/protobuf';
import { AttributeContextSchema } from '../../../src/envoy/proto/generated/envoy/service/auth/v3/attribute_context_pb.js';
import { svid } from '../../support/certificates/index.ts';
import { goProgram } from '../../support/programs/build.ts';
import { type Spread, spread } from '../measure.ts';
import { writePart } from '../results.ts';
import { generators } from '../workloads/index.ts';
import { cpuOf } from './cpu.ts';
import { ghz } from './ghz.ts';
import { authoritiesOfS, type Server, startServer, vouching } from './servers.ts';

/**
 * What ext_authz makes of a core: `node test/bench/authz/main.ts`, with --write into RESULTS.md. Servers that let
 * everybody in, and Placet, are asked by ghz in turns; the one that is asked has the first core for itself, ghz the
 * other. The ceiling is the one that reads of a call what there is to decide by. What else a machine does comes and goes
 * within seconds, so a server is compared with the ceiling's turn beside its own.
 */
const size = 10_000;
const clients = 32;
const warming = 3;
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5);
/** Each server is asked for so long, so often in a round. */
const turn = { seconds: 1.5, times: 3 };
const questions = 100;
const wanted = { rate: 0.7, p99: 2 };

const folder = mkdtempSync(join(tmpdir(), 'placet-bench-'));
const program = join((await goProgram(ghz)).folder, 'ghz');

interface Asked {
  readonly source: { readonly spiffeId: string };
  readonly destination: Readonly<Record<string, string>>;
  readonly request: Readonly<Record<string, string>>;
}

const authorities = await authoritiesOfS();

/** A request as an Envoy sends it, with the certificate of its client. */
async function ofCertificates(): Promise<JsonObject[]> {
  const { requests } = generators.S(size, questions);
  return await Promise.all(
    requests.map(async (text) => {
      const { source, destination, request } = JSON.parse(text) as Asked;
      const { chain } = await svid(vouching(authorities, source.spiffeId), source.spiffeId);
      const extensions = Object.entries(destination).map(([key, value]) => [`placet.${key}`, value]);
      const headers = { ':path': request['path'] ?? '/', 'user-agent': 'curl/8' };
      return {
        source: { principal: source.spiffeId, certificate: encodeURIComponent(chain) },
        request: { http: { ...request, headers } },
        contextExtensions: Object.fromEntries(extensions),
      };
    }),
  );
}

/** One whose attributes come with it: 14 of the source, 6 of the destination. */
function ofAttributes(): JsonObject[] {
  return generators.A(size, questions).requests.map((text) => ({
    contextExtensions: { 'placet.service': 'any/any' },
    metadataContext: {
      filterMetadata: { 'envoy.filters.http.jwt_authn': { request: JSON.parse(text) as JsonObject } },
    },
  }));
}

/** As ghz has it from check.proto: bytes in base64. */
function asBytes(attributes: JsonObject): object {
  const bytes = toBinary(AttributeContextSchema, fromJson(AttributeContextSchema, attributes));
  return { attributes: Buffer.from(bytes).toString('base64') };
}

const data = { S: await ofCertificates(), A: ofAttributes() } as const;
const files = Object.fromEntries(
  Object.entries(data).map(([name, all]) => {
    const file = join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify(all.map(asBytes)));
    return [name, file];
  }),
) as Record<keyof typeof data, string>;

const contenders = [
  { name: (workload: string) => `node:http2, reads ${workload}`, sort: 'reading' },
  { name: (workload: string) => `node:http2, reads nothing of ${workload}`, sort: 'bare' },
  { name: (workload: string) => `grpc-js, reads nothing of ${workload}`, sort: 'grpc-js' },
  { name: (workload: string) => `Placet, ${workload} at 10k`, sort: 'placet' },
] as const;
const [ceiling, , , placet] = contenders;

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
  const args = ['-c', '1', program, '--insecure', '--proto', join(import.meta.dirname, 'check.proto')];
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

type Turns = ReadonlyMap<(typeof contenders)[number], Measured[]>;

/** All in processes of their own: what the compiler makes of the same code differs from one to the next by some µs. */
async function round(workload: keyof typeof data, turns: Turns): Promise<void> {
  const servers = new Map<(typeof contenders)[number], Server>();
  try {
    for (const one of contenders) {
      const server = await startServer(one.sort === 'placet' ? workload : one.sort, size, authorities);
      servers.set(one, server);
      ask(server, workload, warming);
    }
    for (let i = 0; i < turn.times; i++)
      for (const [one, server] of servers) turns.get(one)!.push(ask(server, workload, turn.seconds));
  } finally {
    for (const { child } of servers.values()) {
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
    }
  }
}

function text({ median, low, high }: Spread, digits: number): string {
  return `${median.toFixed(digits)} (${low.toFixed(digits)}–${high.toFixed(digits)})`;
}

function report(workload: keyof typeof data, turns: Turns): { rows: string[]; verdict: string } {
  const of = (one: (typeof contenders)[number], key: keyof Measured) =>
    spread(turns.get(one)!.map((turn) => turn[key]));
  /** Turn by turn. */
  const times = (one: (typeof contenders)[number], key: keyof Measured) =>
    spread(turns.get(one)!.map((turn, i) => turn[key] / turns.get(ceiling)![i]![key]));
  const rows = contenders.map((one) => {
    const cells = [
      one.name(workload),
      text(of(one, 'perSec'), 0),
      text(times(one, 'perSec'), 2),
      text(of(one, 'cpu'), 0),
      text(times(one, 'cpu'), 2),
      `${of(one, 'p50').median.toFixed(2)} ms`,
      `${of(one, 'p99').median.toFixed(2)} ms`,
      text(times(one, 'p99'), 2),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const rate = times(placet, 'perSec').median;
  const late = times(placet, 'p99').median;
  const reached = (yes: boolean) => (yes ? 'yes' : '**no**');
  const verdict = `- ${placet.name(workload)}: ${rate.toFixed(2)} × the ceiling's calls/s, wanted ${wanted.rate}: ${reached(rate >= wanted.rate)}; p99 ${late.toFixed(2)} ×, wanted at most ${wanted.p99}: ${reached(late <= wanted.p99)}.`;
  return { rows, verdict };
}

try {
  const load = loadavg()[0]!;
  const workloads = ['S', 'A'] as const;
  const found = workloads.map((workload) => ({
    workload,
    turns: new Map(contenders.map((one) => [one, [] as Measured[]])),
  }));
  for (let i = 0; i < rounds; i++) for (const { workload, turns } of found) await round(workload, turns);
  const reports = found.map(({ workload, turns }) => report(workload, turns));
  const lines = [
    '| server | calls/s | × ceiling | µs of a core | × ceiling | p50 | p99 | × ceiling |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ...reports.flatMap(({ rows }) => rows),
    '',
    ...reports.map(({ verdict }) => verdict),
  ];
  console.log(lines.join('\n'), `\nload before: ${load}`);
  if (process.argv.includes('--write')) {
    const made = `Measured with Node ${process.versions.node} by \`node test/bench/authz/main.ts --write\`: one core for the server, ghz with ${clients} clients on the other, ${size} rules, ${rounds} rounds of servers in processes of their own, each asked ${turn.times} times for ${turn.seconds} s, in turns; medians over the turns, and of a turn beside the ceiling's. The load of the machine was ${load.toFixed(1)} before it began. To reach: ${wanted.rate} × the ceiling's calls/s, p99 at most ${wanted.p99} ×.`;
    writePart('authz', made, lines);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
