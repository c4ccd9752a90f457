import type { IncomingHttpHeaders, ServerHttp2Session } from 'node:http2';
import type { GrpcError } from './status.ts';

export interface Call {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** As long as the call is not over. */
  readonly session: ServerHttp2Session;
  /** Ends when nobody waits any more: cancelled, out of time, or the connection lost. */
  readonly signal: AbortSignal;
}

export type Unary = (message: Buffer, call: Call) => Uint8Array | Promise<Uint8Array>;

/** One side of a conversation. */
export interface Conversation extends Call {
  /** One message, in parts that are not copied. False: more should wait until the other side has read. */
  send(...parts: readonly Uint8Array[]): boolean;
  end(error?: GrpcError): void;
}

export interface Listener {
  message(message: Buffer): void;
  /** The other side has said all it has to say. */
  half(): void;
  /** It is over, however it came to be. */
  closed(): void;
}

export type Streaming = (conversation: Conversation) => Listener;

export type Method = { readonly unary: Unary } | { readonly streaming: Streaming };
