import type { IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { Call, Unary } from './call.ts';
import { Frames, frame } from './frames.ts';
import { answerHead, isOpen, okTrailers, withTrailers } from './refuse.ts';
import type { Rounds, Waiting } from './rounds.ts';
import { GrpcError, status } from './status.ts';

export interface UnaryOptions {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly unary: Unary;
  readonly rounds: Rounds;
  readonly messageBytes: number;
  /** Milliseconds that the caller waits. */
  readonly timeout: number | undefined;
  readonly fail: (error: unknown) => void;
  /** It has been read to its end. */
  readonly said: () => void;
  /** The answer is on its way. */
  readonly answered: () => void;
}

/** Reads one message and answers it. */
export function answerUnary(stream: ServerHttp2Stream, options: UnaryOptions): void {
  const { path, headers, unary, rounds, messageBytes, timeout, fail, said, answered: gone } = options;
  const frames = new Frames(messageBytes);
  const until = timeout === undefined ? undefined : performance.now() + timeout;
  let message: Buffer | undefined;
  stream.on('data', (chunk: Buffer) => {
    try {
      for (const one of frames.push(chunk)) {
        if (message !== undefined) throw new GrpcError(status.internal, 'got two messages, want one');
        message = one;
      }
    } catch (error) {
      fail(error);
    }
  });
  stream.on('end', () => {
    said();
    if (stream.destroyed || stream.headersSent) return;
    if (message === undefined || frames.open)
      return fail(new GrpcError(status.internal, 'got no whole message, want one'));
    rounds.add(waiting(message));
  });

  function waiting(asked: Buffer): Waiting {
    let answered: Uint8Array | undefined;
    return {
      ask() {
        if (!isOpen(stream)) return;
        const call = new UnaryCall(stream, headers, path);
        try {
          const found = unary(asked, call);
          if (found instanceof Promise) later(call, found);
          else answered = found;
        } catch (error) {
          fail(error);
        }
      },
      answer() {
        if (answered !== undefined) answer(answered);
      },
    };
  }

  /** Only who must wait needs a clock. */
  function later(call: UnaryCall, answered: Promise<Uint8Array>): void {
    const left = until === undefined ? undefined : Math.min(until - performance.now(), longestTimer);
    const timer = left === undefined ? undefined : setTimeout(() => giveUp(call), Math.max(0, left));
    answered.then(answer, fail).finally(() => clearTimeout(timer));
  }

  function giveUp(call: UnaryCall): void {
    call.abort();
    fail(late());
  }

  function answer(bytes: Uint8Array): void {
    if (!isOpen(stream)) return;
    if (until !== undefined && performance.now() > until) return fail(late());
    try {
      stream.respond(answerHead, withTrailers);
      stream.once('wantTrailers', () => stream.sendTrailers(okTrailers));
      stream.end(frame(bytes));
      gone();
    } catch (error) {
      fail(error);
    }
  }
}

/** What a timer can hold. */
const longestTimer = 2_147_483_647;

function late(): GrpcError {
  return new GrpcError(status.deadlineExceeded, 'the time for this call is over');
}

class UnaryCall implements Call {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly #stream: ServerHttp2Stream;
  #over: AbortController | undefined;

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, path: string) {
    this.#stream = stream;
    this.headers = headers;
    this.path = path;
  }

  get session(): ServerHttp2Session {
    return this.#stream.session as ServerHttp2Session;
  }

  /** Made for those who ask: most calls are answered before anything can end them. */
  get signal(): AbortSignal {
    if (this.#over === undefined) {
      const over = new AbortController();
      this.#over = over;
      if (this.#stream.destroyed) over.abort();
      else this.#stream.once('close', () => over.abort());
    }
    return this.#over.signal;
  }

  abort(): void {
    this.#over?.abort();
  }
}
