import {
  constants,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Budget } from './budget.ts';
import type { Call, Unary } from './call.ts';
import { Frames, frame, tooMuch } from './frames.ts';
import { answerHead, answerWithTrailers, isOpen, okTrailers, refuse } from './refuse.ts';
import type { Rounds, Waiting } from './rounds.ts';
import { GrpcError, status } from './status.ts';

/** What all exchanges of a server share. */
export interface Desk {
  readonly rounds: Rounds;
  readonly messageBytes: number;
  /** What the caller may know of an error. */
  publicError(error: unknown): GrpcError;
  /** A message is whole; the call is looked at again when all that came with it has been read. */
  said(exchange: Exchange): void;
  /** A call was turned away. */
  shed(): void;
  /** It is over, however it came to be. */
  left(exchange: Exchange): void;
}

/**
 * One message and its answer. Node keeps what hangs on a stream for much longer than the stream is used, until all of
 * the memory is collected, so that nothing is left here when it is over: what is kept would be copied twice before.
 */
export class Exchange implements Call, Waiting {
  readonly path: string;
  /** Milliseconds of `performance.now()`: when it began to be said, and then when its answer was sent. */
  since = performance.now();
  readonly #stream: ServerHttp2Stream;
  readonly #desk: Desk;
  readonly #unary: Unary;
  #headers: IncomingHttpHeaders | undefined;
  #frames: Frames | undefined;
  #saying: Budget | undefined;
  /** Of that budget, for a message that is whole where the call is not yet over. */
  #held = 0;
  #message: Buffer | undefined;
  #answer: Uint8Array | undefined;
  /** As `since`: when nobody waits for the answer any more. */
  #until: number | undefined;
  #over: AbortController | undefined;
  /** An answer was promised. */
  #isWorkedFor = false;
  /** Who must act next. */
  #turn: 'client speaks' | 'ours' | 'client reads' = 'client speaks';

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, unary: Unary, desk: Desk) {
    this.#stream = stream;
    this.#headers = headers;
    this.path = headers[':path'] as string;
    this.#unary = unary;
    this.#desk = desk;
    stream.on('close', () => this.#close());
  }

  get headers(): IncomingHttpHeaders {
    return this.#headers ?? {};
  }

  get session(): ServerHttp2Session {
    return this.#stream.session as ServerHttp2Session;
  }

  /** Made for those who ask: most calls are answered before anything can end them. */
  get signal(): AbortSignal {
    if (this.#over === undefined) {
      this.#over = new AbortController();
      if (this.#stream.destroyed) this.#over.abort();
    }
    return this.#over.signal;
  }

  /** Reads it from here on; `timeout`: milliseconds that the caller waits; `saying`: for what is not yet said whole. */
  begin(timeout: number | undefined, saying: Budget): void {
    if (timeout !== undefined) this.#until = this.since + timeout;
    this.#saying = saying;
    this.#frames = new Frames(this.#desk.messageBytes, saying);
    this.#stream.on('data', (chunk: Buffer) => this.#read(chunk));
    this.#stream.on('end', () => this.#whole());
  }

  /** Ends it if its time is over: that of the client itself, or that which it had to speak or read (before `oldest`). */
  hurry(now: number, oldest: number): void {
    const slow = this.since <= oldest;
    if (this.#turn === 'client speaks') {
      if (this.#until !== undefined && now > this.#until) this.fail(late());
      else if (slow) this.fail(new GrpcError(status.deadlineExceeded, 'the call was not said whole in time'));
    } else if (this.#turn === 'client reads' && slow) {
      // It was ended before, and even that is not taken: nobody reads the connection.
      if (this.#stream.closed) this.#stream.session?.destroy();
      else this.#stream.close(constants.NGHTTP2_CANCEL);
      this.since = now;
    }
  }

  fail(error: unknown): void {
    refuse(this.#stream, this.#desk.publicError(error));
    this.#unhear();
    this.#ended();
  }

  /** A message that is whole while its call goes on is kept like one that is not. */
  linger(): void {
    const { length } = this.#message ?? nothing;
    if (this.#turn !== 'client speaks' || length === 0) return;
    if (this.#saying?.take(length) === true) this.#held = length;
    else this.fail(tooMuch());
  }

  ask(): void {
    const message = this.#message;
    this.#message = undefined;
    if (message === undefined || !isOpen(this.#stream)) return;
    // Nobody waits for it any more.
    if (this.#isLate()) return this.fail(late());
    try {
      const answer = this.#unary(message, this);
      if (answer instanceof Promise) this.#later(answer);
      else this.#answer = answer;
    } catch (error) {
      this.fail(error);
    }
  }

  shed(): void {
    if (!isOpen(this.#stream)) return;
    if (this.#isLate()) return this.fail(late());
    this.#desk.shed();
    this.fail(new GrpcError(status.unavailable, 'too many calls at once'));
  }

  answer(): void {
    if (this.#answer !== undefined) this.#send(this.#answer);
  }

  #read(chunk: Buffer): void {
    try {
      for (const one of this.#frames?.push(chunk) ?? []) {
        if (this.#message !== undefined) throw new GrpcError(status.internal, 'got two messages, want one');
        this.#message = one;
        this.#desk.said(this);
      }
    } catch (error) {
      this.fail(error);
    }
  }

  #whole(): void {
    if (this.#turn === 'client speaks') this.#turn = 'ours';
    this.#release();
    if (this.#stream.destroyed || this.#stream.headersSent) return;
    if (this.#message === undefined || this.#frames?.open !== false)
      return this.fail(new GrpcError(status.internal, 'got no whole message, want one'));
    this.#desk.rounds.add(this);
  }

  /** Only who must wait needs a clock. */
  #later(answered: Promise<Uint8Array>): void {
    this.#isWorkedFor = true;
    const until = this.#until;
    const left = until === undefined ? undefined : Math.min(until - performance.now(), longestTimer);
    const timer = left === undefined ? undefined : setTimeout(() => this.#giveUp(), Math.max(0, left));
    answered
      .then(
        (answer) => this.#send(answer),
        (error: unknown) => this.fail(error),
      )
      .finally(() => {
        clearTimeout(timer);
        this.#isWorkedFor = false;
        this.#forget();
      });
  }

  #giveUp(): void {
    this.#over?.abort();
    this.fail(late());
  }

  #send(answer: Uint8Array): void {
    const stream = this.#stream;
    if (!isOpen(stream)) return;
    const now = performance.now();
    if (this.#until !== undefined && now > this.#until) return this.fail(late());
    try {
      stream.respond(answerHead, answerWithTrailers);
      stream.on('wantTrailers', sendTrailers);
      stream.end(frame(answer));
      this.#ended(now);
    } catch (error) {
      this.fail(error);
    }
    this.#forget();
  }

  #ended(now = performance.now()): void {
    this.since = now;
    this.#turn = 'client reads';
  }

  #close(): void {
    this.#over?.abort();
    if (!this.#isWorkedFor) this.#forget();
    this.#desk.left(this);
  }

  #isLate(): boolean {
    return this.#until !== undefined && performance.now() > this.#until;
  }

  #release(): void {
    if (this.#held > 0) this.#saying?.give(this.#held);
    this.#held = 0;
  }

  #unhear(): void {
    this.#release();
    this.#frames?.drop();
    this.#frames = undefined;
  }

  #forget(): void {
    this.#unhear();
    this.#headers = undefined;
    this.#message = undefined;
    this.#answer = undefined;
  }
}

const nothing = Buffer.alloc(0);

/** What a timer can hold. */
const longestTimer = 2_147_483_647;

function sendTrailers(this: ServerHttp2Stream): void {
  this.sendTrailers(okTrailers);
}

function late(): GrpcError {
  return new GrpcError(status.deadlineExceeded, 'the time for this call is over');
}
