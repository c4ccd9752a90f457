import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { policy, request } from '../../gateway/live/documents.ts';
import { type Folder, temporary } from '../../gateway/live/opening.ts';
import { ask } from './clients.ts';
import { type Running, start } from './process.ts';

let folder: Folder;
let running: Running;
beforeEach(async () => {
  folder = temporary();
  folder.put('a.yaml', policy('a'));
  running = await start('--policies', folder.path, '--workers', '2');
});
afterEach(() => {
  running.process.kill('SIGTERM');
  folder.remove();
});

interface Overview {
  readonly snapshot: string;
  readonly worker: number;
}

/** Of whichever worker a new connection comes to. */
async function overview(): Promise<Overview> {
  const reply = await fetch(`${running.url}/snapshot`, { headers: { connection: 'close' } });
  return (await reply.json()) as Overview;
}

/** All workers that answer, once there are two. */
async function both(): Promise<ReadonlyMap<number, Overview>> {
  const found = new Map<number, Overview>();
  while (found.size < 2) {
    const one = await overview();
    found.set(one.worker, one);
  }
  return found;
}

test('[RUN4] a worker that is killed under load takes only its own requests, and another one comes', async () => {
  const before = [...(await both()).keys()];
  const { snapshot } = await overview();
  const clients = ask(running.port, request);
  await clients.replies(100);
  const [victim] = pids();
  process.kill(victim!, 'SIGKILL');
  const line = await running.said(/^worker \d+ ended with SIGKILL; another is started in 100 ms$/);
  await clients.replies(200);
  const killed = Number(/\d+/.exec(line)?.[0]);
  for (let back = false; !back; ) back = (await overview()).worker > Math.max(...before);
  await clients.replies(200);
  await clients.stop();
  expect(before).toContain(killed);
  // Each client has one connection; those of the killed worker break, and one that it was to get, and no other.
  expect(clients.seen.lost.length).toBeLessThanOrEqual(9);
  expect([...clients.seen.verdicts.keys()]).toEqual([`${snapshot} allow`]);
  expect([...clients.seen.statuses.keys()]).toEqual([200]);
  running.process.kill('SIGTERM');
  expect(await running.ended()).toBe(0);
});

test('[RUN4] a connection that a worker was to get when it died is closed, and nobody waits on it', async () => {
  await both();
  const [victim] = pids();
  process.kill(victim!, 'SIGSTOP');
  let answered = 0;
  const three = Promise.withResolvers<void>();
  // One of them is for the worker that does not move.
  const all = Array.from({ length: 4 }, async () => {
    const socket = connect(running.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write('GET /live HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
    socket.once('data', () => {
      if (++answered === 3) three.resolve();
    });
    await new Promise((resolve) => socket.once('close', resolve));
  });
  await three.promise;
  process.kill(victim!, 'SIGKILL');
  await Promise.all(all);
  expect(answered).toBe(3);
});

test('[RUN4] workers that nobody supervises any more finish what is under way, and end', async () => {
  await both();
  const closed = once(running.process, 'close');
  const text = JSON.stringify(request);
  const head =
    'POST /decide HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nexpect: 100-continue';
  const socket = connect(running.port, '127.0.0.1');
  socket.write(`${head}\r\ncontent-length: ${text.length}\r\n\r\n`);
  // A worker has it.
  await once(socket.setEncoding('utf8'), 'data');
  running.process.kill('SIGKILL');
  await running.ended();
  socket.write(text);
  let reply = '';
  for await (const part of socket) reply += part;
  expect(reply).toMatch(/^HTTP\/1\.1 200 OK\r\n.*"decision":"allow"/s);
  // What they write to is closed by the last of them.
  await closed;
});

test('[RUN4] [LIVE1] policies that change under load reach all of them, each reply says by which it was decided', async () => {
  await both();
  const first = (await overview()).snapshot;
  const clients = ask(running.port, request);
  await clients.replies(100);
  folder.put('a.yaml', policy('a', 'deny'));
  let now = await both();
  while ([...now.values()].some(({ snapshot }) => snapshot === first)) now = await both();
  await clients.replies(100);
  await clients.stop();
  const [second] = [...now.values()];
  expect(new Set([...now.values()].map(({ snapshot }) => snapshot)).size).toBe(1);
  expect([...clients.seen.verdicts.keys()].sort()).toEqual(
    [`${first} allow`, `${second!.snapshot} deny`].sort(),
  );
  expect(clients.seen.lost).toEqual([]);
});

test('[RUN5] whichever is asked answers for all', async () => {
  await both();
  const asked = 40;
  for (let i = 0; i < asked; i++) {
    const reply = await fetch(`${running.url}/decide`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', connection: 'close' },
      body: JSON.stringify(request),
    });
    await reply.json();
  }
  const counts = new Set<number>();
  for (let i = 0; i < 6; i++) {
    const text = await (await fetch(`${running.url}/metrics`, { headers: { connection: 'close' } })).text();
    const lines = text.split('\n').filter((line) => line.startsWith('placet_decisions_total{'));
    counts.add(lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0));
  }
  expect([...counts]).toEqual([asked]);
  // Connections go to workers in turn.
  for (let i = 0; i < 4; i++) {
    const reply = await fetch(`${running.url}/policies`, { headers: { connection: 'close' } });
    const { policies } = (await reply.json()) as { policies: { lastDecided?: string }[] };
    expect(policies.map(({ lastDecided }) => typeof lastDecided)).toEqual(['string']);
  }
});

/** Of the workers, by the name of the process that started them. */
function pids(): readonly number[] {
  const { pid } = running.process;
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.trim().split(' ').map(Number);
}
