import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { LivePolicies } from '../../../src/gateway/live/policies.ts';
import { operatorChannel } from '../../../src/index.ts';
import { live } from '../../live.ts';
import { etcd, kubeApiserver } from '../../support/kubernetes/programs/recipes.ts';
import { programsMissing } from '../../support/programs/missing.ts';
import { type Account, openAccount, patient, within } from './account.ts';
import { placed, put, remove, store } from './resources.ts';

/** What decides, with the objects of a real cluster: read, settled and compiled in a thread of its own. */

const missing = programsMissing([etcd, kubeApiserver]);
const thread = new URL('../../../src/cli/serve/thread.ts', import.meta.url);
let account: Account;
let policies: LivePolicies;
beforeAll(async () => {
  if (missing !== undefined) return;
  account = await openAccount();
  await store(account.cluster.api, placed({ type: 'Service', name: 'pay', namespace: 'shop', spec: {} })!);
  await store(account.cluster.api, placed(access('allow'))!);
  policies = new LivePolicies({
    thread: () => {
      const cluster = { kubeconfig: account.kubeconfig, maxStaleness: 60_000 };
      return new Worker(thread, { workerData: { policies: [], cluster, options: { beat: 100 } } });
    },
    maxStaleness: 60_000,
    log: () => undefined,
  });
  await policies.open();
});
afterAll(async () => {
  await policies?.close();
  await account?.stop();
});

const access = (action: string, key = 'k8s:ns') => ({
  type: 'AccessPolicy',
  name: 'a',
  namespace: 'shop',
  spec: {
    action,
    from: [{ workloadSelector: { matchLabels: { [key]: 'web' } } }],
    to: [{ workloadSelector: {} }],
  },
});
const decide = () => {
  const snapshot = policies.current()!;
  const source = { attributes: { 'k8s:ns': 'web' } };
  const decision = snapshot.decide({ source, destination: { service: 'shop/pay' } }, operatorChannel);
  return {
    decision: decision.decision,
    place: decision.by === null ? undefined : snapshot.placeOf(decision.by),
  };
};
const problems = () => policies.readiness().sources.flatMap((source) => source.problems);

describe('[KRES8] a service that follows a cluster', () => {
  live(missing, '[KRES8] decides by its objects, and names them', async () => {
    expect(policies.readiness().ready).toBe(true);
    const place = { file: 'AccessPolicy/shop/a', line: 0, column: 0 };
    expect(decide()).toEqual({ decision: 'allow', place });
    await put(account.cluster.api, placed(access('deny'))!);
    await expect.poll(decide, within).toEqual({ decision: 'deny', place });
    await put(account.cluster.api, placed(access('allow'))!);
    await expect.poll(() => decide().decision, within).toBe('allow');
  });

  live(missing, '[KRES8] runs on with the last good state of an object, and says so', async () => {
    await put(account.cluster.api, placed(access('deny', 'k8s ns'))!);
    await expect
      .poll(() => problems().join('\n'), within)
      .toContain('AccessPolicy/shop/a: its last good state is in force');
    expect([decide().decision, policies.readiness().ready]).toEqual(['allow', true]);
    await put(account.cluster.api, placed(access('deny'))!);
    await expect.poll(() => [decide().decision, problems()], within).toEqual(['deny', []]);
  });

  live(
    missing,
    '[KRES8] runs on while the API server is away, and follows it when it is back',
    async () => {
      await account.cluster.apiserver.kill();
      await expect.poll(() => problems().length, within).toBeGreaterThan(0);
      expect(decide().decision).toBe('deny');
      await account.cluster.apiserver.start();
      await expect
        .poll(
          () =>
            remove(account.cluster.api, placed(access('deny'))!).then(
              () => true,
              () => false,
            ),
          patient,
        )
        .toBe(true);
      await expect.poll(() => decide(), patient).toEqual({ decision: 'deny', place: undefined });
      await expect.poll(problems, patient).toEqual([]);
    },
    180_000,
  );
});
