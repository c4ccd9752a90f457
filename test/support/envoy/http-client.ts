import type { TLSSocket } from 'node:tls';
import { type Address, connectTls, type Peer } from './tls-client.ts';

/** What goes over the wire, byte for byte: nothing is normalised, escaped or checked. */
export interface Probe {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One connection, over which one request is under way at a time: Envoy takes a client with two for a flood. */
export interface Connection {
  /** The status code. Undefined: it ended without an answer, or had ended before. */
  ask(probe: Probe, id?: string): Promise<number | undefined>;
  /** Until either side ends it. */
  readonly open: boolean;
  close(): void;
}

/** Undefined: the handshake was refused. */
export async function connectHttp(address: Address, peer: Peer): Promise<Connection | undefined> {
  const socket = await connectTls(address, peer);
  return socket === undefined ? undefined : new OverTls(socket);
}

/**
 * Sends one after the other over one connection and gives their status codes in order. Envoy ends a connection after
 * a request that it does not understand; the rest goes over a new one, unseen. Undefined: the handshake was refused.
 */
export async function askHttp(
  address: Address,
  peer: Peer,
  probes: readonly (Probe & { readonly id: string })[],
): Promise<readonly number[] | undefined> {
  const codes: number[] = [];
  while (codes.length < probes.length) {
    const connection = await connectHttp(address, peer);
    if (connection === undefined) {
      if (codes.length > 0) throw new Error('a peer that was let in before was refused');
      return undefined;
    }
    const before = codes.length;
    while (codes.length < probes.length) {
      const { id, ...probe } = probes[codes.length]!;
      const code = await connection.ask(probe, id);
      if (code === undefined) break;
      codes.push(code);
    }
    connection.close();
    if (codes.length === before) throw new Error(`no answer to ${write(probes[before]!)}`);
  }
  return codes;
}

function write({ id, method = 'GET', path = '/', headers = {} }: Probe & { id: string }): string {
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = method === 'GET' || method === 'HEAD' ? '' : 'content-length: 0\r\n';
  return `${method} ${path} HTTP/1.1\r\nhost: a\r\nx-probe: ${id}\r\n${length}${more.join('')}\r\n`;
}

class OverTls implements Connection {
  readonly #socket: TLSSocket;
  #rest: Buffer = Buffer.alloc(0);
  #bodiless = false;
  #answered: ((code: number | undefined) => void) | undefined;

  constructor(socket: TLSSocket) {
    this.#socket = socket;
    socket.on('data', (data: Buffer) => this.#take(data));
    socket.once('end', () => socket.destroy());
    socket.once('close', () => this.#answer(undefined));
  }

  get open(): boolean {
    return !this.#socket.destroyed;
  }

  ask(probe: Probe, id = ''): Promise<number | undefined> {
    if (!this.open) return Promise.resolve(undefined);
    this.#bodiless = probe.method === 'HEAD';
    return new Promise((resolve) => {
      this.#answered = resolve;
      this.#socket.write(write({ ...probe, id }));
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(data: Buffer): void {
    this.#rest = this.#rest.length === 0 ? data : Buffer.concat([this.#rest, data]);
    const answer = readAnswer(this.#rest, this.#bodiless);
    if (answer === undefined) return;
    this.#rest = this.#rest.subarray(answer.bytes);
    if (answer.last) this.#socket.destroy();
    this.#answer(answer.code);
  }

  #answer(code: number | undefined): void {
    const answered = this.#answered;
    this.#answered = undefined;
    answered?.(code);
  }
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
