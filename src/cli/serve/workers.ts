import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { exit } from '../failure.ts';
import { isMessage, type Message, placeVariable } from './workers-channel.ts';
import { Gathering } from './workers-gathering.ts';

export interface Supervised {
  readonly workers: number;
  /** Milliseconds that a worker has to finish. */
  readonly deadline: number;
  readonly log: (line: string) => void;
}

/** After a worker that did not live long, longer each time. Milliseconds. */
const pauses = [100, 1_000, 5_000, 30_000] as const;
const longLife = 60_000;
/** What a worker may take beyond its own deadline. */
const grace = 2_000;

/** Processes that share one port, each with everything it needs; this one only keeps them alive. */
export async function supervise({ workers, deadline, log }: Supervised): Promise<number> {
  cluster.setupPrimary({ serialization: 'advanced' });
  const gathering = new Gathering();
  let stopping = false;
  let short = 0;
  const all = (): Worker[] => Object.values(cluster.workers ?? {}).filter((one) => one !== undefined);
  const start = (place: number): Worker => {
    const worker = cluster.fork({ [placeVariable]: place });
    worker.on('message', (message: unknown) => {
      if (isMessage(message)) gathering.hear(message, worker, all());
    });
    worker.on('exit', () => gathering.gone(worker));
    closeWhatItLeaves(worker);
    return worker;
  };
  const stop = (): void => {
    // Asked again, or waited for in vain.
    if (stopping) for (const worker of all()) worker.process.kill('SIGKILL');
    else {
      stopping = true;
      for (const worker of all())
        if (worker.isConnected()) worker.send({ placet: 'drain' } satisfies Message);
      setTimeout(stop, deadline + grace).unref();
    }
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);

  const keep = (place: number, worker: Worker): void => {
    const born = performance.now();
    worker.once('exit', (code, signal) => {
      if (stopping) return;
      short = performance.now() - born > longLife ? 0 : Math.min(short + 1, pauses.length);
      const pause = pauses[Math.max(short - 1, 0)]!;
      log(`worker ${worker.id} ended with ${signal ?? code}; another is started in ${pause} ms`);
      setTimeout(() => {
        if (!stopping) keep(place, start(place));
      }, pause);
    });
  };
  // What is wrong with what all of them read is said by the first, once.
  const first = start(1);
  const code = await beginning(first);
  if (code !== undefined) return stopping ? exit.ok : code;
  keep(1, first);
  for (let place = 2; place <= workers && !stopping; place++) keep(place, start(place));
  while (!stopping || all().length > 0) await once(cluster, 'exit');
  return exit.ok;
}

/**
 * A connection that is handed to a worker which dies before it takes it is nobody's: Node would keep it open as long
 * as this process lives, and whoever asked by it waiting. Each worker is handed one at a time.
 */
function closeWhatItLeaves(worker: Worker): void {
  const { process: child } = worker;
  const send = child.send.bind(child) as (...args: unknown[]) => boolean;
  let handed: { close(): void } | undefined;
  child.send = (message: unknown, handle?: unknown, ...rest: unknown[]) => {
    if (handle instanceof Object && 'close' in handle) handed = handle as { close(): void };
    return send(message, handle, ...rest);
  };
  worker.once('exit', () => handed?.close());
}

/** Undefined once a worker listens, else what it ended with. */
function beginning(worker: Worker): Promise<number | undefined> {
  return new Promise((resolve) => {
    worker.once('listening', () => resolve(undefined));
    worker.once('exit', (code) => resolve(code || exit.problems));
  });
}
