import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect } from 'vitest';
import { modes } from '../../../src/envoy/export/modes.ts';
import { run } from '../../cli/world.ts';
import { live } from '../../live.ts';
import {
  type Authority,
  authority,
  type Certificate,
  svid,
  tagCertificate,
} from '../../support/certificates/index.ts';
import { askHttp } from '../../support/envoy/http-client.ts';
import {
  freePort,
  logged,
  type Standing,
  serveFor,
  startMode,
  upstream,
  writeTls,
} from '../../support/envoy/modes.ts';
import { askNetwork } from '../../support/envoy/network-client.ts';
import { envoyMissing } from '../../support/envoy/program.ts';
import { temporary } from '../../support/envoy/temporary.ts';

/** What `placet export envoy --mode` writes, in a real Envoy, with a real service that it asks. */

const td = 'spiffe://td';
const policies = `
type: Mesh
name: m
trustDomains: [td]
---
type: Dataplane
mesh: m
name: d
inbounds: [{ name: api, port: 80, protocol: http }, { name: db, port: 81, protocol: tcp }]
---
type: MeshTrafficPermission
mesh: m
name: web
spec:
  default:
    deny: [{ spiffeId: { type: Exact, value: "${td}/web" }, path: { type: PathPrefix, value: /admin } }]
    allow: [{ spiffeId: { type: Exact, value: "${td}/web" } }]
    allowWithShadowDeny: [{ spiffeId: { type: Exact, value: "${td}/old" } }]
---
type: MeshTrafficPermission
mesh: m
name: db
spec:
  targetRef: { kind: Dataplane, name: d, sectionName: db }
  default:
    allow: [{ spiffeId: { type: Exact, value: "${td}/app" } }]
---
type: Mesh
name: tagged
certificates: tags
---
type: Dataplane
mesh: tagged
name: t
inbounds: [{ port: 80, protocol: http }]
---
type: MeshTrafficPermission
mesh: tagged
name: by-tags
spec: { from: [{ targetRef: { kind: MeshService, name: web }, default: { action: Allow } }] }
`;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function setting() {
  const folder = temporary();
  closing.push(() => folder.remove());
  const [home, tags] = [await authority('td'), await authority('tagged')];
  writeTls(folder.path, await svid(home, `${td}/envoy`), [home, tags]);
  const file = join(folder.path, 'policies.yaml');
  writeFileSync(file, policies);
  return { folder: folder.path, home, tags, file };
}

type Setting = Awaited<ReturnType<typeof setting>>;

async function serving({ folder, file, home, tags }: Setting, more: Parameters<typeof serveFor>[3]) {
  const placet = await serveFor(folder, file, [home, tags], more);
  const stop = async () => {
    placet.process.kill('SIGTERM');
    await placet.ended();
  };
  closing.push(stop);
  return stop;
}

async function standing(
  { folder, file }: Setting,
  mode: (typeof modes)[number],
  kind: 'http' | 'network',
  words: readonly string[],
): Promise<Standing> {
  const behind = await upstream(kind);
  closing.push(() => behind.close());
  const wiring = ['--policies', file, '--tls', folder, '--upstream', `127.0.0.1:${behind.port}`];
  const made = await startMode(mode, [...wiring, ...words]);
  closing.push(() => made.envoy.stop());
  return made;
}

const effects: Readonly<Record<string, string>> = { allowed: 'allow', denied: 'deny' };

/** Status and shadow verdict of each; undefined where the handshake was refused. */
async function ask(
  { envoy, port }: Standing,
  asked: readonly (readonly [Certificate | undefined, string])[],
  from = 0,
) {
  const said: (readonly [number, string | null] | undefined)[] = [];
  for (const [certificate, path] of asked) {
    const codes = await askHttp({ port }, certificate === undefined ? {} : { certificate }, [
      { id: '', path },
    ]);
    if (codes === undefined) said.push(undefined);
    else {
      const { status = 0, shadow } = await logged(envoy, from + said.filter((one) => one).length);
      expect(status).toBe(codes[0]);
      said.push([status, shadow === null ? null : (effects[shadow] ?? shadow)]);
    }
  }
  return said;
}

async function clients(home: Authority) {
  const of = (name: string) => svid(home, `${td}/${name}`);
  const stranger = await authority('td', { generation: 1 });
  return {
    web: await of('web'),
    old: await of('old'),
    other: await of('other'),
    forged: await svid(stranger, `${td}/web`),
  };
}

const minutes = 60_000;

describe('bootstraps of three modes', () => {
  live(
    envoyMissing,
    '[MODE6] decide alike of requests; without Placet those that ask deny, and the others go on',
    async () => {
      const set = await setting();
      const socket = `unix:${set.folder}/placet`;
      const stop = await serving(set, { envoy: { listen: socket } });
      const { web, old, other, forged } = await clients(set.home);
      const asked = [
        [web, '/a?b'],
        [web, '/admin/x'],
        [web, '//a/%2e%2e/admin'],
        [web, '/a%2fb'],
        [old, '/'],
        [other, '/'],
        [forged, '/'],
        [undefined, '/'],
      ] as const;
      const envoys = new Map<string, Standing>();
      for (const mode of modes) {
        const words = ['-d', 'm/d', '--inbound', 'api', ...(mode === 'native' ? [] : ['--placet', socket])];
        const made = await standing(set, mode, 'http', words);
        envoys.set(mode, made);
        expect([mode, await ask(made, asked)]).toEqual([
          mode,
          [
            [200, 'allow'],
            [403, 'deny'],
            [403, 'deny'],
            [403, 'deny'],
            [200, 'deny'],
            [403, 'deny'],
            undefined,
            undefined,
          ],
        ]);
      }
      // What was given out is as the policies say, all around it included.
      const dump = join(set.folder, 'dump.json');
      writeFileSync(dump, await (envoys.get('xds') as Standing).envoy.admin('/config_dump'));
      const verify = ['verify', 'envoy', '--policies', set.file, '-d', 'm/d', '--inbound', 'api'];
      const verified = await run([...verify, '--listener', 'placet', '--config', dump]);
      expect([verified.code, verified.out]).toEqual([0, expect.stringContaining('as the policies say')]);
      await stop();
      const after = [];
      for (const made of envoys.values()) after.push((await ask(made, [[web, '/a']], 6))[0]?.[0]);
      expect(after).toEqual([200, 403, 200]);
    },
    3 * minutes,
  );

  live(
    envoyMissing,
    '[MODE6] decide alike of connections, and of clients with certificates of tags',
    async () => {
      const set = await setting();
      const socket = `unix:${set.folder}/placet`;
      await serving(set, { envoy: { listen: socket } });
      const { web } = await clients(set.home);
      const app = await svid(set.home, `${td}/app`);
      const byTags = [
        await tagCertificate(set.tags, 'tagged', ['web']),
        await tagCertificate(set.tags, 'tagged', ['job']),
        undefined,
      ];
      for (const mode of modes) {
        const placet = mode === 'native' ? [] : ['--placet', socket];
        const db = await standing(set, mode, 'network', ['-d', 'm/d', '--inbound', 'db', ...placet]);
        const echoed = [];
        for (const certificate of [app, await svid(set.home, `${td}/other`), undefined])
          echoed.push(
            (await askNetwork({ port: db.port }, certificate === undefined ? {} : { certificate }))?.echoed,
          );
        expect([mode, echoed]).toEqual([mode, [true, false, undefined]]);
        const tagged = await standing(set, mode, 'http', ['-d', 'tagged/t', ...placet]);
        const said = await ask(
          tagged,
          byTags.map((one) => [one, '/'] as const),
        );
        expect([mode, said.map((one) => one?.[0])]).toEqual([mode, [200, 403, undefined]]);
        // Of another mesh: no authority of this one vouches for it.
        expect(await ask(tagged, [[web, '/']], 2)).toEqual([undefined]);
        await Promise.all([db.envoy.stop(), tagged.envoy.stop()]);
      }
    },
    3 * minutes,
  );

  live(
    envoyMissing,
    '[MODE4] ask a Placet that is not near by mutual TLS, and nobody else who answers there',
    async () => {
      const set = await setting();
      const own = await svid(set.home, `${td}/placet`);
      const [certificate, key] = [join(set.folder, 'placet.pem'), join(set.folder, 'placet-key.pem')];
      writeFileSync(certificate, own.chain);
      writeFileSync(key, own.key);
      const at = `127.0.0.1:${await freePort()}`;
      await serving(set, {
        tls: { certificate, key },
        callers: [{ spiffeId: `${td}/envoy`, roles: ['decide', 'relay'] }],
        envoy: { listen: at },
      });
      const { web, other } = await clients(set.home);
      const words = ['-d', 'm/d', '--inbound', 'api', '--placet', at, '--placet-id'];
      for (const mode of ['ext_authz', 'xds'] as const) {
        const made = await standing(set, mode, 'http', [...words, `${td}/placet`]);
        const said = await ask(made, [
          [web, '/'],
          [other, '/'],
        ]);
        expect([mode, said.map((one) => one?.[0])]).toEqual([mode, [200, 403]]);
      }
      const wrong = await standing(set, 'ext_authz', 'http', [...words, `${td}/another`]);
      expect((await ask(wrong, [[web, '/']]))[0]?.[0]).toBe(403);
    },
    3 * minutes,
  );
});
