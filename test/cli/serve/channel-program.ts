import cluster, { type Worker } from 'node:cluster';
import * as channel from '../../../src/cli/serve/workers-channel.ts';
import { Gathering } from '../../../src/cli/serve/workers-gathering.ts';

/**
 * A program of two workers and the process between them, which says what the first hears when it asks. The question
 * `lost` takes that process away.
 */
if (cluster.isPrimary) {
  cluster.setupPrimary({ serialization: 'advanced' });
  const gathering = new Gathering();
  const workers: Worker[] = [];
  for (const place of [2, 1]) {
    const worker = cluster.fork({ [channel.placeVariable]: place });
    workers.push(worker);
    worker.on('exit', () => gathering.gone(worker));
    worker.on('message', (message: unknown) => {
      if (!channel.isMessage(message)) return;
      if (message.placet === 'gather' && message.topic === 'lost') process.kill(process.pid, 'SIGKILL');
      gathering.hear(message, worker, workers);
    });
    // The second is there before the first asks.
    await new Promise<void>((resolve) => void worker.once('message', () => resolve()));
  }
} else {
  const own = channel.place();
  const say = (what: string, about: unknown): void => console.log(JSON.stringify([own, what, about]));
  channel.answerTo('place', () => own);
  channel.answerTo('own', () => {
    if (own === 2) throw new Error('of the second');
    return own;
  });
  channel.answerTo('async', async () => {
    if (own === 2) throw new Error('of the second, later');
    return own;
  });
  // Nothing that could go from process to process.
  channel.answerTo('odd', () => (own === 2 ? say : own));
  const drained = Promise.withResolvers<void>();
  channel.hearPrimary(
    () => drained.resolve(),
    (error) => say('failed', (error as Error).message),
  );
  process.send?.('ready');
  if (own === 1) {
    for (const topic of ['own', 'async', 'odd', 'nobody', 'place', 'lost', 'place']) {
      const heard = await channel.gather(topic);
      say(
        topic,
        heard.map(({ value }) => value),
      );
    }
  }
  await drained.promise;
  say('drained', process.connected);
}
