import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import type { TestCluster } from './cluster.ts';

/** Somebody on the way to the API server, who ends TLS and so sees the bytes. */
export interface ProxyServer {
  readonly server: string;
  /** Of the watches that begin from now on, each is cut after so many bytes of its answer. */
  cutWatches(after: (() => number) | undefined): void;
  /** How many were cut so. */
  readonly cuts: number;
  /** Watches that ended, for whatever reason, before the head of their answer was through. */
  readonly unanswered: number;
  /** At most so many bytes of answers a second and connection; undefined: as fast as can be. */
  slow(bytesPerSecond: number | undefined): void;
  /** Takes everything, or requests with this in them, and passes none of it on, and closes no connection. */
  hold(what?: string): void;
  /** How many wait for their release. */
  readonly held: number;
  release(): void;
  /** Closes all connections there are. */
  cut(): void;
  /** Closes those too that come, until it is told otherwise. */
  refuse(whether: boolean): void;
  stop(): void;
}

const slices = 20;

export async function openProxy(cluster: TestCluster): Promise<ProxyServer> {
  const { key, certificate } = cluster.identity();
  const port = Number(new URL(cluster.server).port);
  const sockets = new Set<TLSSocket>();
  const waiting = new Set<() => void>();
  let cutAfter: (() => number) | undefined;
  let rate: number | undefined;
  let held: boolean | string = false;
  let refused = false;
  let cuts = 0;
  let unanswered = 0;
  const keep = (socket: TLSSocket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  const pass = async (bytes?: Buffer) => {
    if (held === true || (typeof held === 'string' && bytes?.includes(held)))
      await new Promise<void>((resolve) => waiting.add(resolve));
  };

  const server = createServer({ key, cert: certificate }, (client) => {
    let left = Number.POSITIVE_INFINITY;
    let upstream: TLSSocket | undefined;
    /** What is through of the head of a watch; undefined: none is waited for. */
    let head: string | undefined;
    keep(client);
    if (refused) return void client.destroy();
    client.on('close', () => {
      upstream?.destroy();
      if (head !== undefined) unanswered++;
    });
    const forward = async () => {
      for await (const bytes of client as AsyncIterable<Buffer>) {
        await pass(bytes);
        const watches = bytes.includes('watch=1');
        if (watches) head = '';
        if (cutAfter !== undefined && watches) left = cutAfter();
        if (upstream === undefined) {
          // Not before: what is held does not even reach the server.
          upstream = connect({ host: '127.0.0.1', port, ca: certificate });
          keep(upstream);
          back(upstream).then(
            () => client.end(),
            () => client.destroy(),
          );
        }
        upstream.write(bytes);
      }
    };
    const back = async (from: TLSSocket) => {
      for await (const bytes of from as AsyncIterable<Buffer>) {
        for (let rest = bytes; rest.length > 0 && !client.destroyed; ) {
          await pass();
          const slice = rate === undefined ? rest.length : Math.ceil(rate / slices);
          const sent = rest.subarray(0, Math.min(left, slice));
          await new Promise((resolve) => client.write(sent, resolve));
          left -= sent.length;
          if (head !== undefined) head += sent.toString('latin1');
          if (head?.includes('\r\n\r\n') === true) head = undefined;
          rest = rest.subarray(sent.length);
          if (left === 0) {
            cuts++;
            client.destroy();
          }
          if (rate !== undefined) await new Promise((resolve) => setTimeout(resolve, 1000 / slices));
        }
      }
    };
    forward().catch(() => client.destroy());
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
    get unanswered() {
      return unanswered;
    },
    slow: (bytesPerSecond) => {
      rate = bytesPerSecond;
    },
    hold: (what) => {
      held = what ?? true;
    },
    get held() {
      return waiting.size;
    },
    release,
    cut,
    refuse: (whether) => {
      refused = whether;
      if (refused) cut();
    },
    stop() {
      release();
      cut();
      server.close();
    },
  };
}
