import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect } from 'vitest';
import type { EnvoyPage } from '../../../src/gateway/inspect/envoys.ts';
import { live } from '../../live.ts';
import { authority, svid } from '../../support/certificates/index.ts';
import { askHttp } from '../../support/envoy/http-client.ts';
import { serveFor, startMode, upstream, writeTls } from '../../support/envoy/modes.ts';
import { envoyMissing } from '../../support/envoy/program.ts';
import { temporary } from '../../support/envoy/temporary.ts';

/** An Envoy whose inbound is declared so that its filter cannot be exported any more. */

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const policies = (protocol: string, denied: string) => `
type: Mesh
name: m
trustDomains: [m]
---
type: Dataplane
mesh: m
name: d
inbounds: [{ name: api, port: 80, protocol: ${protocol} }]
---
type: MeshTrafficPermission
mesh: m
name: p
spec:
  default:
    allow: [{ spiffeId: { type: Prefix, value: "spiffe://m/" } }]
    deny: [{ spiffeId: { type: Exact, value: "spiffe://m/${denied}" } }]
`;

describe('what cannot be exported any more', () => {
  live(
    envoyMissing,
    '[XDS3] [XDS10] leaves an Envoy what it had, says so, and goes on when Placet begins anew',
    async () => {
      const folder = temporary();
      closing.push(() => folder.remove());
      const home = await authority('m');
      writeTls(folder.path, await svid(home, 'spiffe://m/envoy'), [home]);
      const file = join(folder.path, 'policies.yaml');
      writeFileSync(file, policies('http', 'job'));
      const listen = `unix:${folder.path}/placet`;
      const serve = async () => {
        const placet = await serveFor(folder.path, file, [home], { envoy: { listen }, log: { to: 'none' } });
        const end = async () => {
          placet.process.kill('SIGTERM');
          await placet.ended();
        };
        closing.push(end);
        const get = async (path: string) => await (await fetch(placet.url + path)).json();
        const state = async () => ((await get('/envoys')) as EnvoyPage).envoys[0]?.state;
        return { get, state, end };
      };
      const first = await serve();
      const behind = await upstream('http');
      closing.push(() => behind.close());
      const wiring = ['--policies', file, '--tls', folder.path, '--upstream', `127.0.0.1:${behind.port}`];
      const { envoy, port } = await startMode('xds', [...wiring, '-d', 'm/d', '--placet', listen]);
      closing.push(() => envoy.stop());
      const [web, job] = [await svid(home, 'spiffe://m/web'), await svid(home, 'spiffe://m/job')];
      const codes = async () => {
        const all = [web, job].map((certificate) =>
          askHttp({ port }, { certificate }, [{ id: '', path: '/' }]),
        );
        return (await Promise.all(all)).map((one) => one?.[0]);
      };
      await expect.poll(first.state, { timeout: 20_000 }).toBe('current');
      expect(await codes()).toEqual([200, 403]);
      writeFileSync(file, policies('tcp', 'web'));
      const told = async ({ get, state }: typeof first) => {
        await expect.poll(state, { timeout: 20_000 }).toBe('outdated');
        const [one] = ((await get('/envoys')) as EnvoyPage).envoys;
        expect(one?.resources.map(({ outdated, denies }) => [outdated, denies])).toEqual(
          Array.from({ length: 2 }, () => [expect.stringContaining('declared tcp'), undefined]),
        );
        const { problems } = (await get('/ready?verbose')) as { problems: { message: string }[] };
        expect(problems.map(({ message }) => message)).toContainEqual(
          expect.stringMatching(/^placet\/http\/api\/0: has an older filter: /),
        );
        expect(await codes()).toEqual([200, 403]);
      };
      await told(first);
      await first.end();
      await told(await serve());
      writeFileSync(file, policies('http', 'web'));
      await expect.poll(codes, { timeout: 20_000 }).toEqual([403, 200]);
    },
    120_000,
  );
});
