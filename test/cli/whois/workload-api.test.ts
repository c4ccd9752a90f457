import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { signer } from '../../attributes/jwt/tokens.ts';
import { bundleMessage, ders, TestServer } from '../../attributes/workload-api/server.ts';
import { type Authority, authority, svid } from '../../support/certificates/index.ts';
import { run } from '../world.ts';

const folder = mkdtempSync(join(tmpdir(), 'placet-whois-'));
const at = (name: string) => join(folder, name);
const id = 'spiffe://td.example/ns/shop/sa/web';
const key = signer();
const keySet = JSON.stringify({ keys: [{ kid: key.kid, ...key.publicKey.export({ format: 'jwk' }) }] });
const server = new TestServer();
let home: Authority;
let token: string;
beforeAll(async () => {
  await server.listen();
  home = await authority('td.example');
  writeFileSync(at('web.pem'), (await svid(home, id)).chain);
  writeFileSync(at('roots.pem'), home.bundle);
  const exp = Math.floor(Date.now() / 1000) + 600;
  token = await key.sign({ sub: id, aud: ['placet'], exp });
  x509();
  server.answers.FetchJWTBundles = (call) => call.say(bundleMessage(1, { 'spiffe://td.example': keySet }));
});
afterEach(() => {
  vi.unstubAllEnvs();
  x509();
  server.calls.splice(0);
});
afterAll(async () => {
  await server.remove();
  rmSync(folder, { recursive: true });
});

const x509 = (others: Readonly<Record<string, string>> = {}) => {
  server.answers.FetchX509Bundles = (call) =>
    call.say(bundleMessage(2, { 'spiffe://td.example': ders(home.bundle), ...others }));
};
const socket = () => `unix://${server.path}`;
const cert = () => ['whois', '--cert', at('web.pem')];
const asked = () => server.calls.map(({ method }) => method);

it('[WL11] a certificate is verified with the bundle that the Workload API has', async () => {
  const { code, out } = await run([...cert(), '--workload-api', socket()]);
  expect([code, out]).toEqual([0, expect.stringContaining(id)]);
  expect(asked()).toEqual(['FetchX509Bundles']);
});

it('[WL11] and a token with its keys', async () => {
  const args = ['whois', '--jwt', token, '--audience', 'placet', '--workload-api', socket()];
  expect(await run(args)).toMatchObject({ code: 0, out: expect.stringContaining(id) });
  expect(asked()).toEqual(['FetchJWTBundles']);
});

it('[WL11] SPIFFE_ENDPOINT_SOCKET says where it is, unless there are files or another place', async () => {
  vi.stubEnv('SPIFFE_ENDPOINT_SOCKET', socket());
  expect(await run(cert())).toMatchObject({ code: 0 });
  expect(await run([...cert(), '--workload-api'])).toMatchObject({ code: 0 });
  expect(asked()).toHaveLength(2);
  vi.stubEnv('SPIFFE_ENDPOINT_SOCKET', 'unix:///nowhere');
  expect(await run([...cert(), '--workload-api', socket()])).toMatchObject({ code: 0 });
  expect(await run([...cert(), '--bundle', `td.example=${at('roots.pem')}`])).toMatchObject({ code: 0 });
  expect(await run(['whois', '--ip', '10.0.0.1'])).toMatchObject({ code: 0 });
  expect(asked()).toHaveLength(3);
  expect(await run(cert())).toMatchObject({
    code: 1,
    err: expect.stringMatching(/the Workload API at unix:\/\/\/nowhere: .*cannot be reached/),
  });
  vi.stubEnv('SPIFFE_ENDPOINT_SOCKET', '');
  expect(await run(cert())).toMatchObject({ code: 1, out: expect.stringContaining('there is no bundle') });
});

it('[WL11] no place, and one that is none, are mistakes of the command line', async () => {
  vi.stubEnv('SPIFFE_ENDPOINT_SOCKET', undefined);
  expect(await run([...cert(), '--workload-api'])).toMatchObject({
    code: 2,
    err: expect.stringMatching(/no Workload API was named/),
  });
  expect(await run([...cert(), '--workload-api', '/run/agent.sock'])).toMatchObject({
    code: 2,
    err: expect.stringMatching(/want unix:\/\/\/path/),
  });
});

it('[WL11] a bundle that is unsound is named, and a server that denies ends the command', async () => {
  x509({ 'spiffe://other.example': 'garbage' });
  expect(await run([...cert(), '--workload-api', socket()])).toMatchObject({
    code: 1,
    out: expect.stringMatching(/spiffe:id.*the bundle of other\.example is refused \(encoding\)/s),
  });
  server.answers.FetchX509Bundles = (call) => call.end(7, 'no identity issued');
  expect(await run([...cert(), '--workload-api', socket()])).toMatchObject({
    code: 1,
    err: expect.stringMatching(/PermissionDenied: no identity issued/),
  });
});
