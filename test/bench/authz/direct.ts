import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { goProgram } from '../../support/programs/build.ts';
import { type Spread, spread } from '../measure.ts';
import { cpuOf } from './cpu.ts';
import { ghz } from './ghz.ts';
import { asBytes, expectVerdicts, type Message, messagesOf, toldMessages } from './messages.ts';
import { type Server, startServer, startService, stop } from './servers.ts';
import type { World, WorldName } from './worlds.ts';

/**
 * What ext_authz makes of a core: servers that let everybody in, and Placet, are asked by ghz in turns; the one that is
 * asked has the first core for itself, ghz the other. The ceiling is the one that reads of a call what there is to decide
 * by. What else a machine does comes and goes within seconds, so a server is compared with the ceiling's turn beside its
 * own.
 */
export interface Course {
  readonly size: number;
  readonly clients: number;
  readonly rounds: number;
}

const warming = 3;
/** Each server is asked for so long, so often in a round. */
export const turn = { seconds: 1.5, times: 3 };
export const wanted = { rate: 0.7, p99: 2 };

/** What is asked, and of whom. */
interface Row {
  readonly name: string;
  readonly messages: readonly Message[];
  start(): Promise<Server>;
}

const contenders = ['reads', 'reads nothing', 'grpc-js', 'placet'] as const;
type Contender = (typeof contenders)[number];

function nameOf(one: Contender, { name }: Row): string {
  if (one === 'placet') return `Placet, ${name}`;
  if (one === 'reads') return `node:http2, reads ${name}`;
  return `${one === 'grpc-js' ? one : 'node:http2'}, reads nothing of ${name}`;
}

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

/** `file`: what is asked, one after the other. */
async function asker({ clients }: Course) {
  const program = join((await goProgram(ghz)).folder, 'ghz');
  return ({ port, pid }: Server, file: string, seconds: number): Measured => {
    const args = ['-c', '1', program, '--insecure', '--proto', join(import.meta.dirname, 'check.proto')];
    args.push('--call', 'envoy.service.auth.v3.Authorization.Check', '-D', file, '-c', `${clients}`);
    args.push('-z', `${seconds}s`, '--duration-stop', 'wait', '-O', 'json', `127.0.0.1:${port}`);
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
  };
}

type Turns = ReadonlyMap<Contender, Measured[]>;
type Ask = Awaited<ReturnType<typeof asker>>;

/** All in processes of their own: what the compiler makes of the same code differs from one to the next by some µs. */
async function round(row: Row, file: string, { size }: Course, ask: Ask, turns: Turns): Promise<void> {
  const servers = new Map<Contender, Server>();
  try {
    for (const one of contenders) {
      const server = one === 'placet' ? await row.start() : await startServer(one, size);
      servers.set(one, server);
      if (one === 'placet') await expectVerdicts(server.port, row.messages);
      ask(server, file, warming);
    }
    for (let i = 0; i < turn.times; i++)
      for (const [one, server] of servers) turns.get(one)!.push(ask(server, file, turn.seconds));
  } finally {
    for (const server of servers.values()) await stop(server);
  }
}

function text({ median, low, high }: Spread, digits: number): string {
  return `${median.toFixed(digits)} (${low.toFixed(digits)}–${high.toFixed(digits)})`;
}

function report(row: Row, turns: Turns): { lines: string[]; verdict: string } {
  const of = (one: Contender, key: keyof Measured) => spread(turns.get(one)!.map((turn) => turn[key]));
  /** Turn by turn. */
  const times = (one: Contender, key: keyof Measured) =>
    spread(turns.get(one)!.map((turn, i) => turn[key] / turns.get('reads')![i]![key]));
  const lines = contenders.map((one) => {
    const cells = [
      nameOf(one, row),
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
  const rate = times('placet', 'perSec').median;
  const late = times('placet', 'p99').median;
  const reached = (yes: boolean) => (yes ? 'yes' : '**no**');
  const verdict = `- Placet, ${row.name}: ${rate.toFixed(2)} × the ceiling's calls/s, wanted ${wanted.rate}: ${reached(rate >= wanted.rate)}; p99 ${late.toFixed(2)} ×, wanted at most ${wanted.p99}: ${reached(late <= wanted.p99)}.`;
  return { lines, verdict };
}

/** The table of it. */
export async function directly(
  worlds: Readonly<Record<WorldName, World>>,
  course: Course,
): Promise<readonly string[]> {
  const service = async (name: WorldName): Promise<Row> => {
    const world = worlds[name];
    return { name, messages: await messagesOf(world), start: () => startService(world) };
  };
  const told = toldMessages(course.size, worlds.A.questions.length);
  const rows = [
    await service('S'),
    await service('A'),
    { name: 'A told', messages: told, start: () => startServer('A', course.size) },
  ];
  const folder = mkdtempSync(join(tmpdir(), 'placet-bench-'));
  try {
    const ask = await asker(course);
    const all = rows.map((row, at) => {
      const file = join(folder, `${at}.json`);
      writeFileSync(file, JSON.stringify(row.messages.map(asBytes)));
      return { row, file, turns: new Map(contenders.map((one) => [one, [] as Measured[]])) };
    });
    for (let i = 0; i < course.rounds; i++)
      for (const { row, file, turns } of all) await round(row, file, course, ask, turns);
    const reports = all.map(({ row, turns }) => report(row, turns));
    return [
      '| server | calls/s | × ceiling | µs of a core | × ceiling | p50 | p99 | × ceiling |',
      '| --- | --- | --- | --- | --- | --- | --- | --- |',
      ...reports.flatMap(({ lines }) => lines),
      '',
      ...reports.map(({ verdict }) => verdict),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
