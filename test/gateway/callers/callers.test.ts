import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request, type Server } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Bundle } from '../../../src/attributes/bundles/bundle.ts';
import { readBundle } from '../../../src/attributes/bundles/document.ts';
import { Bundles } from '../../../src/attributes/bundles/store.ts';
import { type Issued, makeAuthority, makeSvid } from '../../../src/attributes/x509/make.ts';
import { X509Verifier } from '../../../src/attributes/x509/verifier.ts';
import { accessOf } from '../../../src/cli/serve/access.ts';
import { type Address, readAddress } from '../../../src/cli/serve/address.ts';
import { callersOf } from '../../../src/cli/serve/callers.ts';
import { type CallerRule, configSchema } from '../../../src/cli/serve/config-schema.ts';
import { followPair, openPair } from '../../../src/cli/serve/tls.ts';
import { isLoopbackHost } from '../../../src/gateway/http/host.ts';
import { signer, unsigned } from '../../attributes/jwt/tokens.ts';
import { authority, intermediate, svid } from '../../support/certificates/index.ts';
import { openWorld } from '../world.ts';

const folder = mkdtempSync(join(tmpdir(), 'placet-callers-'));
const at = (name: string) => join(folder, name);
const validity = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) };
const gateway = 'spiffe://td.example/ns/gateways/sa/eu';
const rules: readonly CallerRule[] = [
  { spiffeId: gateway, roles: ['decide', 'relay'] },
  { spiffeIdPrefix: 'spiffe://td.example/ns/gateways', roles: ['explain'] },
  { serviceAccount: 'shop/web', roles: ['decide'] },
];
const bundles = new Bundles();
const jwt = signer();
const files = { certificate: at('server.pem'), key: at('server.key') };

let rootBundle: Bundle;
let server: Server;
let follow: { close(): void };
let port: number;
const said: string[] = [];
const clients: Record<string, { cert: string; key: string }> = {};

function save({ certificate, key }: Issued): void {
  writeFileSync(files.certificate, certificate);
  writeFileSync(files.key, key);
}

beforeAll(async () => {
  const own = await makeAuthority('td.example', validity);
  const strange = await makeAuthority('td.example', validity);
  const load = (source: string, pem: string) => {
    const read = readBundle('td.example', pem);
    if (!read.ok) throw new Error(read.refusal.message);
    bundles.load(source, read.value, Date.now());
    return read.value;
  };
  load('own', own.certificate);
  const root = await authority('td.example');
  rootBundle = load('root', root.bundle);
  bundles.load(
    'keys',
    { trustDomain: 'td.example', authorities: [], keys: new Map([[jwt.kid, jwt.publicKey]]) },
    0,
  );
  const issue = async (name: string, by: typeof own, id: string) => {
    const { certificate, key } = await makeSvid(by, id, validity);
    clients[name] = { cert: certificate, key };
  };
  await issue('gateway', own, gateway);
  await issue('other', own, 'spiffe://td.example/ns/gateways/sa/us');
  await issue('nobody', own, 'spiffe://td.example/ns/gateways-evil/sa/eu');
  await issue('forged', strange, gateway);
  const below = await svid(await intermediate(root), gateway);
  clients['below'] = { cert: below.chain, key: below.key };
  save(await makeSvid(own, 'spiffe://td.example/placet', validity));
  const authorities = { bundles, verifier: new X509Verifier(bundles), audiences: ['placet'] };
  const review = async (token: string) =>
    token === accepted
      ? ({ ok: true, value: { namespace: 'shop', name: 'web', validUntil: 0 } } as const)
      : ({
          ok: false,
          refusal: { code: 'unauthenticated', message: 'got a token that nobody knows' },
        } as const);
  const pair = openPair(files);
  const callers = callersOf(rules, authorities, review);
  const world = await openWorld('policies/40-shadow', { callers }, { tls: pair });
  server = world.server as Server;
  port = world.port;
  follow = followPair(files, pair, server, (line) => said.push(line), 20);
});
afterAll(async () => {
  follow.close();
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

const kubernetes = (sub: string) => unsigned({ alg: 'RS256', kid: 'k' }, { sub });
const accepted = kubernetes('system:serviceaccount:shop:web');

interface Reply {
  readonly status: number | undefined;
  readonly text: string;
  readonly reused: boolean;
  readonly server: string;
}

/** `agent`: whose connections, and whose sessions, are used again. */
function ask(
  client: string | undefined,
  token?: string,
  agent = new Agent({ maxCachedSessions: 0 }),
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        port,
        path: '/decide',
        method: 'POST',
        agent,
        rejectUnauthorized: false,
        headers: {
          'content-type': 'application/json',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        ...(client === undefined ? {} : clients[client]),
      },
      (incoming) => {
        const socket = incoming.socket as TLSSocket;
        const [reused, certificate] = [socket.isSessionReused(), socket.getPeerCertificate().fingerprint256];
        let text = '';
        incoming.on('data', (chunk) => {
          text += chunk;
        });
        incoming.on('end', () => resolve({ status: incoming.statusCode, text, reused, server: certificate }));
      },
    );
    asked.on('error', reject);
    asked.end('{"destination":{"service":"shadow/api"}}');
  });
}

describe('who calls over TLS', () => {
  test('[CALL1] [CALL5] a certificate is verified by the bundles, and named by the configuration', async () => {
    expect((await ask('gateway')).status).toBe(200);
    expect((await ask('below')).status).toBe(200);
    const other = await ask('other');
    expect([other.status, JSON.parse(other.text).title]).toEqual([403, 'not without the role decide']);
    const nobody = await ask('nobody');
    expect([nobody.status, JSON.parse(nobody.text).title]).toEqual([403, 'no role']);
    const forged = await ask('forged');
    expect([forged.status, JSON.parse(forged.text).detail]).toEqual([
      401,
      expect.stringContaining('client certificate is refused'),
    ]);
    expect((await ask(undefined)).status).toBe(401);
  });

  test('[CALL2] every connection brings its certificates: no earlier session is taken up', async () => {
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const)
      for (const client of ['gateway', 'below']) {
        const agent = new Agent({ maxCachedSessions: 10, keepAlive: false, maxVersion });
        const replies = [];
        for (let i = 0; i < 4; i++) {
          replies.push(await ask(client, undefined, agent));
          // What was verified before is forgotten: it is verified again, by what this connection brings.
          bundles.load('root', rootBundle, Date.now());
        }
        expect(replies.map(({ status, reused }) => [status, reused])).toEqual(Array(4).fill([200, false]));
      }
  });

  test('[CALL3] a token is verified each time it comes, and decides alone', async () => {
    const now = Math.floor(Date.now() / 1_000);
    const token = (claims: object = {}) =>
      jwt.sign({ sub: gateway, aud: ['placet'], exp: now + 60, ...claims });
    const good = await token();
    expect((await ask(undefined, good)).status).toBe(200);
    expect((await ask(undefined, good)).status).toBe(200);
    expect((await ask(undefined, await token({ aud: ['other'] }))).status).toBe(401);
    expect((await ask(undefined, await token({ exp: now - 600 }))).status).toBe(401);
    expect((await ask(undefined, await token({ sub: 'spiffe://td.example/x' }))).status).toBe(403);
    // A good certificate does not make up for a bad token.
    expect((await ask('gateway', 'x.y.z')).status).toBe(401);
    // A bundle that changes is asked again.
    bundles.drop('keys', 'td.example');
    expect((await ask(undefined, good)).status).toBe(401);
    bundles.load(
      'keys',
      { trustDomain: 'td.example', authorities: [], keys: new Map([[jwt.kid, jwt.publicKey]]) },
      0,
    );
  });

  test('[CALL3] a token of Kubernetes is asked about there', async () => {
    expect((await ask(undefined, accepted)).status).toBe(200);
    const refused = await ask(undefined, kubernetes('system:serviceaccount:shop:other'));
    expect([refused.status, refused.text]).toEqual([
      401,
      expect.stringContaining('a token that nobody knows'),
    ]);
  });

  test('[CALL8] another certificate of ours is in use as soon as both its files are there, and bad ones never', async () => {
    const before = (await ask('gateway')).server;
    const next = await makeSvid(
      await makeAuthority('td.example', validity),
      'spiffe://td.example/placet',
      validity,
    );
    writeFileSync(files.certificate, next.certificate);
    await expect.poll(() => said.at(-1)).toContain('the last good certificate stays in use');
    expect((await ask('gateway')).server).toBe(before);
    save(next);
    await expect.poll(() => said.at(-1)).toBe('tls: the new certificate is in use');
    const after = await ask('gateway');
    expect([after.status, after.server === before]).toEqual([200, false]);
    // Whoever is not asked for a certificate any more would be nobody.
    expect((await ask('forged')).status).toBe(401);
  });
});

describe('where it listens', () => {
  const config = (settings: object) => configSchema.parse(settings);
  const access = (settings: { listen: string; [key: string]: unknown }) =>
    accessOf(config(settings), readAddress(settings.listen) as Address);

  test('[CALL4] whoever is on this machine may ask, if nobody else is named', () => {
    const roles = ['decide', 'relay', 'assert', 'explain'];
    for (const listen of ['127.0.0.1:8420', 'localhost:1', '[::1]:8420', '127.1.2.3:1'])
      expect(access({ listen })).toEqual([{ loopback: true, roles }]);
    expect(access({ listen: 'unix:/run/placet.sock' })).toEqual([{ socket: true, roles }]);
    const callers = [{ loopback: true, roles: ['decide'] }];
    expect(access({ listen: '127.0.0.1:1', callers })).toEqual(callers);
  });

  test('[CALL4] they are known by where they come from, and by nothing else', async () => {
    const authorities = { bundles, verifier: new X509Verifier(bundles), audiences: [] };
    const { caller } = callersOf([{ loopback: true, roles: ['decide'] }], authorities);
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1'])
      expect(caller({ certificates: [], address })).toEqual({ name: 'loopback', roles: new Set(['decide']) });
    for (const address of ['10.0.0.1', '::ffff:10.0.0.1', '::127.0.0.1', 'localhost', undefined])
      expect(caller({ certificates: [], ...(address === undefined ? {} : { address }) })).toBeUndefined();
    expect(await caller({ certificates: [], address: '127.0.0.1', token: '' })).toHaveProperty('unproved');
    const socket = callersOf([{ socket: true, roles: ['decide'] }], authorities);
    expect(socket.caller({ certificates: [] })).toEqual({ name: 'socket', roles: new Set(['decide']) });
    expect(socket.caller({ certificates: [], address: '127.0.0.1' })).toBeUndefined();
  });

  test.each<[string, object, string]>([
    ['0.0.0.0:8420', {}, 'set tls and callers'],
    ['[::]:8420', {}, 'set tls and callers'],
    ['example.org:8420', { tls: files }, 'set callers'],
    ['10.0.0.1:1', { callers: [{ spiffeId: gateway, roles: ['decide'] }] }, 'set tls'],
    [
      '10.0.0.1:1',
      { tls: files, callers: [{ loopback: true, roles: ['decide'] }] },
      'says who calls only where',
    ],
    ['127.0.0.1:1', { callers: [{ socket: true, roles: ['decide'] }] }, 'says who calls only where'],
    ['127.0.0.1:1', { callers: [{ serviceAccount: 'a/b', roles: ['decide'] }] }, 'set kubernetes'],
    ['unix:/x', { callers: [{ loopback: true, roles: ['decide'] }] }, 'says who calls only where'],
  ])('[CALL6] %s is not listened on without knowing who calls', (listen, settings, hint) => {
    expect(() => access({ listen, ...settings })).toThrow(
      expect.objectContaining({ hint: expect.stringContaining(hint) }),
    );
  });

  test('[CALL7] names of this machine are told from names that anybody can have resolved to it', () => {
    for (const host of ['localhost', 'LOCALHOST:8420', '127.0.0.1:8420', '[::1]:1', '[::1]', '127.9.9.9'])
      expect([host, isLoopbackHost(host)]).toEqual([host, true]);
    for (const host of [
      '',
      'evil.example',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      '10.0.0.1',
      'localhost:x',
      '::1',
      '127.1',
    ])
      expect([host, isLoopbackHost(host)]).toEqual([host, false]);
  });
});
