import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Running, startBy } from '../../live/service/process.ts';
import { freePort } from '../../support/envoy/modes.ts';
import { temporary } from '../../support/envoy/temporary.ts';
import { cpuOf } from '../authz/cpu.ts';
import { spread } from '../measure.ts';
import { writePart } from '../results.ts';
import { type Form, type Nodes, openNodes, type Pushed } from './nodes.ts';
import {
  type Concern,
  concerned,
  concerns,
  idOf,
  resource,
  type Sharing,
  writeChange,
  writeWorld,
} from './world.ts';

/**
 * What many nodes cost the service: `node test/bench/xds/main.ts`, with --write into RESULTS.md. `placet serve` has the
 * first core with all its threads, the nodes are all in this process on the second. Policies change in their files.
 */
const most = Number(process.env['BENCH_NODES'] ?? 1_000);
const rules = Number(process.env['BENCH_RULES'] ?? 10_000);
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5);

/** Where each node has another filter, each is made for itself. */
const apart = Math.min(most, 40);

interface Row {
  readonly form: Form;
  readonly sharing: Sharing;
  readonly nodes: number;
}

const rows: readonly Row[] = [
  { form: 'delta', sharing: 'shared', nodes: most },
  { form: 'state of the world', sharing: 'shared', nodes: most },
  { form: 'delta', sharing: 'own', nodes: most },
  { form: 'delta', sharing: 'both', nodes: apart },
];
const called: Readonly<Record<Sharing, string>> = {
  shared: `all ${rules} rules for all`,
  own: `${rules} rules, ${rules / most} of them for each`,
  both: `all ${rules} rules for all, and one of its own for each`,
};

interface Held {
  /** Of the thread that serves, and of the one that has the rules: heap and what it holds outside of it. */
  readonly serving: number;
  readonly rules: number;
  readonly resident: number;
}

interface Change {
  readonly concern: Concern;
  /** Milliseconds until all that are concerned have it. */
  readonly took: number;
  readonly cpu: number;
  readonly pushed: Pushed;
}

interface Measured {
  readonly name: string;
  readonly count: number;
  readonly without: Held;
  readonly held: Held;
  /** When everything has changed several times. */
  readonly later: Held;
  readonly peak: number;
  readonly first: Change;
  readonly idle: readonly Change[];
  readonly changes: readonly Change[];
}

const none: Pushed = { messages: 0, resources: 0, bytes: 0 };

async function collected({ process: { pid }, lines, said }: Running): Promise<Held> {
  const before = lines.length;
  process.kill(pid!, 'SIGUSR2');
  return JSON.parse((await said(/^held /, before)).slice('held '.length)) as Held;
}

/** The most that was resident since the last time this was asked, in bytes (proc(5)). */
function peakOf(pid: number): number {
  const [, most] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  return Number(most) * 1_024;
}

/** Until it has nothing left to do: less than a twentieth of a core for half a second. */
async function settled(pid: number): Promise<number> {
  for (let before = cpuOf(pid); ; ) {
    await pause(500);
    const now = cpuOf(pid);
    if (now - before <= 25_000) return now;
    before = now;
  }
}

async function measure({ form, sharing, nodes: count }: Row): Promise<Measured> {
  const folder = temporary();
  const policies = temporary();
  writeWorld(policies.path, sharing, count, rules);
  const port = await freePort();
  const config = join(folder.path, 'placet.json');
  const listen = `127.0.0.1:${port}`;
  const limits = { connections: 2 * count + 10 };
  writeFileSync(config, JSON.stringify({ policies: [policies.path], envoy: { listen }, limits }));
  const probe = new URL('probe.ts', import.meta.url).href;
  process.env['NODE_OPTIONS'] = `--import ${probe}`;
  const service = await startBy(['taskset', '-c', '0'], '--config', config);
  delete process.env['NODE_OPTIONS'];
  const pid = service.process.pid!;
  let nodes: Nodes | undefined;
  let version = 0;
  const change = async (concern: Concern): Promise<Change> => {
    const cpu = await settled(pid);
    const before = { ...(nodes?.pushed ?? none) };
    const lines = service.lines.length;
    const start = performance.now();
    const there = nodes?.more(concerned(concern, count)) ?? service.said(/^the policies are those of/, lines);
    writeChange(policies.path, concern, ++version);
    await there;
    const took = performance.now() - start;
    return { concern, took, cpu: (await settled(pid)) - cpu, pushed: since(before, nodes?.pushed ?? none) };
  };
  try {
    const idle: Change[] = [];
    for (let round = 0; round < rounds; round++) for (const one of concerns) idle.push(await change(one));
    const without = await collected(service);
    const cpu = await settled(pid);
    peakOf(pid);
    const start = performance.now();
    const ids = Array.from({ length: count }, (_, at) => idOf(at));
    nodes = openNodes(port, form, ids, resource);
    await nodes.more(ids.map((_, at) => at));
    const took = performance.now() - start;
    const first: Change = {
      concern: 'all',
      took,
      cpu: (await settled(pid)) - cpu,
      pushed: { ...nodes.pushed },
    };
    const held = await collected(service);
    const changes: Change[] = [];
    for (let round = 0; round < rounds; round++) for (const one of concerns) changes.push(await change(one));
    const name = `${form}, ${called[sharing]}`;
    const peak = peakOf(pid);
    return { name, count, without, held, later: await collected(service), peak, first, idle, changes };
  } finally {
    nodes?.close();
    service.process.kill('SIGTERM');
    await service.ended();
    folder.remove();
    policies.remove();
  }
}

function since(before: Pushed, now: Pushed): Pushed {
  return {
    messages: now.messages - before.messages,
    resources: now.resources - before.resources,
    bytes: now.bytes - before.bytes,
  };
}

const mega = (bytes: number) => (bytes / 1e6).toFixed(bytes < 1e8 ? 1 : 0);

function table(all: readonly Measured[]): readonly string[] {
  const memory = all.flatMap(({ name, count, without, held, later, peak }) => {
    const of = (what: string, { serving, rules: other, resident }: Held, most: string) =>
      `| ${name} | ${what} | ${mega(serving)} | ${mega(other)} | ${mega(resident)} | ${most} |`;
    return [
      of('none', without, ''),
      of(`${count}`, held, ''),
      of(`${count}, after ${concerns.length * rounds} changes`, later, mega(peak)),
    ];
  });
  const pushes = all.flatMap((one) => {
    const line = (what: string, of: readonly Change[], idle: readonly Change[]) => {
      const took = spread(of.map((change) => change.took));
      const cpu = spread(of.map((change) => change.cpu / 1_000));
      const without = idle.length === 0 ? 0 : spread(idle.map((change) => change.cpu / 1_000)).median;
      const [{ pushed }] = of as [Change];
      const differs = of.some((change) => change.pushed.resources !== pushed.resources);
      const resources = `${pushed.resources}${differs ? ' (not each time)' : ''}`;
      return `| ${one.count}: ${one.name} | ${what} | ${took.median.toFixed(0)} ms (${took.low.toFixed(0)}–${took.high.toFixed(0)}) | ${pushed.messages} | ${resources} | ${mega(pushed.bytes)} | ${cpu.median.toFixed(0)} ms (${cpu.low.toFixed(0)}–${cpu.high.toFixed(0)}) | ${without.toFixed(0)} ms |`;
    };
    const about = (list: readonly Change[], concern: Concern) =>
      list.filter((change) => change.concern === concern);
    return [
      line('all connect', [one.first], []),
      ...concerns.map((concern) =>
        line(`a change for ${concern}`, about(one.changes, concern), about(one.idle, concern)),
      ),
    ];
  });
  return [
    '| nodes get | nodes | thread that serves, MB | thread with the rules, MB | resident, MB | at most meanwhile, MB |',
    '| --- | --- | --- | --- | --- | --- |',
    ...memory,
    '',
    '| nodes, and what they get | what happens | until all concerned have it | messages | resources | MB pushed | of a core | with no nodes |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ...pushes,
  ];
}

const load = loadavg()[0]!;
execFileSync('taskset', ['-acp', '1', `${process.pid}`], { stdio: 'ignore' });
const all: Measured[] = [];
const only = process.env['BENCH_ROWS']?.split(',').map(Number);
for (const [at, row] of rows.entries())
  if (only === undefined || only.includes(at)) all.push(await measure(row));
const lines = table(all);
console.log(lines.join('\n'), `\nload before: ${load.toFixed(1)}`);
if (process.argv.includes('--write')) {
  const made = `Measured with Node ${process.versions.node} by \`node test/bench/xds/main.ts --write\`: \`placet serve\` with all its threads on one core, ${most} nodes in one process on the other, the median of ${rounds} changes of each kind in turns; the load of the machine was ${load.toFixed(1)} before it began.`;
  writePart('xds', made, lines);
}
