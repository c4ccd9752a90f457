import { once } from 'node:events';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type Http2Server,
  type IncomingHttpHeaders,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { afterEach } from 'vitest';
import type { Method } from '../../../src/envoy/grpc/call.ts';
import { type Options, openGrpc } from './open.ts';

/** One method served, and clients of two sorts: the library's, and frames by hand. */

export const path = '/test.Echo/Say';
export const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

export async function start(method: Method, options: Partial<Options> = {}): Promise<number> {
  const server: Http2Server = openGrpc({ methods: new Map([[path, method]]), ...options });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

export function raw(port: number): ClientHttp2Session {
  const session = connect(`http://127.0.0.1:${port}`);
  session.on('error', () => undefined);
  closing.push(() => session.destroy());
  return session;
}

export const head = {
  ':method': 'POST',
  ':path': path,
  'content-type': 'application/grpc',
  te: 'trailers',
} as const;

export interface Answer {
  readonly headers: IncomingHttpHeaders;
  readonly status: string | undefined;
  readonly message: string | undefined;
  readonly body: Buffer;
}

export async function finish(stream: ClientHttp2Stream): Promise<Answer> {
  let [headers, trailers]: IncomingHttpHeaders[] = [{}, {}];
  const chunks: Buffer[] = [];
  stream.on('response', (found) => {
    headers = found;
  });
  stream.on('trailers', (found) => {
    trailers = found;
  });
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('error', () => undefined);
  await once(stream, 'close');
  const of = { ...headers, ...trailers };
  return {
    headers: headers ?? {},
    status: of['grpc-status'] as string | undefined,
    message: of['grpc-message'] as string | undefined,
    body: Buffer.concat(chunks),
  };
}

export function say(
  session: ClientHttp2Session,
  parts: readonly Uint8Array[],
  headers: object = {},
): Promise<Answer> {
  const stream = session.request({ ...head, ...headers });
  const answer = finish(stream);
  for (const part of parts) stream.write(part);
  stream.end();
  return answer;
}

export const echo: Method = { unary: (message) => Buffer.from(`got ${message.toString()}`) };

export function grpcJs(port: number): Client {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  closing.push(() => client.close());
  return client;
}

export function callUnary(
  client: Client,
  text: string,
  options: { deadline?: number } = {},
): Promise<{ error?: ServiceError; value?: string }> {
  return new Promise((resolve) => {
    client.makeUnaryRequest(
      path,
      (value: string) => Buffer.from(value),
      (bytes: Buffer) => bytes.toString(),
      text,
      new Metadata(),
      options,
      (error, value) => resolve(error === null ? { value: value as string } : { error }),
    );
  });
}
