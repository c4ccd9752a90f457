import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { run } from '../../cli/world.ts';
import { live } from '../../live.ts';
import { temporary } from '../../support/envoy/temporary.ts';
import { openCluster, type TestCluster } from '../../support/kubernetes/cluster.ts';
import { createPod, namespace, serviceAccount } from '../../support/kubernetes/objects.ts';
import { etcd, kubeApiserver } from '../../support/kubernetes/programs/recipes.ts';
import { programsMissing } from '../../support/programs/missing.ts';

const missing = programsMissing([etcd, kubeApiserver]);
const folder = temporary();
let cluster: TestCluster;
beforeAll(async () => {
  if (missing !== undefined) return;
  cluster = await openCluster();
  await namespace(cluster.api, 'shop');
  await serviceAccount(cluster.api, 'shop', 'web');
});
afterAll(async () => {
  await cluster?.stop();
  folder.remove();
});

const whois = (...more: readonly string[]) =>
  run(['whois', '--kubeconfig', cluster.kubeconfig(), '--json', ...more]);

describe('placet whois', () => {
  live(missing, '[CLI20] [WHO3] says by the token of a pod what the pod has', async () => {
    const labels = { role: 'reader' };
    const pod = await createPod(cluster.api, 'shop', { name: 'web-0', serviceAccountName: 'web', labels });
    const boundObjectRef = { kind: 'Pod', apiVersion: 'v1', name: 'web-0', uid: pod.metadata.uid };
    const { status } = await cluster.api.post<{ status: { token: string } }>(
      '/api/v1/namespaces/shop/serviceaccounts/web/token',
      { spec: { audiences: ['placet'], boundObjectRef } },
    );
    writeFileSync(`${folder.path}/token`, `${status.token}\n`);
    const token = ['--service-account', `@${folder.path}/token`];
    const { code, out } = await whois(...token, '--audience', 'placet');
    const { values, refused } = JSON.parse(out) as {
      values: readonly { key: string; value: string; trust: string }[];
      refused: readonly object[];
    };
    const seen = Object.fromEntries(values.map(({ key, value, trust }) => [key, `${value} (${trust})`]));
    expect([code, refused, seen]).toEqual([
      0,
      [],
      expect.objectContaining({
        'k8s:ns': 'shop (attested)',
        'k8s:sa': 'web (attested)',
        'k8s:pod': 'web-0 (attested)',
        'k8s:label:role': 'reader (observed)',
      }),
    ]);
    const other = await whois(...token, '--audience', 'elsewhere');
    expect([other.code, other.out]).toEqual([1, expect.stringContaining('"code":"unauthenticated"')]);
    expect(other.out).not.toContain(status.token);
    expect((await whois(...token)).code).toBe(2);
    expect((await run(['whois', ...token, '--audience', 'placet'])).code).toBe(2);
  });
});
