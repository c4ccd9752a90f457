import { BroadcastChannel, isMainThread } from 'node:worker_threads';
import { gc } from '../../soak/gc.ts';

/** Loaded into the service and each of its threads: at SIGUSR2 all of them collect, and it is said what they hold. */
const asking = new BroadcastChannel('bench-collect');
const telling = new BroadcastChannel('bench-collected');

function held(): number {
  gc();
  gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

if (isMainThread) {
  telling.unref();
  asking.unref();
  process.on('SIGUSR2', () => asking.postMessage('collect'));
  // There is one thread besides, which has the rules.
  telling.onmessage = ({ data }) => {
    const own = held();
    const rest = Number(data);
    const { rss } = process.memoryUsage();
    console.error(`held ${JSON.stringify({ serving: own, rules: rest, resident: rss })}`);
  };
} else {
  asking.onmessage = () => telling.postMessage(held());
  asking.unref();
}
