import { readFileSync } from 'node:fs';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type SecureClientSessionOptions,
} from 'node:http2';
import type { Serving } from './world.ts';

/** A client that sends whatever bytes it likes. */

export const head = { ':method': 'POST', 'content-type': 'application/grpc', te: 'trailers' };

export interface Answer {
  readonly status: string;
  readonly words: string;
  readonly body: Buffer;
}

export interface Opened {
  readonly stream: ClientHttp2Stream;
  readonly answer: Promise<Answer>;
}

export class RawClient {
  readonly #placet: () => Serving;
  readonly #sessions: ClientHttp2Session[] = [];

  constructor(placet: () => Serving) {
    this.#placet = placet;
  }

  session(options: SecureClientSessionOptions = {}): ClientHttp2Session {
    const made = connect(`http://127.0.0.1:${this.#placet().port}`, options);
    made.on('error', () => undefined);
    this.#sessions.push(made);
    return made;
  }

  /** Megabytes that the service has in memory. */
  resident(): number {
    const status = readFileSync(`/proc/${this.#placet().pid()}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024;
  }

  close(): void {
    for (const session of this.#sessions) session.destroy();
  }
}

export function open(over: ClientHttp2Session, path: string): Opened {
  const stream = over.request({ ...head, ':path': path });
  let [status, words] = ['none', ''];
  const chunks: Buffer[] = [];
  for (const event of ['response', 'trailers'] as const)
    stream.on(event, (headers) => {
      status = String(headers['grpc-status'] ?? status);
      words = decodeURIComponent(String(headers['grpc-message'] ?? words));
    });
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('error', () => undefined);
  const answer = new Promise<Answer>((resolve) =>
    stream.once('close', () => resolve({ status, words, body: Buffer.concat(chunks) })),
  );
  return { stream, answer };
}

/** What the process may grow by, whatever is sent: allocators do not give back at once. */
export const mostGrowth = 150;
