import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { readAnswer } from '../../../src/attributes/kubernetes/answers.ts';
import { connect } from '../../../src/attributes/kubernetes/client.ts';
import { live } from '../../live.ts';
import { Random } from '../../oracle/random.ts';
import { openCluster, type TestCluster } from '../../support/kubernetes/cluster.ts';
import { type Crowd, crowd } from '../../support/kubernetes/crowd.ts';
import { type Following, follow } from '../../support/kubernetes/follow.ts';
import { jsonStorage, type Load, openLoad, type Stored } from '../../support/kubernetes/load.ts';
import { etcd, kubeApiserver } from '../../support/kubernetes/programs/recipes.ts';
import { openProxy, type ProxyServer } from '../../support/kubernetes/proxy.ts';
import { programsMissing } from '../../support/programs/missing.ts';

/**
 * Ten thousand pods, changed as fast as the machine can write (2,000 changes a second and more); afterwards nothing may
 * differ.
 */

// Machines that do much else besides take their time.
vi.setConfig({ testTimeout: 240_000 });

const missing = programsMissing([etcd, kubeApiserver]);
const pods = 10_000;
let cluster: TestCluster;
let load: Load;
let many: Crowd;
let proxy: ProxyServer;
let following: Following | undefined;

beforeAll(async () => {
  if (missing !== undefined) return;
  cluster = await openCluster({ args: [jsonStorage] });
  many = await crowd(cluster, 'shop');
  load = openLoad(cluster);
  proxy = await openProxy(cluster);
  await load.write(many.all(pods, 'first'));
});
afterAll(async () => {
  await following?.stop();
  proxy?.stop();
  load?.stop();
  await cluster?.stop();
});

/** Labels that change, pods that go and come back. */
function* storm(random: Random, count: number): Generator<Stored> {
  for (let at = 0; at < count; at++) {
    const index = random.below(pods);
    yield random.chance(0.1) ? many.gone(index) : many.pod(index, `storm-${at}`);
  }
}

describe('storms', () => {
  live(missing, '[K4] ten thousand pods are known as they are listed', async () => {
    following = await follow(cluster, { probe: 50 });
    await following.agrees();
    expect(following.source.pods.size).toBe(pods + 1);
  });

  live(
    missing,
    '[K4] thousands of changes a second, and nobody is misled by what a probe says meanwhile',
    async () => {
      const before = following!.source.pods.version;
      await load.write(storm(new Random(3), 10_000));
      await following!.agrees();
      expect(following!.source.pods.version - before).toBeGreaterThan(8_000);
      expect(following!.lists()).toBe(1);
      expect(following!.errors()).toBe('; ');
      await following!.stop();
    },
  );

  live(missing, '[K3] a watch that is cut at any byte, over and over, under changes', async () => {
    const random = new Random(4);
    const before = proxy.unanswered;
    following = await follow(cluster, { server: proxy.server });
    await following.agrees();
    proxy.cutWatches(() => random.between(1, 40_000));
    proxy.cut();
    await load.write(storm(new Random(5), 5_000));
    await expect.poll(() => proxy.cuts, { timeout: 30_000 }).toBeGreaterThan(20);
    proxy.cutWatches(undefined);
    await following.agrees();
    expect(following.lists()).toBeGreaterThanOrEqual(1);
    // Within its head a watch is not answered yet, and whoever could not be reached is listed again (K4).
    expect(following.lists()).toBeLessThanOrEqual(1 + proxy.unanswered - before);
  });

  live(missing, '[K4] over a slow line, with the connection lost in the middle of lists', async () => {
    proxy.slow(4_000_000);
    const slow = await follow(cluster, { server: proxy.server, pageSize: 200 });
    await load.write(storm(new Random(6), 1_000));
    await expect.poll(() => slow.source.status[0]?.lists).toBe(0);
    proxy.cut();
    await load.write(storm(new Random(7), 1_000));
    await slow.agrees();
    proxy.slow(undefined);
    await slow.stop();
  });

  live(missing, '[K3] an answer that stands still in the middle is given up', async () => {
    const api = await connect({ kubeconfig: cluster.kubeconfig('admin', proxy.server) });
    proxy.slow(20_000);
    const response = await api.send('/api/v1/pods?limit=500', { timeout: 500 });
    proxy.hold();
    await expect(readAnswer(response)).rejects.toThrow();
    proxy.release();
    proxy.slow(undefined);
  });
});
