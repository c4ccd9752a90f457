import {
  type ClientHttp2Session,
  connect,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { type Endpoint, nameOf } from './endpoint.ts';
import { frameOf, messagesOf } from './frames.ts';

type Head = IncomingHttpHeaders & IncomingHttpStatusHeader;

/** Status codes of gRPC that mean something to us. */
export const statuses = {
  ok: 0,
  unknown: 2,
  invalidArgument: 3,
  permissionDenied: 7,
  unimplemented: 12,
} as const;

/** A call that the server ended with another status than OK. */
export class GrpcError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'GrpcError';
    this.status = status;
  }
}

const service = '/SpiffeWorkloadAPI';

export type Method = 'FetchX509SVID' | 'FetchX509Bundles' | 'FetchJWTBundles' | 'FetchJWTSVID';

/**
 * The messages with which the server answers a request, until it ends the call: then this returns, or throws what
 * the server says. Each call has a connection of its own, so that opening it anew never meets one that is dead.
 */
export async function* call(
  endpoint: Endpoint,
  method: Method,
  request: Uint8Array,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted();
  const session = connect('http://localhost', {
    createConnection: () => connectSocket(endpoint),
    settings: { enablePush: false },
  });
  let lost: Error | undefined;
  session.on('error', (error) => {
    lost ??= error;
  });
  session.on('goaway', (code) => {
    if (code !== 0) lost ??= new Error(`the server went away with the HTTP/2 error ${code}`);
  });
  const stop = (): void => session.destroy();
  signal.addEventListener('abort', stop);
  try {
    yield* answers(session, method, request);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof GrpcError || lost === undefined) throw error;
    throw new Error(`${nameOf(endpoint)} cannot be reached or was lost: ${lost.message}`, { cause: lost });
  } finally {
    signal.removeEventListener('abort', stop);
    session.destroy();
  }
  signal.throwIfAborted();
}

async function* answers(
  session: ClientHttp2Session,
  method: Method,
  request: Uint8Array,
): AsyncGenerator<Uint8Array> {
  const stream = session.request({
    ':method': 'POST',
    ':path': `${service}/${method}`,
    'content-type': 'application/grpc',
    te: 'trailers',
    // Standard §3: what a request that somebody else was tricked into could not carry.
    'workload.spiffe.io': 'true',
  });
  let head: Head = {};
  let trailers: IncomingHttpHeaders | undefined;
  stream.on('response', (headers) => {
    head = headers;
  });
  stream.on('trailers', (headers) => {
    trailers = headers;
  });
  // Whoever reads is told; what comes after the last read concerns nobody.
  stream.on('error', () => undefined);
  stream.end(frameOf(request));
  const body = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of stream) {
      checkHead(head);
      yield chunk as Uint8Array;
    }
  };
  yield* messagesOf(body());
  checkEnd(head, trailers);
}

function checkHead(head: Head): void {
  const { ':status': status, 'content-type': type = '' } = head;
  if (status !== 200 || !/^application\/grpc(?:$|[+;])/.test(type))
    throw new Error(
      `got an answer with the HTTP status ${status ?? 'none'} and the type ${JSON.stringify(type.slice(0, 64))}, want gRPC`,
    );
}

/** The status is in the trailers, or in the head of an answer that is nothing else. */
function checkEnd(head: Head, trailers: IncomingHttpHeaders | undefined): void {
  const last = trailers ?? head;
  const code: unknown = last['grpc-status'];
  if (code === undefined) {
    if (head[':status'] !== undefined) checkHead(head);
    throw new Error('got a stream that ended without a status');
  }
  const status = /^\d{1,3}$/.test(String(code)) ? Number(code) : statuses.unknown;
  if (status !== statuses.ok) throw new GrpcError(status, said(status, last['grpc-message']));
}

const mostWords = 300;

/** What the server says is shown to people: at no length, and percent-decoded where it can be. */
function said(status: number, message: unknown): string {
  const text = String(message ?? '').slice(0, mostWords);
  const named = namesOf.get(status) ?? `the gRPC status ${status}`;
  return text === '' ? named : `${named}: ${decoded(text)}`;
}

const namesOf: ReadonlyMap<number, string> = new Map([
  [statuses.invalidArgument, 'InvalidArgument'],
  [statuses.permissionDenied, 'PermissionDenied'],
  [statuses.unimplemented, 'Unimplemented'],
  [14, 'Unavailable'],
]);

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
