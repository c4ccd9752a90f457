import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { live } from '../../live.ts';
import { Random } from '../../oracle/random.ts';
import { type Churn, churn } from '../../support/kubernetes/churn.ts';
import type { TestClient } from '../../support/kubernetes/client.ts';
import { openCluster, type TestCluster } from '../../support/kubernetes/cluster.ts';
import { type Crowd, crowd } from '../../support/kubernetes/crowd.ts';
import { type Following, type FollowOptions, follow } from '../../support/kubernetes/follow.ts';
import { jsonStorage, type Load, openLoad } from '../../support/kubernetes/load.ts';
import {
  allow,
  createReplicaSet,
  followerRules,
  namespace,
  serviceAccount,
} from '../../support/kubernetes/objects.ts';
import { etcd, kubeApiserver } from '../../support/kubernetes/programs/recipes.ts';
import { openProxy, type ProxyServer } from '../../support/kubernetes/proxy.ts';
import { programsMissing } from '../../support/programs/missing.ts';

/** What happens to API servers and their stores; afterwards nothing may differ. */

// Machines that do much else besides take their time.
vi.setConfig({ testTimeout: 240_000 });

const missing = programsMissing([etcd, kubeApiserver]);
let cluster: TestCluster;
let api: TestClient;
let proxy: ProxyServer;
let load: Load;
let many: Crowd;
let life: Churn;
let following: Following;

beforeAll(async () => {
  if (missing !== undefined) return;
  cluster = await openCluster({ users: ['follower'], args: [jsonStorage] });
  ({ api } = cluster);
  await namespace(api, 'shop');
  for (const name of ['web', 'db']) await serviceAccount(api, 'shop', name);
  proxy = await openProxy(cluster);
  load = openLoad(cluster);
  many = await crowd(cluster, 'many');
  await createReplicaSet(api, 'many', 'model');
  life = churn(api, 'shop', new Random(11));
  await life.change(40);
});
afterAll(async () => {
  proxy?.stop();
  load?.stop();
  await cluster?.stop();
});

/** Follows, does this, and stops. */
async function during(options: FollowOptions, work: () => Promise<void>): Promise<void> {
  following = await follow(cluster, { probe: 100, ...options });
  try {
    await following.agrees();
    await work();
    await following.agrees();
  } finally {
    await following.stop();
  }
}
const versionNow = async () => (await api.get('/api/v1/pods?limit=1')).metadata.resourceVersion;

/** Pods and their owners change all the time, so that the server always says how far it is. */
async function ticking<T>(work: () => Promise<T>): Promise<T> {
  const paths = ['/api/v1/namespaces/many/pods/model', '/apis/apps/v1/namespaces/many/replicasets/model'];
  let ticks = 0;
  let last: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    const body = { metadata: { labels: { tick: String(ticks++) } } };
    last = Promise.allSettled(paths.map((path) => api.patch(path, body)));
  }, 150);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    await last;
  }
}

describe('outages', () => {
  live(missing, '[K4] the API server is killed and started again, under changes', () =>
    during({}, async () => {
      for (let round = 0; round < 3; round++) {
        const before = following.source.pods.version;
        const changing = life.change(80);
        await expect.poll(() => following.source.pods.version).toBeGreaterThan(before + 10);
        await cluster.apiserver.kill();
        expect((await changing).refused).toBeGreaterThan(0);
        await expect.poll(() => following.errors()).toContain('ECONNREFUSED');
        await cluster.apiserver.start();
        await life.change(20);
        await following.agrees();
      }
    }),
  );

  live(missing, '[K4] the server no longer reaches back to where the watch was', () =>
    during({ server: proxy.server }, async () => {
      const [version, lists] = [await versionNow(), following.lists()];
      proxy.hold();
      proxy.cut();
      await expect.poll(() => proxy.held).toBeGreaterThan(0);
      await load.write(many.all(200, 'behind its back'));
      await cluster.apiserver.kill();
      await cluster.apiserver.start();
      await life.change(20);
      const watch = `/api/v1/pods?watch=1&timeoutSeconds=1&resourceVersion=${version}`;
      expect(await api.get(watch)).toMatchObject({ type: 'ERROR', object: { code: 410 } });
      expect(following.lists()).toBe(lists);
      proxy.release();
      await following.agrees();
      expect(following.lists()).toBe(lists + 1);
    }),
  );

  live(missing, '[K4] the store is put back to an older state', async () => {
    const restore = await cluster.backup();
    const apart = async () => {
      await load.write(many.all(300, 'never was'));
      await life.change(50);
      await following.agrees();
    };
    await during({}, async () => {
      await apart();
      await restore();
    });
    // Further on than it was when it is seen again, with the versions that it had, of other contents.
    await during({ server: proxy.server }, async () => {
      await apart();
      const version = Number(await versionNow());
      proxy.refuse(true);
      await restore();
      await load.write(many.all(1_500, 'something else'));
      expect(Number(await versionNow())).toBeGreaterThan(version);
      proxy.refuse(false);
    });
    // The watch goes on where the new history has not come to yet, and nothing says so but a probe.
    await during({ server: proxy.server }, async () => {
      await apart();
      proxy.hold();
      proxy.cut();
      await expect.poll(() => proxy.held).toBeGreaterThan(0);
      await restore();
      proxy.release();
    });
  });

  live(missing, '[K4] a permission is taken away and given back', async () => {
    await allow(api, 'follower', followerRules);
    await during({ user: 'follower', server: proxy.server, maxStaleness: 5_000 }, () =>
      ticking(async () => {
        await following.agrees();
        await allow(api, 'follower', []);
        await expect
          .poll(() => following.errors(), { timeout: 10_000 })
          .toContain('cannot list resource "pods"');
        proxy.cut();
        await life.change(20);
        await expect
          .poll(() => following.source.unready(), { timeout: 20_000 })
          .toMatch(/^what is known of the cluster is \S+ s old, want at most 5.0 s \(.*pods is forbidden/);
        await allow(api, 'follower', followerRules);
        await following.agrees();
      }),
    );
  });

  live(missing, '[K4] the API server stands still and goes on', () =>
    during({}, async () => {
      const before = following.source.age() ?? 0;
      cluster.apiserver.pause();
      const changing = life.change(20);
      await expect.poll(() => following.source.age(), { timeout: 20_000 }).toBeGreaterThan(before + 3_000);
      cluster.apiserver.resume();
      await changing;
    }),
  );

  live(
    missing,
    '[K5] what is known is believed for so long and no longer, whatever the clock on the wall says',
    () =>
      during({ maxStaleness: 4_000 }, () =>
        ticking(async () => {
          const day = 86_400_000;
          const atAnyTime = (check: () => void) => {
            for (const off of [-day, 0, day]) {
              vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + off });
              try {
                check();
              } finally {
                vi.useRealTimers();
              }
            }
          };
          await following.agrees();
          atAnyTime(() => expect(following.source.unready()).toBeUndefined());
          await cluster.apiserver.kill();
          atAnyTime(() => expect(following.source.view()).toBeDefined());
          await expect.poll(() => following.source.view(), { timeout: 20_000 }).toBeUndefined();
          expect(following.source.age()).toBeGreaterThan(4_000);
          atAnyTime(() => expect(following.source.view()).toBeUndefined());
          expect(following.source.unready()).toMatch(/ s old, want at most 4.0 s \(.*ECONNREFUSED/);
          await cluster.apiserver.start();
          await following.agrees();
          expect(following.source.unready()).toBeUndefined();
        }),
      ),
  );
});
