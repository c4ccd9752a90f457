import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spread } from '../measure.ts';
import { generatedRego } from '../peers/generated-rego.ts';
import { opaBinary } from '../peers/tools.ts';
import { writePart } from '../results.ts';
import { generators } from '../workloads/index.ts';

/**
 * What the service makes of a core: `node test/bench/service/main.ts`. Each server has the first core for itself and
 * is asked by wrk from the others, workload A at 10k with its own requests in turn; a bare hono handler that parses
 * the same body and answers with as many bytes, on average, is the yardstick, in the same run, in alternating rounds.
 */
const size = 10_000;
const connections = 32;
const seconds = Number(process.env['BENCH_SECONDS'] ?? 5);
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5);
const batchOf = 100;

const server = fileURLToPath(new URL('server.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'placet-bench-'));
const requests = generators.A(size, 2_000).requests;

const batches = Array.from(
  { length: 20 },
  (_, i) => `{"requests":[${requests.slice(i * batchOf, (i + 1) * batchOf).join(',')}]}`,
);
const script = (name: string, path: string, bodies: readonly string[]): string => {
  const lua = [
    `local bodies = {${bodies.map((body) => `[==[${body}]==]`).join(',')}}`,
    'local i = 0',
    'wrk.method = "POST"',
    'wrk.headers["content-type"] = "application/json"',
    `request = function() i = i % #bodies + 1; return wrk.format(nil, "${path}", nil, bodies[i]) end`,
    'done = function(summary, latency) io.write(string.format("RESULT %d %f %f %f %d\\n", summary.requests, summary.requests / summary.duration * 1e6, latency:percentile(50) / 1000, latency:percentile(99) / 1000, summary.errors.status + summary.errors.connect + summary.errors.read)) end',
  ];
  const file = join(folder, `${name}.lua`);
  writeFileSync(file, lua.join('\n'));
  return file;
};
const single = script('single', '/decide', requests);
const many = script('batch', '/decide/batch', batches);
const toOpa = script(
  'opa',
  '/v1/data/placet/allow',
  requests.map((request) => `{"input":${request}}`),
);

const pinned = (cores: string, command: string, args: readonly string[]) =>
  ['taskset', ['-c', cores, command, ...args]] as const;

/** OPA with the same policies as rules of its own, in the form in which it is fastest here. */
async function startOpa(): Promise<{ child: ChildProcess; port: string }> {
  const policy = join(folder, 'policy.rego');
  writeFileSync(policy, generatedRego(generators.A(size, 0)));
  const port = '18181';
  const args = ['run', '--server', '--addr', `127.0.0.1:${port}`, '--log-level', 'error', policy];
  const [command, all] = pinned('0', opaBinary(), args);
  const child = spawn(command, all, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, GOMAXPROCS: '1' },
  });
  for (;;) {
    const up = await fetch(`http://127.0.0.1:${port}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (up) return { child, port };
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function start(sort: string, reply: string): Promise<{ child: ChildProcess; port: string }> {
  if (sort === 'opa') return await startOpa();
  const [command, args] = pinned('0', process.execPath, [...execFlags, server, sort, String(size), reply]);
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout!, 'data')) as [Buffer];
  return { child, port: String(line).trim() };
}
const execFlags = process.execArgv;

/** Microseconds of a core that a process has had, its collector and its other threads included. */
function cpuOf({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  // In ticks of 10 ms: utime and stime (proc(5)).
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

function ask(
  port: string,
  lua: string,
  duration: number,
): { total: number; perSec: number; p50: number; p99: number } {
  const [command, args] = pinned('1', 'wrk', [
    '-t1',
    `-c${connections}`,
    `-d${duration}s`,
    '--timeout',
    '30s',
    '-s',
    lua,
    `http://127.0.0.1:${port}`,
  ]);
  const [, total, perSec, p50, p99, errors] =
    /RESULT (\d+) (\S+) (\S+) (\S+) (\d+)/.exec(execFileSync(command, args, { encoding: 'utf8' })) ?? [];
  if (errors !== '0') throw new Error(`${errors} requests failed`);
  return { total: Number(total), perSec: Number(perSec), p50: Number(p50), p99: Number(p99) };
}

function mean(all: readonly number[]): number {
  return all.reduce((sum, one) => sum + one, 0) / all.length;
}

const sorts = (process.env['BENCH_SORTS'] ?? 'node,hono,direct,logged,through,opa').split(',');
interface Running {
  readonly sort: string;
  readonly child: ChildProcess;
  readonly port: string;
}
const running: Running[] = [];
try {
  const first = await start('direct', '');
  const sizes: number[] = [];
  for (const body of requests.slice(0, 200)) {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`http://127.0.0.1:${first.port}/decide`, { method: 'POST', headers, body });
    sizes.push((await response.text()).length);
  }
  const reply = JSON.stringify({ of: 'x'.repeat(Math.round(mean(sizes)) - '{"of":""}'.length) });
  first.child.kill();
  console.log(
    `A at ${size}, ${connections} connections, bodies of ${Math.round(mean(requests.map(({ length }) => length)))} bytes, replies of ${reply.length}`,
  );
  for (const sort of sorts) running.push({ sort, ...(await start(sort, reply)) });
  const found = new Map<string, (ReturnType<typeof ask> & { cpu: number })[]>();
  const measure = (
    name: string,
    { child, port }: Running,
    lua: string,
    duration: number,
    keep: boolean,
  ): void => {
    const before = cpuOf(child);
    const result = ask(port, lua, duration);
    const cpu = (cpuOf(child) - before) / result.total;
    if (keep) found.set(name, [...(found.get(name) ?? []), { ...result, cpu }]);
  };
  for (let round = -1; round < rounds; round++)
    for (const one of running) {
      const { sort } = one;
      measure(sort, one, sort === 'opa' ? toOpa : single, round < 0 ? 3 : seconds, round >= 0);
      if (sort === 'direct') measure('batch of 100', one, many, round < 0 ? 3 : seconds, round >= 0);
    }
  const median = (name: string, key: 'perSec' | 'p50' | 'p99' | 'cpu') =>
    spread((found.get(name) ?? []).map((one) => one[key])).median;
  const base = median('hono', 'perSec');
  const lines: string[] = [];
  const row = (...cells: (string | number)[]) => {
    lines.push(`| ${cells.join(' | ')} |`);
    console.log(
      cells
        .map((cell, i) =>
          String(cell)
            .padStart(i === 0 ? -1 : 12)
            .padEnd(14),
        )
        .join(''),
    );
  };
  row('', 'requests/s', 'x hono', 'us of core', 'x hono', 'p50 ms', 'p99 ms', 'decisions/s');
  lines.push('| --- | --- | --- | --- | --- | --- | --- | --- |');
  for (const name of found.keys()) {
    const perSec = median(name, 'perSec');
    const decisions = name === 'batch of 100' ? perSec * batchOf : perSec;
    row(
      name,
      Math.round(perSec),
      (perSec / base).toFixed(2),
      median(name, 'cpu').toFixed(1),
      (median('hono', 'cpu') / median(name, 'cpu')).toFixed(2),
      median(name, 'p50').toFixed(2),
      median(name, 'p99').toFixed(2),
      Math.round(decisions),
    );
  }
  if (process.argv.includes('--write')) {
    const made = `Measured with Node ${process.versions.node}, the server alone on one core, by \`node test/bench/service/main.ts --write\`: workload A at ${size}, ${connections} connections, the median of ${rounds} rounds in turns. \`direct\` is \`POST /decide\` with metrics and the log of the default configuration, \`logged\` writes every decision down, \`through\` goes through hono as it does where spans are made, \`opa\` is OPA with the same policies as its own rules. Wanted: direct 0.85 × hono, logged 0.6 ×, three times OPA, p99 at most 1.5 × that of hono, a batch of 100 five times the decisions.`;
    writePart('service', made, lines);
  }
} finally {
  for (const { child } of running) child.kill();
  rmSync(folder, { recursive: true });
}
