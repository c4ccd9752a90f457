import type { Random } from '../../oracle/random.ts';
import { Refused, type TestClient } from './client.ts';
import { createPod, deletePod, podPath, runPod } from './objects.ts';

/** Pods that come, change and go, and take the addresses of those that went. */
export interface Churn {
  /** So many changes, one after another; those that an outage refuses are counted and left. */
  change(count: number): Promise<{ readonly refused: number }>;
}

const addresses = 40;
const most = 60;
const accounts = ['default', 'web', 'db'] as const;

export function churn(api: TestClient, namespace: string, random: Random): Churn {
  const names: string[] = [];
  let made = 0;
  const address = () => `10.7.0.${random.below(addresses)}`;
  const anyone = () => random.pick(names);
  const steps: (() => Promise<unknown>)[] = [
    async () => {
      const name = `churn-${made++}`;
      const hostNetwork = random.chance(0.1);
      const shape = { name, hostNetwork, serviceAccountName: random.pick(accounts), labels: { app: 'a' } };
      await createPod(api, namespace, random.chance(0.3) ? { ...shape, nodeName: 'node' } : shape);
      names.push(name);
      const ips = random.chance(0.3) ? [address(), `fd00::${random.below(addresses)}`] : [address()];
      await runPod(api, namespace, name, ips);
    },
    () => runPod(api, namespace, anyone(), [address()]),
    () => runPod(api, namespace, anyone(), [address()], random.pick(['Succeeded', 'Failed', 'Pending'])),
    () =>
      api.patch(podPath(namespace, anyone()), {
        metadata: { labels: { app: random.pick(['b', 'c', null]) } },
      }),
    () =>
      api.patch(`${podPath(namespace, anyone())}`, {
        metadata: { labels: { [`key-${random.below(5)}`]: 'x' } },
      }),
    // With a node it stays until somebody says that it has ended.
    () => deletePod(api, namespace, anyone(), 30),
    async () => {
      const [name = ''] = names.splice(random.below(names.length), 1);
      await deletePod(api, namespace, name);
    },
  ];
  return {
    async change(count) {
      let refused = 0;
      for (let at = 0; at < count; at++) {
        const step =
          names.length < 3 ? 0 : names.length > most ? steps.length - 1 : random.below(steps.length);
        try {
          await steps[step]?.();
        } catch (error) {
          // Gone meanwhile, or changed in a way that this one's state forbids.
          if (error instanceof Refused && error.status < 500 && error.status !== 429) continue;
          refused++;
        }
      }
      return { refused };
    },
  };
}
