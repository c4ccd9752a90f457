import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import {
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { frameOf } from '../../../src/attributes/workload-api/frames.ts';
import type { Method } from '../../../src/attributes/workload-api/grpc.ts';
import { fieldOf } from '../../../src/attributes/workload-api/protobuf.ts';
import type { Authority, Certificate } from '../../support/certificates/index.ts';

/** A call as it reached the server, to be answered rightly or wrongly. */
export interface Call {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly stream: ServerHttp2Stream;
  /** The whole request, its frame included. */
  readonly request: Promise<Buffer>;
  /** Begins the answer, if it has not begun, and sends bytes as they are. */
  send(...bytes: readonly Uint8Array[]): void;
  /** Messages, each in a frame. */
  say(...messages: readonly Uint8Array[]): void;
  /** Ends with a status in the trailers; alone, if nothing was said before, in the head. */
  end(status: number, message?: string): void;
}

/** A Workload API over HTTP/2 on a socket of its own, whose answers a test writes. */
export class TestServer {
  readonly calls: Call[] = [];
  /** What a method does with a call; a method without one stays silent. */
  readonly answers: Partial<Record<Method, (call: Call) => void>> = {};
  readonly #folder = mkdtempSync(join(tmpdir(), 'pl-'));
  readonly #sessions = new Set<ServerHttp2Session>();
  #server: Http2Server | undefined;

  get path(): string {
    return join(this.#folder, 'api.sock');
  }

  /** Connections that are open. */
  get connections(): number {
    return this.#sessions.size;
  }

  async listen(): Promise<this> {
    this.#server = createServer();
    this.#server.on('session', (session) => {
      this.#sessions.add(session);
      session.on('error', () => undefined);
      session.on('close', () => this.#sessions.delete(session));
    });
    this.#server.on('stream', (stream, headers) => {
      const call = callOf(stream, headers);
      this.calls.push(call);
      this.answers[call.method as Method]?.(call);
    });
    await once(this.#server.listen(this.path), 'listening');
    return this;
  }

  /** As if it were killed. */
  async stop(): Promise<void> {
    for (const session of this.#sessions) session.destroy();
    const server = this.#server;
    this.#server = undefined;
    if (server !== undefined) await new Promise((resolve) => server.close(resolve));
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true });
  }

  callsOf(method: Method): readonly Call[] {
    return this.calls.filter((call) => call.method === method);
  }
}

function callOf(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Call {
  // A client that goes away while it is answered is no matter.
  stream.on('error', () => undefined);
  const request = (async () => {
    const pieces: Buffer[] = [];
    for await (const piece of stream) pieces.push(piece as Buffer);
    return Buffer.concat(pieces);
  })();
  request.catch(() => undefined);
  const head = { ':status': 200, 'content-type': 'application/grpc' };
  const say = (...bytes: readonly Uint8Array[]) => {
    if (stream.destroyed) return;
    if (!stream.headersSent) stream.respond(head, { waitForTrailers: true });
    for (const one of bytes) stream.write(one);
  };
  return {
    method: String(headers[':path']).replace('/SpiffeWorkloadAPI/', ''),
    headers,
    stream,
    request,
    send: say,
    say: (...messages) => say(...messages.map(frameOf)),
    end(status, message) {
      const last = {
        'grpc-status': String(status),
        ...(message === undefined ? {} : { 'grpc-message': encodeURIComponent(message) }),
      };
      if (stream.destroyed) return;
      if (!stream.headersSent) return stream.respond({ ...head, ...last }, { endStream: true });
      stream.once('wantTrailers', () => stream.sendTrailers(last));
      stream.end();
    },
  };
}

/** DER after DER. */
export function ders(...pems: readonly string[]): Uint8Array {
  const blocks = pems.join('').match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? [];
  return Buffer.concat(
    blocks.map((block) => Buffer.from(block.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64')),
  );
}

export interface SvidParts {
  readonly id: string;
  readonly certificate: Certificate;
  readonly authority: Authority;
  readonly hint?: string;
}

/** One entry of an X509SVIDResponse, with parts of it as they should not be. */
export function svidEntry(
  { id, certificate, authority, hint }: SvidParts,
  wrong: Partial<Record<'id' | 'chain' | 'key' | 'bundle', Uint8Array | string>> = {},
): Uint8Array {
  return Buffer.concat([
    fieldOf(1, wrong.id ?? id),
    fieldOf(2, wrong.chain ?? ders(certificate.chain)),
    fieldOf(3, wrong.key ?? ders(certificate.key)),
    fieldOf(4, wrong.bundle ?? ders(authority.bundle)),
    ...(hint === undefined ? [] : [fieldOf(5, hint)]),
  ]);
}

export function svidMessage(...entries: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(entries.map((entry) => fieldOf(1, entry)));
}

/** An X509BundlesResponse (field 2) or a JWTBundlesResponse (field 1). */
export function bundleMessage(
  number: 1 | 2,
  bundles: Readonly<Record<string, Uint8Array | string>>,
): Uint8Array {
  return Buffer.concat(
    Object.entries(bundles).map(([id, value]) =>
      fieldOf(number, Buffer.concat([fieldOf(1, id), fieldOf(2, value)])),
    ),
  );
}
