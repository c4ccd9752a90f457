import type { TLSSocket } from 'node:tls';
import { connectTls, type Peer } from '../../support/envoy/tls-client.ts';

/** Round trips of one client over one connection that stays open, one after the other, in microseconds. */
export async function latencies(path: string, peer: Peer, count: number): Promise<readonly number[]> {
  const socket = await connectTls({ path }, peer);
  if (socket === undefined) throw new Error('the handshake was refused');
  try {
    return await roundTrips(socket, count);
  } finally {
    socket.destroy();
  }
}

const request = 'GET /orders HTTP/1.1\r\nhost: a\r\n\r\n';

function roundTrips(socket: TLSSocket, count: number): Promise<readonly number[]> {
  return new Promise((resolve, reject) => {
    const times: number[] = [];
    let sent = 0;
    const send = (): void => {
      sent = performance.now();
      socket.write(request);
    };
    // Answers are small, and come in one piece.
    socket.on('data', () => {
      times.push((performance.now() - sent) * 1_000);
      if (times.length === count) resolve(times);
      else send();
    });
    socket.once('close', () => reject(new Error('the connection was closed')));
    send();
  });
}

export function percentile(times: readonly number[], share: number): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length * share)]!;
}
