import { afterAll, beforeAll, describe, expect } from 'vitest';
import { attributesOf } from '../../../src/attributes/kubernetes/pod.ts';
import type { AddressOwner } from '../../../src/attributes/kubernetes/pods.ts';
import { live } from '../../live.ts';
import { Random } from '../../oracle/random.ts';
import { churn } from '../../support/kubernetes/churn.ts';
import type { KubeObject, TestClient } from '../../support/kubernetes/client.ts';
import { openCluster, type TestCluster } from '../../support/kubernetes/cluster.ts';
import { type Following, follow } from '../../support/kubernetes/follow.ts';
import {
  createPod,
  createReplicaSet,
  deletePod,
  namespace,
  podPath,
  runPod,
  serviceAccount,
} from '../../support/kubernetes/objects.ts';
import { etcd, kubeApiserver } from '../../support/kubernetes/programs/recipes.ts';
import { programsMissing } from '../../support/programs/missing.ts';

/** Pods of a real API server, from their beginning to their end. */

const missing = programsMissing([etcd, kubeApiserver]);
let cluster: TestCluster;
let api: TestClient;
let following: Following;

beforeAll(async () => {
  if (missing !== undefined) return;
  cluster = await openCluster();
  ({ api } = cluster);
  await namespace(api, 'shop');
  for (const name of ['web', 'db']) await serviceAccount(api, 'shop', name);
  following = await follow(cluster);
});
afterAll(async () => {
  await following?.stop();
  await cluster?.stop();
});

/** Names of those that have an address, or why nobody is known to. */
function at(address: string): string | readonly string[] | undefined {
  const owner: AddressOwner | undefined = following.source.view()?.ofAddress(address);
  if (owner?.kind === 'pod') return owner.pod.name;
  return owner?.kind === 'host' ? owner.pods.map(({ name }) => name).sort() : owner?.kind;
}
/** Waits until an address is this one's; then nothing else may differ from what the server has. */
async function belongs(address: string, to: string | readonly string[]): Promise<void> {
  await expect.poll(() => at(address), { timeout: 20_000 }).toEqual(to);
  await following.agrees();
}
const attributes = (pod: KubeObject) => {
  const view = following.source.view();
  const known = view?.byUid(pod.metadata.uid);
  return known === undefined ? undefined : attributesOf(known, view?.ownerOf(known) ?? undefined);
};

describe('the life of pods', () => {
  live(missing, '[K1] from its creation over labels and images to its end', async () => {
    const pod = await createPod(api, 'shop', {
      name: 'web-1',
      serviceAccountName: 'web',
      labels: { app: 'web' },
      images: { main: 'registry/web:1' },
    });
    await expect.poll(() => attributes(pod)?.get('k8s:label:app'), { timeout: 20_000 }).toBe('web');
    expect(at('10.1.0.1')).toBe('unknown');
    await runPod(api, 'shop', 'web-1', ['10.1.0.1']);
    await belongs('10.1.0.1', 'web-1');
    expect(
      following.source
        .view()
        ?.ofAccount('shop', 'web')
        .map(({ name }) => name),
    ).toEqual(['web-1']);

    await api.patch(podPath('shop', 'web-1'), { metadata: { labels: { app: 'shop', tier: 'front' } } });
    await expect.poll(() => attributes(pod)?.get('k8s:label:tier')).toBe('front');
    expect(attributes(pod)?.get('k8s:label:app')).toBe('shop');

    const containers = [{ name: 'main', image: 'registry/web:2' }];
    await api.put(podPath('shop', 'web-1'), {
      ...(await api.get<KubeObject & { spec: object }>(podPath('shop', 'web-1')).then((now) => ({
        ...now,
        spec: { ...now.spec, containers },
      }))),
    });
    await expect.poll(() => attributes(pod)?.get('k8s:container-image')).toBe('registry/web:2');

    await runPod(api, 'shop', 'web-1', ['10.1.0.1'], 'Succeeded');
    await belongs('10.1.0.1', 'unknown');
    expect(following.source.view()?.ofAccount('shop', 'web')).toEqual([]);
    await deletePod(api, 'shop', 'web-1');
    await expect.poll(() => attributes(pod)).toBeUndefined();
    await following.agrees();
  });

  live(
    missing,
    '[K1] an address that is used again at once is the newer pod’s, also while the older one goes',
    async () => {
      await createPod(api, 'shop', { name: 'old', nodeName: 'node' });
      await runPod(api, 'shop', 'old', ['10.1.0.2']);
      await belongs('10.1.0.2', 'old');
      // With a node it stays until somebody says that it has ended.
      await deletePod(api, 'shop', 'old', 30);
      await belongs('10.1.0.2', 'unknown');
      await createPod(api, 'shop', { name: 'new' });
      await runPod(api, 'shop', 'new', ['10.1.0.2']);
      await belongs('10.1.0.2', 'new');
      await deletePod(api, 'shop', 'old');
      await following.agrees();
      expect(at('10.1.0.2')).toBe('new');
      await deletePod(api, 'shop', 'new');
      await createPod(api, 'shop', { name: 'newest' });
      await runPod(api, 'shop', 'newest', ['10.1.0.2']);
      await belongs('10.1.0.2', 'newest');
    },
  );

  live(missing, '[K1] of the same name again it is another pod', async () => {
    const first = await createPod(api, 'shop', { name: 'db-0', serviceAccountName: 'db' });
    await runPod(api, 'shop', 'db-0', ['10.1.0.3']);
    await belongs('10.1.0.3', 'db-0');
    await deletePod(api, 'shop', 'db-0');
    const second = await createPod(api, 'shop', { name: 'db-0', serviceAccountName: 'web' });
    await expect.poll(() => attributes(second)?.get('k8s:sa'), { timeout: 20_000 }).toBe('web');
    expect(attributes(first)).toBeUndefined();
    await belongs('10.1.0.3', 'unknown');
  });

  live(
    missing,
    '[K1] on the network of their node they are not told apart; two addresses of one are both its own',
    async () => {
      for (const name of ['host-1', 'host-2']) {
        await createPod(api, 'shop', { name, hostNetwork: true });
        await runPod(api, 'shop', name, ['192.168.0.1']);
      }
      await belongs('192.168.0.1', ['host-1', 'host-2']);
      await createPod(api, 'shop', { name: 'dual' });
      await runPod(api, 'shop', 'dual', ['10.1.0.4', 'fd00::4']);
      await belongs('fd00::4', 'dual');
      expect([at('10.1.0.4'), at('::ffff:10.1.0.4'), at('FD00:0::0004')]).toEqual(['dual', 'dual', 'dual']);
    },
  );

  live(missing, '[K2] a pod of a Deployment is owned by it once its ReplicaSet is known', async () => {
    const pod = await createPod(api, 'shop', {
      name: 'web-5d4f-1',
      owner: { kind: 'ReplicaSet', name: 'web-5d4f', uid: 'r-1' },
    });
    await expect.poll(() => attributes(pod)?.get('k8s:pod'), { timeout: 20_000 }).toBe('web-5d4f-1');
    expect(attributes(pod)?.has('k8s:owner')).toBe(false);
    await createReplicaSet(api, 'shop', 'web-5d4f', 'web');
    await expect.poll(() => attributes(pod)?.get('k8s:owner')).toBe('Deployment/web');
    await following.agrees();
  });

  live(missing, '[K2] hundreds of changes of all kinds leave no difference', async () => {
    for (const seed of [1, 2]) {
      expect(await churn(api, 'shop', new Random(seed)).change(300)).toEqual({ refused: 0 });
      await following.agrees();
    }
    expect(following.lists()).toBe(1);
  });
});
