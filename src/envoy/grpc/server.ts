import {
  constants,
  createSecureServer,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type SecureServerOptions,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Method, Streaming, Unary } from './call.ts';
import { converse } from './conversation.ts';
import { type Desk, Exchange } from './exchange.ts';
import { refuse, refuseHttp } from './refuse.ts';
import { Rounds } from './rounds.ts';
import { GrpcError, status } from './status.ts';
import { readTimeout } from './timeout.ts';

export interface GrpcLimits {
  readonly messageBytes: number;
  /** Calls that are answered at once; more are refused before they are read. */
  readonly calls: number;
  /** Conversations, which take no place from calls, of everybody and of one connection. */
  readonly conversations: number;
  readonly conversationsPerSession: number;
  readonly streamsPerSession: number;
  readonly sessions: number;
  /** Milliseconds for a call to be said whole, and for its answer to be read. */
  readonly reading: number;
}

export const grpcDefaults: GrpcLimits = {
  messageBytes: 4_194_304,
  calls: 2_000,
  conversations: 10_000,
  conversationsPerSession: 100,
  streamsPerSession: 1_000,
  sessions: 2_000,
  reading: 10_000,
};

export interface GrpcServerOptions {
  readonly methods: ReadonlyMap<string, Method>;
  readonly limits?: Partial<GrpcLimits>;
  readonly tls?: SecureServerOptions;
  /** Who calls, before anything of the call is read; throws `GrpcError` for whom it does not know. */
  readonly admit?: (session: ServerHttp2Session) => void | Promise<void>;
  /** Whether one more single call may be answered now; `leave` when it has been. */
  readonly load?: { enter(): boolean; leave(): void };
  readonly onShed?: () => void;
  /** An error that is no `GrpcError`: ours, whoever called learns nothing of it. */
  readonly onError?: (error: unknown) => void;
}

/**
 * gRPC over HTTP/2 as Envoy and the clients of its family speak it, on what Node has for HTTP/2: windows, GOAWAY and
 * resets are Node's. It answers about twice as many unary calls as `@grpc/grpc-js`.
 */
export function createGrpcServer(options: GrpcServerOptions): Http2Server {
  const { methods, admit, load, onShed, onError } = options;
  const limits: GrpcLimits = { ...grpcDefaults, ...options.limits };
  const settings = { settings: { maxConcurrentStreams: limits.streamsPerSession } };
  const server =
    options.tls === undefined
      ? createServer(settings)
      : (createSecureServer({ ...settings, ...options.tls }) as unknown as Http2Server);
  const admitted = new WeakMap<ServerHttp2Session, true | Promise<void>>();
  const underway = new Set<Exchange>();
  const desk: Desk = { rounds: new Rounds(), messageBytes: limits.messageBytes, publicError, left };
  const conversing = new WeakMap<ServerHttp2Session, number>();
  let conversations = 0;
  let sessions = 0;

  const sweep = setInterval(
    () => {
      const now = performance.now();
      for (const exchange of underway) exchange.hurry(now, now - limits.reading);
    },
    Math.min(1_000, limits.reading),
  ).unref();
  server.once('close', () => clearInterval(sweep));

  server.on('session', (session) => {
    sessions++;
    session.once('close', () => {
      sessions--;
    });
    // Broken frames end the connection, and nothing else.
    session.on('error', () => session.destroy());
    if (sessions > limits.sessions) session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM);
  });
  server.on('sessionError', () => undefined);

  server.on('stream', (stream, headers) => {
    stream.on('error', ignore);
    if (headers[':method'] !== 'POST') return refuseHttp(stream, 405);
    if (!isGrpc(headers['content-type'])) return refuseHttp(stream, 415);
    const path = headers[':path'] ?? '';
    const method = methods.get(path);
    if (method === undefined)
      return refuse(stream, new GrpcError(status.unimplemented, `there is no ${path}`));
    const session = stream.session as ServerHttp2Session;
    const call =
      'unary' in method
        ? singleCall(stream, headers, method.unary)
        : conversation(stream, session, headers, method.streaming);
    if (call === undefined) {
      onShed?.();
      return refuse(stream, new GrpcError(status.unavailable, 'too many calls at once'));
    }
    const begin = () => {
      try {
        if (!stream.destroyed) call.begin(readTimeout(headers['grpc-timeout'] as string | undefined));
      } catch (error) {
        refuse(stream, publicError(error));
      }
    };
    const known = admit === undefined ? true : admitted.get(session);
    if (known === true) begin();
    else (known ?? ask(session)).then(begin, (error: unknown) => refuse(stream, publicError(error)));
  });
  return server;

  // Undefined: there are as many as there may be.

  function singleCall(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    unary: Unary,
  ): Exchange | undefined {
    if (underway.size >= limits.calls || load?.enter() === false) return undefined;
    const exchange = new Exchange(stream, headers, unary, desk);
    underway.add(exchange);
    return exchange;
  }

  function left(exchange: Exchange): void {
    underway.delete(exchange);
    load?.leave();
  }

  /** They last, so that whoever opens many must not keep calls out. */
  function conversation(
    stream: ServerHttp2Stream,
    session: ServerHttp2Session,
    headers: IncomingHttpHeaders,
    streaming: Streaming,
  ): { begin(): void } | undefined {
    const own = conversing.get(session) ?? 0;
    if (conversations >= limits.conversations || own >= limits.conversationsPerSession) return undefined;
    conversations++;
    conversing.set(session, own + 1);
    stream.once('close', () => {
      conversations--;
      conversing.set(session, (conversing.get(session) ?? 1) - 1);
    });
    const { messageBytes } = limits;
    return { begin: () => converse(stream, { headers, streaming, messageBytes, publicError }) };
  }

  /** Asked once for a connection; who was refused is refused as long as it lasts. */
  function ask(session: ServerHttp2Session): Promise<void> {
    const asked = (async () => {
      await admit?.(session);
      admitted.set(session, true);
    })();
    admitted.set(session, asked);
    return asked;
  }

  function publicError(error: unknown): GrpcError {
    if (error instanceof GrpcError) return error;
    try {
      onError?.(error);
    } catch {
      // Whoever hears of errors must not add one to those of calls that came with this one.
    }
    return new GrpcError(status.internal, 'an error of the server');
  }
}

/** Whoever made a stream fail is not there any more to be told. */
function ignore(): void {}

function isGrpc(type: string | undefined): boolean {
  return (
    type === 'application/grpc' || (type !== undefined && /^application\/grpc(?:\+proto)?(?:;|$)/.test(type))
  );
}
