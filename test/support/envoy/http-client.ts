import type { TLSSocket } from 'node:tls';
import { type Address, connectTls, type Peer } from './tls-client.ts';

/** What goes over the wire, byte for byte: nothing is normalised, escaped or checked. */
export interface Probe {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Sends one after the other over one connection and gives their status codes in order. Envoy ends a connection after
 * a request that it does not understand; the rest goes over a new one. None is sent before the one in front of it is
 * answered: Envoy takes a client with two answers waiting for a flood. Undefined: the handshake was refused.
 */
export async function askHttp(
  address: Address,
  peer: Peer,
  probes: readonly (Probe & { readonly id: string })[],
): Promise<readonly number[] | undefined> {
  const codes: number[] = [];
  while (codes.length < probes.length) {
    const socket = await connectTls(address, peer);
    if (socket === undefined) {
      if (codes.length > 0) throw new Error('a peer that was let in before was refused');
      return undefined;
    }
    const before = codes.length;
    await overOne(socket, probes.slice(before), codes);
    if (codes.length === before) throw new Error(`no answer to ${write(probes[before]!)}`);
  }
  return codes;
}

function write({ id, method = 'GET', path = '/', headers = {} }: Probe & { id: string }): string {
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = method === 'GET' || method === 'HEAD' ? '' : 'content-length: 0\r\n';
  return `${method} ${path} HTTP/1.1\r\nhost: a\r\nx-probe: ${id}\r\n${length}${more.join('')}\r\n`;
}

function overOne(
  socket: TLSSocket,
  probes: readonly (Probe & { id: string })[],
  codes: number[],
): Promise<void> {
  return new Promise((resolve) => {
    let at = 0;
    let rest: Buffer = Buffer.alloc(0);
    const send = () => {
      const probe = probes[at];
      if (probe === undefined) socket.destroy();
      else socket.write(write(probe));
    };
    socket.on('data', (data: Buffer) => {
      rest = rest.length === 0 ? data : Buffer.concat([rest, data]);
      const answer = readAnswer(rest, probes[at]?.method === 'HEAD');
      if (answer === undefined) return;
      rest = rest.subarray(answer.bytes);
      codes.push(answer.code);
      at++;
      if (answer.last) socket.destroy();
      else send();
    });
    socket.once('close', () => resolve());
    send();
  });
}

interface Answer {
  readonly code: number;
  readonly bytes: number;
  readonly last: boolean;
}

function readAnswer(bytes: Buffer, bodiless: boolean): Answer | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const head = bytes.toString('latin1', 0, end).toLowerCase();
  const length = bodiless ? 0 : Number(/\r\ncontent-length: (\d+)/.exec(head)?.[1] ?? 0);
  const total = end + 4 + length;
  if (bytes.length < total) return undefined;
  return { code: Number(head.slice(9, 12)), bytes: total, last: head.includes('\r\nconnection: close') };
}
