import { afterAll, beforeAll, describe, expect } from 'vitest';
import { run } from '../../cli/world.ts';
import { live } from '../../live.ts';
import { etcd, kubeApiserver } from '../../support/kubernetes/programs/recipes.ts';
import { programsMissing } from '../../support/programs/missing.ts';
import { type Account, openAccount, patient, role, rolePath } from './account.ts';
import { definitionsPath, eventually, install, placed, put, remove, store } from './resources.ts';

/** `placet doctor` and a cluster that has all it takes, and then lacks one thing after the other. */

const missing = programsMissing([etcd, kubeApiserver]);
let own: Account;
beforeAll(async () => {
  if (missing === undefined) own = await openAccount();
});
afterAll(() => own?.stop());

interface Check {
  readonly check: string;
  readonly outcome: string;
  readonly says: string;
  readonly todo?: string;
}

async function doctor(...more: readonly string[]) {
  const { code, out } = await run(['doctor', '--kubeconfig', own.kubeconfig, '--json', ...more]);
  const { checks } = JSON.parse(out) as { checks: readonly Check[] };
  return { code, checks, of: (check: string) => checks.find((one) => one.check === check) };
}

const access = (key: string) => ({
  type: 'AccessPolicy',
  name: 'a',
  namespace: 'shop',
  spec: {
    action: 'deny',
    from: [{ workloadSelector: { matchLabels: { [key]: 'web' } } }],
    to: [{ workloadSelector: {} }],
  },
});

describe('placet doctor', () => {
  live(missing, '[DR3] [DR4] [DR5] finds a cluster good that has all it takes', async () => {
    const { code, checks } = await doctor();
    expect([code, checks.map(({ check, outcome }) => `${check}: ${outcome}`)]).toEqual([
      0,
      [
        'API server: ok',
        'clock: ok',
        'kinds of placet.dev/v1alpha1: ok',
        'kinds of v1: ok',
        'kinds of kuma.io/v1alpha1: ok',
        'kinds of clusterlink.net/v1alpha1: ok',
        'permissions: ok',
        'policies in the cluster: ok',
      ],
    ]);
  });

  live(
    missing,
    '[DR5] names what is broken, what is in force instead, and what contradicts files',
    async () => {
      await store(own.cluster.api, placed(access('k8s:ns'))!);
      expect((await doctor()).code).toBe(0);
      await put(own.cluster.api, placed(access('k8s ns'))!);
      const { code, of } = await doctor();
      expect([code, of('AccessPolicy/shop/a')]).toEqual([
        1,
        {
          check: 'AccessPolicy/shop/a',
          outcome: 'fail',
          says: expect.stringContaining('1 problem: AccessPolicy/shop/a: spec.from[0]'),
          todo: 'correct it: everything is denied in its namespace until it is right',
        },
      ]);
      await remove(own.cluster.api, placed(access('k8s:ns'))!);
      const site = placed({ type: 'Site', name: 'paris', spec: {} })!;
      await store(own.cluster.api, site);
      expect((await doctor()).code).toBe(0);
      const together = await doctor('--policies', 'policies/20-attributes');
      expect(together.of('Site/paris')).toMatchObject({
        outcome: 'fail',
        says: expect.stringContaining(
          'got a second Site "paris", the first is at policies/20-attributes/sites.yaml:',
        ),
        todo: 'correct it: before it is right no change is in force, and soon nothing is decided',
      });
      await remove(own.cluster.api, site);
    },
  );

  live(missing, '[DR4] names kinds that are missing', async () => {
    const { api } = own.cluster;
    const definition = await api.get(`${definitionsPath}/sites.placet.dev`);
    await api.delete(`${definitionsPath}/sites.placet.dev`);
    await expect
      .poll(async () => (await doctor()).of('kinds of placet.dev/v1alpha1'), patient)
      .toEqual({
        check: 'kinds of placet.dev/v1alpha1',
        outcome: 'warn',
        says: expect.stringMatching(/^\d+ of \d+ served, without Site$/),
        todo: 'kubectl apply -f deploy/crds',
      });
    const { name } = definition.metadata;
    const { spec } = definition as unknown as { spec: object };
    const again = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name },
      spec,
    };
    await eventually(() => install(api, [again as never]));
  });

  live(missing, '[DR4] names permissions that are missing, and follows what it may', async () => {
    const rules = role.rules.filter(({ apiGroups }) => apiGroups[0] !== 'kuma.io');
    await own.cluster.api.put(`${rolePath}/placet`, { ...role, rules });
    await expect
      .poll(async () => (await doctor()).of('permissions'), patient)
      .toEqual({
        check: 'permissions',
        outcome: 'fail',
        says: expect.stringMatching(
          /^\d+ of the permissions are missing: list meshtrafficpermissions.kuma.io, /,
        ),
        todo: 'kubectl apply -f deploy/rbac.yaml',
      });
    const { code, of } = await doctor();
    expect([code, of('policies in the cluster')?.outcome]).toEqual([1, 'ok']);
    await own.cluster.api.put(`${rolePath}/placet`, {
      ...role,
      rules: role.rules.filter(({ resources }) => !resources.includes('tokenreviews')),
    });
    await expect.poll(async () => (await doctor()).of('permissions')?.outcome, patient).toBe('warn');
    await own.cluster.api.put(`${rolePath}/placet`, role);
  });
});
