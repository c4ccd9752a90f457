import type { TLSSocket } from 'node:tls';
import type { Certificate } from '../../support/certificates/index.ts';
import { connectTls } from '../../support/envoy/tls-client.ts';

export interface Loaded {
  readonly perSec: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly count: number;
}

const request = 'GET /items/1 HTTP/1.1\r\nhost: a\r\n\r\n';

/** Clients of a proxy, each on a connection of its own that stays open, one request after the other. */
export async function clientsOf(path: string, certificates: readonly Certificate[]) {
  const sockets = await Promise.all(
    certificates.map(async (certificate) => {
      const socket = await connectTls({ path }, { certificate });
      if (socket === undefined) throw new Error('the handshake was refused');
      return socket;
    }),
  );
  return {
    async ask(seconds: number): Promise<Loaded> {
      const start = performance.now();
      const until = start + seconds * 1_000;
      const times = (await Promise.all(sockets.map((socket) => roundTrips(socket, until)))).flat();
      const perSec = (1_000 * times.length) / (performance.now() - start);
      times.sort((a, b) => a - b);
      const at = (share: number) => times[Math.floor(times.length * share)]!;
      return { perSec, p50: at(0.5), p99: at(0.99), count: times.length };
    },
    close() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

function roundTrips(socket: TLSSocket, until: number): Promise<readonly number[]> {
  return new Promise((resolve, reject) => {
    const times: number[] = [];
    let sent = 0;
    const broken = () => reject(new Error('the connection was closed'));
    const send = (): void => {
      sent = performance.now();
      socket.write(request);
    };
    // Answers are small, and come in one piece.
    const take = (answer: Buffer): void => {
      const now = performance.now();
      times.push(now - sent);
      if (!answer.toString('latin1', 0, 12).startsWith('HTTP/1.1 200')) reject(new Error(String(answer)));
      else if (now < until) send();
      else {
        socket.off('data', take);
        socket.off('close', broken);
        resolve(times);
      }
    };
    socket.on('data', take);
    socket.once('close', broken);
    send();
  });
}
