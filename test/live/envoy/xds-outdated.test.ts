import { afterEach, describe, expect } from 'vitest';
import type { EnvoyPage } from '../../../src/gateway/inspect/envoys.ts';
import { live } from '../../live.ts';
import { svid } from '../../support/certificates/index.ts';
import { askHttp } from '../../support/envoy/http-client.ts';
import { envoyMissing } from '../../support/envoy/program.ts';
import { openWorld } from './xds-of-files.ts';

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
      const world = await openWorld(policies('http', 'job'), closing);
      const { home, write } = world;
      const serve = async () => {
        const { url, end } = await world.serve();
        const get = async (path: string) => await (await fetch(url + path)).json();
        const state = async () => ((await get('/envoys')) as EnvoyPage).envoys[0]?.state;
        return { get, state, end };
      };
      const first = await serve();
      const port = await world.envoy();
      const [web, job] = [await svid(home, 'spiffe://m/web'), await svid(home, 'spiffe://m/job')];
      const codes = async () => {
        const all = [web, job].map((certificate) =>
          askHttp({ port }, { certificate }, [{ id: '', path: '/' }]),
        );
        return (await Promise.all(all)).map((one) => one?.[0]);
      };
      await expect.poll(first.state, { timeout: 20_000 }).toBe('current');
      expect(await codes()).toEqual([200, 403]);
      write(policies('tcp', 'web'));
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
      write(policies('http', 'web'));
      await expect.poll(codes, { timeout: 20_000 }).toEqual([403, 200]);
    },
    120_000,
  );
});
