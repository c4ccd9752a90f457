import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Line } from '../../../src/gateway/log/line.ts';
import { policy, request } from '../../gateway/live/documents.ts';
import { type Folder, temporary } from '../../gateway/live/opening.ts';
import { live, needs } from '../../live.ts';
import { ask } from './clients.ts';
import { logged, workers } from './metrics.ts';
import { type Running, start, startBy } from './process.ts';

let folder: Folder;
let logs: string;
let running: Running | undefined;
beforeEach(() => {
  folder = temporary();
  logs = join(folder.path, '.logs');
  mkdirSync(logs);
  folder.put('a.yaml', policy('a'));
});
afterEach(() => {
  running?.process.kill('SIGKILL');
  folder.remove();
});

const everything = { allows: 1, perSecond: 1_000_000, queueBytes: 65_536 };

function flags(log: object): string[] {
  const all = Object.entries({ ...everything, ...log });
  // However slow the machine is, nobody is turned away.
  return [
    '--policies',
    folder.path,
    '--set',
    'limits.turn=60',
    ...all.flatMap(([key, value]) => ['--set', `log.${key}=${value}`]),
  ];
}

/** By their identifiers; throws at a torn one. */
function idsIn(text: string): string[] {
  expect(text.endsWith('\n')).toBe(true);
  const lines = text.slice(0, -1).split('\n');
  return lines.map((line) => (JSON.parse(line) as Line).id);
}

test('[LOG5] files are put aside while two workers decide: every line is there, once and whole', async () => {
  const file = join(logs, 'decisions.log');
  running = await start(
    ...flags({ to: 'file', file, fileBytes: 50_000, files: 1_000, queueBytes: 8_388_608 }),
    ...['--workers', '2'],
  );
  await workers(running.url, 2);
  const clients = ask(running.port, request);
  await clients.replies(2_000);
  await clients.stop();
  running.process.kill('SIGTERM');
  expect(await running.ended()).toBe(0);
  const names = readdirSync(logs);
  const ids = names.flatMap((name) => idsIn(readFileSync(join(logs, name), 'utf8')));
  expect([ids.length, new Set(ids).size]).toEqual([clients.seen.replies, clients.seen.replies]);
  // Of each worker.
  expect(names).toEqual(expect.arrayContaining(['decisions.log', 'decisions.log.1', 'decisions-2.log.1']));
});

/** A file system of a size of its own, which only the program that follows sees, and which goes when it ends. */
const inSmallDisk = (at: string) => [
  ...['unshare', '--map-root-user', '--mount', 'sh', '-c'],
  ...['mount -t tmpfs -o size=256k small "$0" && exec "$@"', at],
];

const small = needs([
  {
    program: 'unshare, with a file system of its own',
    get: 'Linux that lets users have namespaces',
    found: () => spawnSync('unshare', [...inSmallDisk('/mnt').slice(1), 'true']).status === 0,
  },
]);

live(small, '[LOG4] [LOG5] a full disk: decisions go on, and the log when there is room again', async () => {
  running = await startBy(inSmallDisk(logs), ...flags({ to: 'file', file: join(logs, 'decisions.log') }));
  const seen = `/proc/${running.process.pid}/root${logs}`;
  writeFileSync(join(seen, 'something else'), Buffer.alloc(160_000));
  const clients = ask(running.port, request);
  await running.said(/^log: no line is written: ENOSPC/);
  for (let full = false; !full; full = (await logged(running.url)).dropped > 0) await clients.replies(100);
  const { replies } = clients.seen;
  await clients.replies(200);
  rmSync(join(seen, 'something else'));
  await running.said(/^log: lines are written again$/);
  await clients.stop();
  expect([clients.seen.lost, [...clients.seen.statuses.keys()]]).toEqual([[], [200]]);
  expect(clients.seen.replies).toBeGreaterThan(replies + 200);
  // Held open, since the disk goes with the service.
  const log = openSync(join(seen, 'decisions.log'), 'r');
  const { lines, dropped } = await logged(running.url);
  running.process.kill('SIGTERM');
  expect(await running.ended()).toBe(0);
  const ids = idsIn(readFileSync(log, 'utf8'));
  expect(lines).toBe(clients.seen.replies);
  expect(dropped).toBeGreaterThan(0);
  expect([ids.length, new Set(ids).size]).toEqual([lines - dropped, lines - dropped]);
});

test.each(['1', '2'])(
  '[LOG4] [LOG5] whoever reads the log of %s workers stands still: decisions go on, and no line is torn',
  async (count) => {
    running = await start(...flags({ to: 'stdout' }), '--workers', count);
    if (count !== '1') await workers(running.url, Number(count));
    running.process.stdout!.pause();
    const clients = ask(running.port, request);
    for (let full = false; !full; full = (await logged(running.url)).dropped > 0) await clients.replies(200);
    await clients.replies(200);
    await clients.stop();
    expect([clients.seen.lost, [...clients.seen.statuses.keys()]]).toEqual([[], [200]]);
    const { lines, dropped } = await logged(running.url);
    expect(lines).toBe(clients.seen.replies);
    running.process.stdout!.resume();
    running.process.kill('SIGTERM');
    expect(await running.ended()).toBe(0);
    const { stdout } = running.process;
    if (!stdout!.closed) await once(stdout!, 'close');
    const said = running.greeting().split('\n');
    const ids = said.filter((line) => line.startsWith('{')).map((line) => (JSON.parse(line) as Line).id);
    expect([ids.length, new Set(ids).size]).toEqual([lines - dropped, lines - dropped]);
  },
);

test('[RUN3] it ends though nobody reads its log', async () => {
  running = await start(...flags({ to: 'stdout' }));
  running.process.stdout!.pause();
  const clients = ask(running.port, request);
  for (let full = false; !full; full = (await logged(running.url)).dropped > 0) await clients.replies(200);
  await clients.stop();
  running.process.kill('SIGTERM');
  expect(await running.ended()).toBe(0);
});
