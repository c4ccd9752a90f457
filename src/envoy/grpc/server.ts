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
import { Budget } from './budget.ts';
import type { Method, Streaming, Unary } from './call.ts';
import { converse, type Talk } from './conversation.ts';
import { type Desk, Exchange } from './exchange.ts';
import { refuse, refuseHttp } from './refuse.ts';
import { Rounds } from './rounds.ts';
import { GrpcError, status } from './status.ts';
import { readTimeout } from './timeout.ts';

export interface GrpcLimits {
  readonly messageBytes: number;
  /** Of messages that are not yet said whole, of everybody and of one connection. */
  readonly sayingBytes: number;
  readonly sayingBytesPerSession: number;
  /** Conversations, which take no place from calls, of everybody and of one connection. */
  readonly conversations: number;
  readonly conversationsPerSession: number;
  readonly streamsPerSession: number;
  readonly sessions: number;
  /** Milliseconds that a call may wait for its turn while those that came with it are answered. */
  readonly turn: number;
  /** Milliseconds for a message to be said whole, and for a call's answer to be read. */
  readonly reading: number;
}

/** Those that nobody configures. */
const fixed = {
  messageBytes: 4_194_304,
  sayingBytes: 67_108_864,
  sayingBytesPerSession: 16_777_216,
  conversations: 10_000,
  conversationsPerSession: 100,
};

export interface GrpcServerOptions {
  readonly methods: ReadonlyMap<string, Method>;
  readonly limits: Omit<GrpcLimits, keyof typeof fixed> & Partial<GrpcLimits>;
  readonly tls?: SecureServerOptions;
  /** Who calls, before anything of the call is read; throws `GrpcError` for whom it does not know. */
  readonly admit?: (session: ServerHttp2Session) => void | Promise<void>;
  /** Whether one more single call may be answered now, or is refused before it is read; `leave` when one is over. */
  readonly load: { enter(): boolean; leave(): void };
  readonly onShed?: () => void;
  /** An error that is no `GrpcError`: ours, whoever called learns nothing of it. */
  readonly onError?: (error: unknown) => void;
}

/** What is known of a connection. */
interface Line {
  readonly saying: Budget;
  admitted: true | Promise<void> | undefined;
  conversations: number;
}

/**
 * gRPC over HTTP/2 as Envoy and the clients of its family speak it, on what Node has for HTTP/2: windows, GOAWAY and
 * resets are Node's. `@grpc/grpc-js` answers three quarters as many single calls (RESULTS.md).
 */
export function createGrpcServer(options: GrpcServerOptions): Http2Server {
  const { methods, admit, load, onShed, onError } = options;
  const limits: GrpcLimits = { ...fixed, ...options.limits };
  const settings = { settings: { maxConcurrentStreams: limits.streamsPerSession } };
  const server =
    options.tls === undefined
      ? createServer(settings)
      : (createSecureServer({ ...settings, ...options.tls }) as unknown as Http2Server);
  // Who has not yet said a word, or has not ended its handshake, has no session.
  server.maxConnections = limits.sessions;
  const saying = new Budget(limits.sayingBytes);
  const lines = new WeakMap<ServerHttp2Session, Line>();
  const underway = new Set<Exchange>();
  const talks = new Set<Talk>();
  const desk: Desk = {
    rounds: new Rounds(limits.turn),
    messageBytes: limits.messageBytes,
    publicError,
    said,
    shed,
    left,
  };
  let lingering: Exchange[] = [];
  let conversations = 0;
  let sessions = 0;

  const sweep = setInterval(
    () => {
      const now = performance.now();
      for (const exchange of underway) exchange.hurry(now, now - limits.reading);
      for (const talk of talks) talk.hurry(now, now - limits.reading);
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
    const line = lineOf(session);
    const call =
      'unary' in method
        ? singleCall(stream, headers, method.unary)
        : conversation(stream, line, headers, method.streaming);
    if (call === undefined) {
      shed();
      return refuse(stream, new GrpcError(status.unavailable, 'too many calls at once'));
    }
    const begin = () => {
      try {
        if (stream.destroyed) return;
        call.begin(readTimeout(headers['grpc-timeout'] as string | undefined), line.saying);
      } catch (error) {
        refuse(stream, publicError(error));
      }
    };
    const known = admit === undefined ? true : line.admitted;
    if (known === true) begin();
    else (known ?? ask(session, line)).then(begin, (error: unknown) => refuse(stream, publicError(error)));
  });
  return server;

  function lineOf(session: ServerHttp2Session): Line {
    let line = lines.get(session);
    if (line === undefined) {
      const own = new Budget(limits.sayingBytesPerSession, saying);
      line = { saying: own, admitted: undefined, conversations: 0 };
      lines.set(session, line);
    }
    return line;
  }

  // Undefined: there are as many as there may be.

  function singleCall(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    unary: Unary,
  ): Exchange | undefined {
    if (!load.enter()) return undefined;
    const exchange = new Exchange(stream, headers, unary, desk);
    underway.add(exchange);
    return exchange;
  }

  function said(exchange: Exchange): void {
    if (lingering.push(exchange) > 1) return;
    setImmediate(() => {
      const all = lingering;
      lingering = [];
      for (const one of all) one.linger();
    });
  }

  function shed(): void {
    onShed?.();
  }

  function left(exchange: Exchange): void {
    underway.delete(exchange);
    load.leave();
  }

  /** They last, so that whoever opens many must not keep calls out. */
  function conversation(
    stream: ServerHttp2Stream,
    line: Line,
    headers: IncomingHttpHeaders,
    streaming: Streaming,
  ): { begin(timeout: number | undefined, saying: Budget): void } | undefined {
    if (conversations >= limits.conversations || line.conversations >= limits.conversationsPerSession)
      return undefined;
    conversations++;
    line.conversations++;
    let talk: Talk | undefined;
    stream.once('close', () => {
      conversations--;
      line.conversations--;
      if (talk !== undefined) talks.delete(talk);
    });
    const { messageBytes } = limits;
    return {
      begin(_, saying) {
        talk = converse(stream, { headers, streaming, messageBytes, saying, publicError });
        talks.add(talk);
      },
    };
  }

  /** Asked once for a connection; who was refused is refused as long as it lasts. */
  function ask(session: ServerHttp2Session, line: Line): Promise<void> {
    const asked = (async () => {
      await admit?.(session);
      line.admitted = true;
    })();
    line.admitted = asked;
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
