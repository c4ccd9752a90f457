import { once } from 'node:events';
import type { Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect } from 'vitest';
import { createGrpcServer } from '../../../src/envoy/grpc/server.ts';
import { proxyOf } from '../../../src/envoy/xds/names.ts';
import { Renderer } from '../../../src/envoy/xds/render.ts';
import type { Catalogue, Node, Resource } from '../../../src/envoy/xds/resource.ts';
import { type Discovery, discovery } from '../../../src/envoy/xds/service.ts';
import { type Both, both } from '../../envoy/export/world.ts';
import { live } from '../../live.ts';
import { Random } from '../../oracle/random.ts';
import { authority, svid } from '../../support/certificates/index.ts';
import { askHttp } from '../../support/envoy/http-client.ts';
import { type Lab, openLab } from '../../support/envoy/lab.ts';
import { type Filter, grpcCluster, socketOf } from '../../support/envoy/listeners.ts';
import { envoyMissing } from '../../support/envoy/program.ts';
import { spiffeBundles } from '../../support/envoy/trust.ts';

/** Filters that a real Envoy gets over xDS. */

const names = ['always', 'never', 'a', 'b', 'c', 'd'] as const;
const idOf = (name: string) => `spiffe://td.example/ns/shop/sa/${name}`;
const asked = { mesh: 'default', dataplane: 'web-1', inbound: 'http' };
const name = 'placet/http/http/0';
const rbacType = 'type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBAC';
const discovered: Filter = {
  name,
  config_discovery: { config_source: { ads: {}, resource_api_version: 'V3' }, type_urls: [rbacType] },
} as unknown as Filter;

/** `always` is let in and `never` kept out; others as they come. */
function policies(random: Random): Both {
  const matcher = (one: string) => ({ spiffeID: { type: 'Exact', value: idOf(one) } });
  const some = names.slice(2).filter(() => random.chance(0.5));
  const lists = { deny: [matcher('never')], allow: ['always', ...some].map(matcher) };
  return both(
    { type: 'Dataplane', name: 'web-1', inbounds: [{ name: 'http', port: 80, protocol: 'http' }] },
    { type: 'MeshTrafficPermission', name: 'web', spec: { rules: [{ default: lists }] } },
  );
}

function allowed(set: Both): ReadonlyMap<string, boolean> {
  return new Map(
    names.map((one) => {
      const source = { spiffeId: idOf(one) };
      const request = { method: 'GET', path: '/' };
      return [one, set.engine.decide({ source, destination: asked, request }).decision === 'allow'];
    }),
  );
}

/** Policies that a test sets, and a resource that no Envoy takes. */
class Desk implements Catalogue {
  spoilt = false;
  readonly #renderer: Renderer;
  #changed: () => void = () => undefined;

  constructor(set: Both) {
    this.#renderer = new Renderer(set.exporter);
  }

  use(set: Both): void {
    this.#renderer.use(set.exporter);
    this.#changed();
  }

  spoil(): void {
    this.spoilt = true;
    this.#changed();
  }

  async render(node: Node, wanted: readonly string[]): Promise<readonly Resource[]> {
    const { resources } = this.#renderer.render(proxyOf(node), wanted);
    if (!this.spoilt) return resources;
    // An RBAC filter whose matcher has neither a list nor a tree to look in, but a broken one.
    return resources.map((one) => ({ ...one, version: 'spoilt', bytes: Buffer.from([0x0a, 0x02, 0xff]) }));
  }

  onChange(changed: () => void): () => void {
    this.#changed = changed;
    return () => undefined;
  }
}

interface Serving extends Discovery {
  readonly refused: string[];
  readonly port: number;
  readonly server: Http2Server;
}

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function serve(catalogue: Catalogue, port = 0): Promise<Serving> {
  const refused: string[] = [];
  const made = discovery({
    catalogue,
    onRefused: (_, which, words) => refused.push(`${which}: ${words}`),
    onFailed: (_, error) => {
      throw error;
    },
  });
  const server = createGrpcServer({ methods: made.methods });
  const sessions = new Set<{ destroy(): void }>();
  server.on('session', (session) => sessions.add(session));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const stop = () => {
    for (const session of sessions) session.destroy();
    server.close();
  };
  closing.push(stop);
  return Object.assign(made, { refused, port: (server.address() as AddressInfo).port, server, stop });
}

async function envoy(port: number, form: 'GRPC' | 'DELTA_GRPC', node = 'default/web-1'): Promise<Lab> {
  const home = await authority('td.example');
  const lab = await openLab(
    [{ name: 'web', kind: 'http', filters: [discovered], trust: spiffeBundles(home) }],
    { clusters: [grpcCluster('placet', port)], node, discovery: { cluster: 'placet', form } },
  );
  closing.push(() => lab.stop());
  homes.set(lab, home);
  return lab;
}

const homes = new WeakMap<Lab, Awaited<ReturnType<typeof authority>>>();

async function codes(lab: Lab, who: string, count: number): Promise<readonly number[] | undefined> {
  const certificate = await svid(homes.get(lab)!, idOf(who));
  const path = socketOf(lab.envoy.folder, 0);
  return await askHttp(
    { path },
    { certificate },
    Array.from({ length: count }, () => ({ id: '', path: '/' })),
  );
}

describe('xDS and a real Envoy', () => {
  for (const form of ['GRPC', 'DELTA_GRPC'] as const)
    live(
      envoyMissing,
      `[XDS8] 1,000 changes under traffic by ${form}: old or new verdicts, no connection lost, the last within a second`,
      async () => {
        const changes = 1_000;
        const random = new Random(30);
        const sets = Array.from({ length: changes + 1 }, () => policies(random));
        const verdicts = sets.map(allowed);
        const desk = new Desk(sets[0]!);
        const service = await serve(desk);
        const lab = await envoy(service.port, form);
        const uses = () => service.nodes()[0]?.uses.get(name);
        await expect.poll(uses, { timeout: 20_000 }).toBeDefined();
        let [set, over, requests, lost] = [0, false, 0, 0];
        // The newest that the node has taken, by the version that it says.
        const numbers = new Map<string, number>();
        const wrong: string[] = [];
        const known = () => numbers.get(uses() ?? '') ?? 0;
        const renderer = new Renderer(sets[0]!.exporter);
        const traffic = names.map(async (one) => {
          while (!over) {
            const from = known();
            const answers = await codes(lab, one, 24);
            const until = set;
            if (answers === undefined) lost++;
            for (const code of answers ?? []) {
              const possible = verdicts.slice(from, until + 1).map((all) => all.get(one));
              if (!possible.includes(code === 200))
                wrong.push(`${one}: ${code} between ${from} and ${until}`);
              requests++;
            }
          }
        });
        for (let number = 1; number <= changes; number++) {
          renderer.use(sets[number]!.exporter);
          const [resource] = renderer.render({ mesh: 'default', dataplane: 'web-1' }, [name]).resources;
          set = number;
          desk.use(sets[number]!);
          numbers.set(resource!.version, number);
          await new Promise((resolve) => setTimeout(resolve, 3));
        }
        const last = renderer.render({ mesh: 'default', dataplane: 'web-1' }, [name]).resources[0]!.version;
        await expect.poll(uses, { timeout: 1_000, interval: 10 }).toBe(last);
        over = true;
        await Promise.all(traffic);
        console.log(
          `${form}: ${changes} changes, ${requests} requests, ${wrong.length} wrong, ${lost} connections lost`,
        );
        expect([wrong, lost, service.refused]).toEqual([[], 0, []]);
        expect(requests).toBeGreaterThan(1_000);
      },
      300_000,
    );

  live(
    envoyMissing,
    '[XDS8] a resource that is no good is refused in Envoy’s words, and the one before stays',
    async () => {
      const set = policies(new Random(1));
      const desk = new Desk(set);
      const service = await serve(desk);
      const lab = await envoy(service.port, 'GRPC');
      await expect.poll(() => service.nodes()[0]?.uses.size, { timeout: 20_000 }).toBe(1);
      const before = service.nodes()[0]!.uses.get(name);
      desk.spoil();
      await expect.poll(() => service.refused.length, { timeout: 20_000 }).toBe(1);
      expect(service.refused[0]).toMatch(/^placet\/http\/http\/0: .{10}/);
      expect(service.nodes()[0]!.uses.get(name)).toBe(before);
      expect((await codes(lab, 'always', 3))?.map((code) => code)).toEqual([200, 200, 200]);
      expect(await codes(lab, 'never', 1)).toEqual([403]);
    },
    120_000,
  );

  live(
    envoyMissing,
    '[XDS2] [XDS8] a dataplane that nobody knows lets nobody in, from the first request on',
    async () => {
      const service = await serve(new Desk(policies(new Random(1))));
      const lab = await envoy(service.port, 'GRPC', 'default/nobody');
      await expect.poll(() => service.nodes()[0]?.uses.size, { timeout: 20_000 }).toBe(1);
      expect(await codes(lab, 'always', 2)).toEqual([403, 403]);
    },
    120_000,
  );

  live(
    envoyMissing,
    '[XDS8] without Placet an Envoy goes on deciding, and hears again what changed when it is back',
    async () => {
      const random = new Random(2);
      const [old, next] = [policies(random), policies(random)];
      const service = await serve(new Desk(old));
      const lab = await envoy(service.port, 'DELTA_GRPC');
      await expect.poll(() => service.nodes()[0]?.uses.size, { timeout: 20_000 }).toBe(1);
      const closed = once(service.server, 'close');
      (service as unknown as { stop(): void }).stop();
      await closed;
      expect(await codes(lab, 'always', 2)).toEqual([200, 200]);
      const again = await serve(new Desk(next), service.port);
      await expect.poll(() => again.nodes()[0]?.uses.size, { timeout: 30_000 }).toBe(1);
      const verdicts = allowed(next);
      for (const one of names) expect(await codes(lab, one, 1)).toEqual([verdicts.get(one) ? 200 : 403]);
    },
    120_000,
  );
});
