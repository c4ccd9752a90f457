import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import type { TestCluster } from './cluster.ts';

/** Somebody on the way to the API server, who ends TLS and so sees the bytes. */
export interface Proxy {
  readonly server: string;
  /** Of the watches that begin from now on, each is cut after so many bytes of its answer. */
  cutWatches(after: (() => number) | undefined): void;
  /** How many were cut so. */
  readonly cuts: number;
  /** At most so many bytes of answers a second and connection; undefined: as fast as can be. */
  slow(bytesPerSecond: number | undefined): void;
  /** Takes everything and passes nothing on, on connections there are and on new ones, and closes none. */
  hold(): void;
  release(): void;
  /** Closes all connections there are. */
  cut(): void;
  stop(): void;
}

const slices = 20;

export async function openProxy(cluster: TestCluster): Promise<Proxy> {
  const { key, certificate } = cluster.identity();
  const { port } = new URL(cluster.server);
  const sockets = new Set<TLSSocket>();
  let cutAfter: (() => number) | undefined;
  let rate: number | undefined;
  let held = false;
  let cuts = 0;
  const waiting = new Set<() => void>();
  const released = () => (held ? new Promise<void>((resolve) => waiting.add(resolve)) : undefined);

  const server = createServer({ key, cert: certificate }, (client) => {
    const upstream = connect({ host: '127.0.0.1', port: Number(port), ca: certificate });
    let left = Number.POSITIVE_INFINITY;
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(one);
          other.destroy();
        });
    }
    client.on('data', async (bytes) => {
      if (cutAfter !== undefined && bytes.includes('watch=1')) left = cutAfter();
      await released();
      upstream.write(bytes);
    });
    void (async () => {
      for await (const bytes of upstream as AsyncIterable<Buffer>) {
        await released();
        for (let rest = bytes; rest.length > 0 && !client.destroyed; ) {
          const take = Math.min(left, rate === undefined ? rest.length : Math.ceil(rate / slices));
          const sent = rest.subarray(0, take);
          await new Promise((resolve) => client.write(sent, resolve));
          left -= sent.length;
          rest = rest.subarray(take);
          if (left === 0) {
            cuts++;
            client.destroy();
          }
          if (rate !== undefined) await new Promise((resolve) => setTimeout(resolve, 1000 / slices));
        }
      }
      client.end();
    })().catch(() => client.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const release = () => {
    held = false;
    for (const go of waiting) go();
    waiting.clear();
  };
  return {
    server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cutWatches: (after) => {
      cutAfter = after;
    },
    get cuts() {
      return cuts;
    },
    slow: (bytesPerSecond) => {
      rate = bytesPerSecond;
    },
    hold: () => {
      held = true;
    },
    release,
    cut,
    stop() {
      release();
      cut();
      server.close();
    },
  };
}
