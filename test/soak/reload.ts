import { EventEmitter } from 'node:events';
import { MessageChannel, type Worker } from 'node:worker_threads';
import { Folders } from '../../src/gateway/live/folders.ts';
import { Loader } from '../../src/gateway/live/loader.ts';
import { LivePolicies } from '../../src/gateway/live/policies.ts';
import { operatorChannel } from '../../src/pdp/model/request.ts';
import { policy, request } from '../gateway/live/documents.ts';
import { temporary } from '../gateway/live/opening.ts';

export interface Reloads {
  /** Bytes of heap that each reload of the last half left behind. */
  readonly slope: number;
  /** The heap after a collection, every so many reloads. */
  readonly heap: readonly number[];
  readonly rss: readonly number[];
}

const files = 20;

/** So many reloads, each of another set; both ends of what otherwise are two threads share one heap here. */
export async function reloads(count: number, gc: () => void, samples = 40): Promise<Reloads> {
  const folder = temporary();
  for (let i = 0; i < files; i++) folder.put(`${i}.yaml`, policy(`p${i}`, 'allow', `ns${i}`));
  folder.put('a.yaml', policy('a'));
  let heard = Promise.withResolvers<void>();
  const live = new LivePolicies({
    thread: () => besides(folder.path),
    maxStaleness: 60_000,
    log() {},
    reloaded: () => heard.resolve(),
  });
  const heap: number[] = [];
  const rss: number[] = [];
  try {
    await live.open();
    const every = Math.max(1, Math.floor(count / samples));
    for (let i = 1; i <= count; i++) {
      heard = Promise.withResolvers();
      // Broken now and then, which must not leave anything behind either.
      const action = i % 10 === 0 ? 'forbid' : i % 2 === 0 ? 'allow' : 'deny';
      folder.put('a.yaml', `# ${i}\n${policy('a', action)}`);
      live.read();
      await heard.promise;
      const { decision } = live.current()!.decide(request, operatorChannel);
      const wanted = i % 10 === 0 ? 'deny' : action;
      if (decision !== wanted) throw new Error(`got ${decision} after reload ${i}, want ${wanted}`);
      if (i % every !== 0) continue;
      gc();
      const memory = process.memoryUsage();
      heap.push(memory.heapUsed + memory.arrayBuffers);
      rss.push(memory.rss);
    }
    return { slope: slopeOf(heap.slice(heap.length / 2)) / every, heap, rss };
  } finally {
    await live.close();
    folder.remove();
  }
}

/** A loader in this thread, with a channel between that copies and transfers as one between threads does. */
function besides(path: string): Worker {
  const { port1, port2 } = new MessageChannel();
  new Loader(port1, [new Folders([path])], { quiet: 1e6, rescan: 1e6 });
  const worker = new EventEmitter();
  port2.on('message', (message: unknown) => worker.emit('message', message));
  return Object.assign(worker, {
    postMessage: (message: unknown) => port2.postMessage(message),
    async terminate() {
      port2.postMessage({ type: 'close' });
      port2.close();
    },
  }) as unknown as Worker;
}

/** Least squares: how much more each sample is than the one before. */
export function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let [above, below] = [0, 0];
  values.forEach((value, i) => {
    above += (i - middle) * (value - mean);
    below += (i - middle) ** 2;
  });
  return below === 0 ? 0 : above / below;
}
