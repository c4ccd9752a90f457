import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { Agent, request as ask } from 'node:https';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Authority, type Issued, makeAuthority, makeSvid } from '../../../src/attributes/x509/make.ts';
import { policy, request } from '../../gateway/live/documents.ts';
import { type Folder, temporary } from '../../gateway/live/opening.ts';
import { type Running, start } from './process.ts';

const trustDomain = 'mesh.example';
const idOf = (name: string) => `spiffe://${trustDomain}/ns/${name}/sa/${name}`;
const hour = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) };

let folder: Folder;
let authority: Authority;
let gateway: Issued;
let running: Running;
const at = (name: string) => join(folder.path, '.tls', name);

beforeEach(async () => {
  folder = temporary();
  folder.put('a.yaml', policy('a'));
  mkdirSync(at(''));
  authority = await makeAuthority(trustDomain, hour);
  gateway = await makeSvid(authority, idOf('gateway'), hour);
  const own = await makeSvid(authority, idOf('placet'), hour);
  put('own.pem', own.certificate);
  put('own-key.pem', own.key);
  put('bundle.pem', authority.certificate);
  put(
    'placet.yaml',
    JSON.stringify({
      policies: [join(folder.path, 'a.yaml')],
      tls: { certificate: at('own.pem'), key: at('own-key.pem') },
      bundles: { [trustDomain]: at('bundle.pem') },
      callers: [{ spiffeId: idOf('gateway'), roles: ['decide', 'assert'] }],
      limits: { turn: 60 },
      log: { to: 'none' },
    }),
  );
});
afterEach(() => {
  running?.process.kill('SIGKILL');
  folder.remove();
});

/** In one step, as those write who know that somebody reads. */
function put(name: string, text: string): void {
  writeFileSync(at('.new'), text);
  renameSync(at('.new'), at(name));
}

interface Reply {
  readonly status: number;
  /** The fingerprint of the certificate that the service showed. */
  readonly shown: string;
}

/** Asks by a connection of its own, or by the one that an agent keeps. */
function decide(client: Issued, authorities: readonly string[], agent = new Agent()): Promise<Reply> {
  const text = JSON.stringify(request);
  return new Promise((resolve, reject) => {
    const asked = ask(
      {
        agent,
        port: running.port,
        host: '127.0.0.1',
        path: '/decide',
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
        cert: client.certificate,
        key: client.key,
        ca: [...authorities],
        // Services of a mesh have IDs, not host names.
        checkServerIdentity: (_, { subjectaltname }) =>
          subjectaltname === `URI:${idOf('placet')}` ? undefined : new Error(`got ${subjectaltname}`),
      },
      (reply) => {
        const { fingerprint256 } = (reply.socket as TLSSocket).getPeerX509Certificate()!;
        reply.on('error', reject);
        reply.on('end', () => resolve({ status: reply.statusCode ?? 0, shown: fingerprint256 }));
        reply.resume();
      },
    );
    asked.on('error', reject);
    asked.end(text);
  });
}

test('[CALL8] our certificate is replaced under load, by files that do not fit each other for a moment: no request fails', async () => {
  running = await start('--config', at('placet.yaml'));
  const replies: Reply[] = [];
  let over = false;
  const clients = [true, true, false, false].map(async (keepAlive) => {
    const kept = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!over)
      replies.push(await decide(gateway, [authority.certificate], keepAlive ? kept : new Agent()));
    kept.destroy();
  });
  const before = await decide(gateway, [authority.certificate]);
  for (let i = 0; i < 3; i++) {
    const own = await makeSvid(authority, idOf('placet'), hour);
    const said = running.lines.length;
    put('own.pem', own.certificate);
    // Half of it is there when somebody looks.
    await running.said(/^tls: the last good certificate stays in use/, said);
    put('own-key.pem', own.key);
    await running.said(/^tls: the new certificate is in use$/, said);
  }
  const after = await decide(gateway, [authority.certificate]);
  over = true;
  await Promise.all(clients);
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  // Those that keep their connections see the first to the end, the others all of them.
  expect(new Set(replies.map(({ shown }) => shown)).size).toBe(4);
  expect(after.shown).not.toBe(before.shown);
});

test('[CALL1] [B3] the authority of clients is replaced: the old ones are refused on connections that are open, too', async () => {
  running = await start('--config', at('placet.yaml'));
  const next = await makeAuthority(trustDomain, hour);
  const other = await makeSvid(next, idOf('gateway'), hour);
  const trusted = [authority.certificate];
  const agents = [gateway, other].map((client) => ({
    client,
    agent: new Agent({ keepAlive: true, maxSockets: 1 }),
  }));
  const statuses = () =>
    Promise.all(agents.map(async ({ client, agent }) => (await decide(client, trusted, agent)).status));
  const until = async (wanted: readonly number[]): Promise<void> => {
    while ((await statuses()).join() !== wanted.join());
  };
  expect(await statuses()).toEqual([200, 401]);
  put('bundle.pem', authority.certificate + next.certificate);
  await until([200, 200]);
  put('bundle.pem', next.certificate);
  await until([401, 200]);
  for (const { agent } of agents) agent.destroy();
});
