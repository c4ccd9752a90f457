import type { KubeObject } from './client.ts';
import type { TestCluster } from './cluster.ts';
import type { Stored } from './load.ts';
import { createPod, namespace } from './objects.ts';

/** Very many pods, as they are in etcd, each like one that the API server made itself. */
export interface Crowd {
  /** One of them; `label` is what changes of it. */
  pod(index: number, label: string): Stored;
  gone(index: number): Stored;
  /** So many of them. */
  all(count: number, label: string): Stored[];
}

/** `perAccount`: so many have one service account; without it all have the default one. */
export async function crowd({ api }: TestCluster, inNamespace: string, perAccount?: number): Promise<Crowd> {
  await namespace(api, inNamespace);
  const shape = {
    name: 'model',
    labels: { app: 'web', tier: 'front' },
    images: { main: 'registry/web:1.2.3' },
  };
  const made = (await createPod(api, inNamespace, shape)) as KubeObject & { readonly spec: object };
  const account = (index: number) =>
    perAccount === undefined ? {} : { serviceAccountName: `app-${Math.floor(index / perAccount)}` };
  const { resourceVersion: _, ...metadata } = made.metadata as KubeObject['metadata'] & {
    generateName?: string;
  };
  const lives = new Map<number, number>();
  const key = (index: number) => `pods/${inNamespace}/crowd-${index}`;
  const pod = (index: number, label: string): Stored => {
    const ip = `10.${64 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;
    const uid = `00000000-0000-4000-${8000 + (lives.get(index) ?? 0)}-${String(index).padStart(12, '0')}`;
    const labels = { ...metadata.labels, shard: String(index % 100), label };
    return {
      key: key(index),
      body: {
        ...made,
        spec: { ...made.spec, ...account(index) },
        metadata: { ...metadata, name: `crowd-${index}`, uid, labels },
        status: { phase: 'Running', podIP: ip, podIPs: [{ ip }] },
      },
    };
  };
  return {
    pod,
    gone: (index) => {
      // Who comes back is somebody else.
      lives.set(index, (lives.get(index) ?? 0) + 1);
      return { key: key(index) };
    },
    all: (count, label) => Array.from({ length: count }, (_, index) => pod(index, label)),
  };
}
