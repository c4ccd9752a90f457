import {
  constants,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Budget } from './budget.ts';
import type { Conversation, Streaming } from './call.ts';
import { Frames, frameHead } from './frames.ts';
import { answerHead, answerWithTrailers, trailersOf } from './refuse.ts';
import { GrpcError, status } from './status.ts';

export interface ConversationOptions {
  readonly headers: IncomingHttpHeaders;
  readonly streaming: Streaming;
  readonly messageBytes: number;
  /** For what is not yet said whole. */
  readonly saying: Budget;
  /** What the caller may know of an error. */
  readonly publicError: (error: unknown) => GrpcError;
}

/** Bytes that may wait for a client when more is to be sent. */
const mostUnread = 1_048_576;

export interface Talk {
  /** Ends it if a message was begun before `oldest` and is not whole; and lets go of it if it was ended before that. */
  hurry(now: number, oldest: number): void;
}

/** Both sides say as many messages as they like. */
export function converse(stream: ServerHttp2Stream, options: ConversationOptions): Talk {
  const { headers, streaming, messageBytes, saying, publicError } = options;
  const frames = new Frames(messageBytes, saying);
  /** Of the message that is not whole. */
  let begun: number | undefined;
  /** Since when it is known to be over. */
  let ended: number | undefined;
  const over = new AbortController();
  let trailers = trailersOf(status.ok, '');
  const conversation: Conversation = {
    path: headers[':path'] as string,
    headers,
    session: stream.session as ServerHttp2Session,
    signal: over.signal,
    send(...parts) {
      if (stream.destroyed || stream.writableEnded) return false;
      if (stream.writableLength > mostUnread) {
        conversation.end(new GrpcError(status.resourceExhausted, 'what was sent before is not read'));
        return false;
      }
      const length = parts.reduce((sum, part) => sum + part.length, 0);
      let free = stream.write(frameHead(length));
      for (const part of parts) free = stream.write(part);
      return free;
    },
    end(error) {
      frames.drop();
      if (stream.destroyed || stream.writableEnded) return;
      if (error !== undefined) trailers = trailersOf(error.status, error.message);
      stream.end();
    },
  };
  const listener = streaming(conversation);
  stream.respond(answerHead, answerWithTrailers);
  stream.once('wantTrailers', () => {
    stream.sendTrailers(trailers);
    // Whoever was told that it is over must not keep the stream by going on; a reset would overtake the trailers.
    setImmediate(() => {
      if (!stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
    });
  });
  stream.once('close', () => {
    frames.drop();
    over.abort();
    listener.closed();
  });
  const guarded = (act: () => void) => {
    if (stream.writableEnded) return;
    try {
      act();
    } catch (error) {
      conversation.end(publicError(error));
    }
  };
  stream.on('data', (chunk: Buffer) =>
    guarded(() => {
      const messages = frames.push(chunk);
      if (!frames.open) begun = undefined;
      else if (begun === undefined || messages.length > 0) begun = performance.now();
      for (const message of messages) {
        // What one of them came to may be the end.
        if (stream.writableEnded) return;
        listener.message(message);
      }
    }),
  );
  stream.on('end', () =>
    guarded(() => {
      if (frames.open) throw new GrpcError(status.internal, 'got half a message, want it whole');
      listener.half();
    }),
  );
  return {
    hurry(now, oldest) {
      if (stream.closed || stream.writableEnded) {
        ended ??= now;
        if (ended > oldest) return;
        // Even that is not taken: nobody reads the connection, or nobody is there any more.
        if (stream.closed) stream.session?.destroy();
        else stream.close(constants.NGHTTP2_CANCEL);
        ended = now;
        return;
      }
      if (begun === undefined || begun > oldest) return;
      conversation.end(new GrpcError(status.deadlineExceeded, 'the message was not said whole in time'));
    },
  };
}
