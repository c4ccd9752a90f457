import cluster from 'node:cluster';
import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { hearPrimary } from './workers-channel.ts';

export interface Draining {
  /** Milliseconds after which what is not finished is cut off. */
  readonly deadline: number;
  /** All that are open. */
  readonly sockets: ReadonlySet<Socket>;
  /** Told at once: from then on it is not ready. */
  readonly begin: () => void;
}

/**
 * How long a connection that is idle may still bring a request: one that is on its way when a connection is closed
 * is lost, and whoever asks all the time does so within this. Milliseconds.
 */
const idle = 500;

/** Takes no new connections, finishes what is there, and tells whoever asks again to do so elsewhere. */
export function drain(server: Server, { deadline, sockets, begin }: Draining): void {
  begin();
  server.prependListener('request', (_, outgoing) => outgoing.setHeader('connection', 'close'));
  // Its own would cut connections that are idle for the moment.
  NetServer.prototype.close.call(server);
  const closing = setInterval(() => server.closeIdleConnections(), idle);
  const ending = setTimeout(() => {
    for (const socket of sockets) socket.destroy();
  }, deadline);
  server.once('close', () => {
    clearInterval(closing);
    clearTimeout(ending);
  });
}

/**
 * Calls back at the first signal to end; the second ends at once, for whoever has no patience. A worker is told by
 * the process that supervises it, which hears what is typed at the terminal too; what goes wrong when it is asked by
 * that one, `failed` is told.
 */
export function onEnd(begin: () => void, failed: (error: unknown) => void = () => undefined): void {
  let signals = 0;
  let begun = false;
  const once = (): void => {
    if (!begun) begin();
    begun = true;
  };
  const end = (number: number): void => {
    if (signals++ > 0) process.exit(128 + number);
    once();
  };
  process.on('SIGTERM', () => end(15));
  process.on('SIGINT', () => {
    if (cluster.isPrimary) end(2);
  });
  if (cluster.isWorker) hearPrimary(once, failed);
}
