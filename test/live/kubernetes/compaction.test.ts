import { afterAll, beforeAll, expect } from 'vitest';
import { live } from '../../live.ts';
import { openCluster, type TestCluster } from '../../support/kubernetes/cluster.ts';
import { crowd } from '../../support/kubernetes/crowd.ts';
import { follow } from '../../support/kubernetes/follow.ts';
import { jsonStorage, openLoad } from '../../support/kubernetes/load.ts';
import { etcd, kubeApiserver } from '../../support/kubernetes/programs/recipes.ts';
import { openProxy } from '../../support/kubernetes/proxy.ts';
import { programsMissing } from '../../support/programs/missing.ts';

const missing = programsMissing([etcd, kubeApiserver]);
let cluster: TestCluster;

beforeAll(async () => {
  if (missing !== undefined) return;
  // With a cache the API server could read on from memory.
  cluster = await openCluster({ args: [jsonStorage, '--watch-cache=false'] });
});
afterAll(async () => {
  await cluster?.stop();
});

interface Page {
  readonly metadata: { readonly continue: string; readonly resourceVersion: string };
}

live(missing, '[K4] a list whose rest is gone from the store is begun again', async () => {
  const { api } = cluster;
  const many = await crowd(cluster, 'shop');
  const load = openLoad(cluster);
  const proxy = await openProxy(cluster);
  await load.write(many.all(100, 'first'));
  const page = () => api.get<Page>('/api/v1/pods?limit=20');
  const begun = await page();
  proxy.hold('continue=');
  const following = await follow(cluster, { server: proxy.server, pageSize: 20 });
  await expect.poll(() => proxy.held, { timeout: 20_000 }).toBe(1);

  await load.write([...many.all(50, 'second'), many.gone(60), many.gone(99)]);
  await load.compact((await page()).metadata.resourceVersion);
  await expect(
    api.get(`/api/v1/pods?limit=20&continue=${encodeURIComponent(begun.metadata.continue)}`),
  ).rejects.toMatchObject({ status: 410 });
  expect(following.source.view()).toBeUndefined();
  proxy.release();
  await following.agrees();
  expect(following.lists()).toBe(1);

  await following.stop();
  proxy.stop();
  load.stop();
});
