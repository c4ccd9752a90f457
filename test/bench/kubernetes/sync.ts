import { readAnswer } from '../../../src/attributes/kubernetes/answers.ts';
import { connect } from '../../../src/attributes/kubernetes/client.ts';
import { ClusterSource } from '../../../src/attributes/kubernetes/cluster.ts';
import { type Pod, podOf } from '../../../src/attributes/kubernetes/pod.ts';
import { residentMb, retainedMb } from '../memory.ts';

/**
 * One first sight of a cluster, in a process of its own: `bare` lists pods in pages and keeps the same of each in an
 * array, `source` is the source, from its start until it may be believed.
 */

const [, , way = '', kubeconfig = ''] = process.argv;

async function bare(): Promise<readonly unknown[]> {
  const api = await connect({ kubeconfig });
  const pods: (Pod | undefined)[] = [];
  let next = '';
  do {
    const path = `/api/v1/pods?limit=500${next === '' ? '' : `&continue=${encodeURIComponent(next)}`}`;
    const page = (await readAnswer(await api.send(path))) as {
      items: unknown[];
      metadata: { continue?: string };
    };
    for (const item of page.items) pods.push(podOf(item));
    next = page.metadata.continue ?? '';
  } while (next !== '');
  return pods;
}

async function source(): Promise<ClusterSource> {
  const following = new ClusterSource(await connect({ kubeconfig }));
  void following.run();
  while (following.view() === undefined) await new Promise((resolve) => setTimeout(resolve, 2));
  return following;
}

// What both load is loaded before the clock runs.
await import('@kubernetes/client-node');
const start = performance.now();
const kept = way === 'bare' ? await bare() : await source();
const took = performance.now() - start;
const pods = kept instanceof ClusterSource ? kept.pods.size : kept.length;
console.log(JSON.stringify({ took, pods, resident: residentMb(), retained: retainedMb() }));
if (kept instanceof ClusterSource) kept.close();
