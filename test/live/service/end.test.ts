import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeAuthority, makeSvid } from '../../../src/attributes/x509/make.ts';
import { secured } from '../../../src/gateway/listen.ts';
import { bundleMessage, ders, TestServer } from '../../attributes/workload-api/server.ts';
import { policy, request } from '../../gateway/live/documents.ts';
import { type Folder, temporary } from '../../gateway/live/opening.ts';
import { authority } from '../../support/certificates/index.ts';
import { ask } from './clients.ts';
import { canConnect, type Running, start, startBy } from './process.ts';

const bundles = bundleMessage(2, {
  'spiffe://td.example': ders((await authority('td.example')).bundle),
});
let folder: Folder;
let running: Running | undefined;
beforeEach(() => {
  folder = temporary();
  folder.put('a.yaml', policy('a'));
});
afterEach(() => {
  running?.process.kill('SIGKILL');
  folder.remove();
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  '[RUN3] %s under load ends with 0 and loses no request',
  async (signal) => {
    running = await start('--policies', folder.path);
    const clients = ask(running.port, request);
    await clients.replies(200);
    running.process.kill(signal);
    expect(await running.ended()).toBe(0);
    await clients.stop();
    expect([clients.seen.lost, [...clients.seen.statuses.keys()]]).toEqual([[], [200]]);
    expect(clients.seen.refused).toBeGreaterThan(0);
  },
);

test('[RUN3] what is under way is finished, is asked for no more, and is cut off at the deadline', async () => {
  running = await start('--policies', folder.path, '--set', 'drainTime=2');
  const text = JSON.stringify(request);
  const head = `POST /decide HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n`;
  const [finished, never] = [connect(running.port, '127.0.0.1'), connect(running.port, '127.0.0.1')];
  const cut = once(never, 'close');
  for (const socket of [finished, never]) {
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.write(head + text.slice(0, 10));
  }
  // Both are read before the signal: what is asked after them is answered.
  await fetch(`${running.url}/live`).then((reply) => reply.text());
  running.process.kill('SIGTERM');
  // Nobody can connect any more.
  for (let open = true; open; ) open = await canConnect(running.port);
  finished.write(text.slice(10));
  let reply = '';
  for await (const part of finished.setEncoding('utf8')) reply += part;
  expect(reply).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(reply).toContain('"decision":"allow"');
  expect(never.closed).toBe(false);
  await cut;
  expect(await running.ended()).toBe(0);
});

test('[RUN3] a handshake that never ends is cut off at the deadline, before its own', async () => {
  const life = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) };
  const own = await makeSvid(await makeAuthority('td.example', life), 'spiffe://td.example/placet', life);
  const put = (name: string, text: string): string => {
    mkdirSync(join(folder.path, '.tls'), { recursive: true });
    const path = join(folder.path, '.tls', name);
    writeFileSync(path, text);
    return path;
  };
  const tls = { certificate: put('own.pem', own.certificate), key: put('own-key.pem', own.key) };
  const callers = [{ loopback: true, roles: ['decide'] }];
  const config = put('placet.yaml', JSON.stringify({ policies: [folder.path], tls, callers, drainTime: 1 }));
  running = await start('--config', config);
  const socket = connect(running.port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  const since = performance.now();
  running.process.kill('SIGTERM');
  expect(await running.ended()).toBe(0);
  expect(performance.now() - since).toBeLessThan(secured.handshakeTimeout - 2_000);
});

test('[RUN3] a second signal ends it at once', async () => {
  running = await start('--policies', folder.path, '--set', 'drainTime=3600');
  const socket = connect(running.port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write('POST /decide HTTP/1.1\r\nhost: localhost\r\n');
  await once(socket, 'connect');
  await fetch(`${running.url}/live`).then((reply) => reply.text());
  running.process.kill('SIGTERM');
  for (let open = true; open; ) open = await canConnect(running.port);
  running.process.kill('SIGTERM');
  expect(await running.ended()).toBe(128 + 15);
  socket.destroy();
});

test('[LIVE7] with policies that have problems it says all of them, once, and ends with 1', async () => {
  folder.put('b.yaml', policy('b', 'forbid'));
  folder.put('c.yaml', 'type: [');
  for (const flags of [[], ['--workers', '3']]) {
    const refused = await start('--policies', folder.path, ...flags).catch((error: Error) => error.message);
    expect(refused).toMatch(/^it ended with 1:/);
    expect(String(refused).match(/b\.yaml:5:11: error/g)).toHaveLength(1);
    expect(String(refused).match(/c\.yaml:\d+:\d+: error/g)).toHaveLength(1);
  }
});

describe('a start that fails leaves nothing open', () => {
  /** What is still followed would keep it alive. */
  const startInTime = (...flags: readonly string[]) => startBy(['timeout', '-s', 'KILL', '50'], ...flags);
  let agent: TestServer;
  beforeEach(async () => {
    agent = await new TestServer().listen();
    agent.answers.FetchX509Bundles = (call) => call.say(bundles);
  });
  afterEach(() => agent.remove());
  const workloadApi = () => ['--set', `workloadApi=unix://${agent.path}`];
  const broken = /^it ended with 1:\n.*b\.yaml:5:11: error/s;

  test.each(['1', '2'])('[LIVE7] with a Workload API it ends too, by %s workers', async (workers) => {
    folder.put('b.yaml', policy('b', 'forbid'));
    await expect(
      startInTime('--policies', folder.path, '--workers', workers, ...workloadApi()),
    ).rejects.toThrow(broken);
    expect(agent.callsOf('FetchX509Bundles').length).toBeGreaterThan(0);
    await expect.poll(() => agent.connections).toBe(0);
  });

  test('[LIVE7] with a cluster it ends too', async () => {
    folder.put('b.yaml', policy('b', 'forbid'));
    // It takes every connection and never says a word.
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const server = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const cluster = { name: 'c', cluster: { server } };
    const context = { name: 'c', context: { cluster: 'c', user: 'u' } };
    const users = [{ name: 'u', user: { token: 't' } }];
    const text = { clusters: [cluster], contexts: [context], users, 'current-context': 'c' };
    writeFileSync(join(folder.path, '.kubeconfig'), JSON.stringify(text));
    const kubernetes = ['--set', `kubernetes.kubeconfig=${join(folder.path, '.kubeconfig')}`];
    await expect(startInTime('--policies', folder.path, ...kubernetes)).rejects.toThrow(broken);
    silent.close();
  });

  test('[LIVE7] with policies that are good, and something else that is not, it ends too', async () => {
    const log = ['--set', 'log.to=stdout', '--set', `log.saltFile=${join(folder.path, 'none')}`];
    await expect(startInTime('--policies', folder.path, ...log, ...workloadApi())).rejects.toThrow(
      /^it ended with 1:\nplacet: .*none: cannot be read: no such file/,
    );
  });
});

test('[RUN4] if it cannot begin it ends with the same code by workers', async () => {
  for (const workers of ['1', '2'])
    await expect(
      start('--policies', folder.path, '--set', 'tls=workload-api', '--workers', workers),
    ).rejects.toThrow(/^it ended with 2:\nplacet: tls: no Workload API was named\n/);
});
