import { connect } from '../../../src/attributes/kubernetes/client.ts';
import { ClusterSource } from '../../../src/attributes/kubernetes/cluster.ts';
import type { TestCluster } from '../../support/kubernetes/cluster.ts';
import type { Crowd } from '../../support/kubernetes/crowd.ts';
import type { Load } from '../../support/kubernetes/load.ts';

export interface Latencies {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
}

const tick = 10;

/** From the moment at which a change is sent to etcd until a look-up gives it. Milliseconds. */
export async function eventsToVisible(
  cluster: TestCluster,
  load: Load,
  many: Crowd,
  perSecond: number,
  seconds: number,
): Promise<Latencies> {
  const source = new ClusterSource(await connect({ kubeconfig: cluster.kubeconfig() }));
  const running = source.run();
  while (source.view() === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
  const { pods } = source;
  const sentAt: number[] = [];
  const latencies: number[] = [];
  const set = pods.set.bind(pods);
  pods.set = (pod) => {
    set(pod);
    const at = sentAt[Number(pod.labels['label'])];
    if (at !== undefined && pods.byUid(pod.uid) === pod) latencies.push(performance.now() - at);
  };
  const total = perSecond * seconds;
  const start = performance.now();
  const writes: Promise<unknown>[] = [];
  while (sentAt.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - start) / 1000) * perSecond));
    while (sentAt.length < due) {
      const object = many.pod(sentAt.length % 10_000, String(sentAt.length));
      sentAt.push(performance.now());
      writes.push(load.write([object]));
    }
    await new Promise((resolve) => setTimeout(resolve, tick));
  }
  const took = (performance.now() - start) / 1000;
  await Promise.all(writes);
  while (latencies.length < total) await new Promise((resolve) => setTimeout(resolve, tick));
  source.close();
  await running;
  latencies.sort((a, b) => a - b);
  const at = (part: number) => latencies[Math.min(total - 1, Math.floor(total * part))]!;
  return { perSecond: total / took, p50: at(0.5), p99: at(0.99), most: at(1) };
}
