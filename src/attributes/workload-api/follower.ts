import { Backoff, sleep } from '../backoff.ts';
import type { Checked } from '../evidence.ts';
import { GrpcError, type Method, statuses } from './grpc.ts';

export interface FollowerStatus {
  readonly method: Method;
  /** Messages that were taken, and calls that were made for them. */
  readonly messages: number;
  readonly calls: number;
  /** Monotonic time, as `performance.now()` has it, of the last message that was taken. */
  readonly freshAt: number | undefined;
  /** Why nothing comes now; what came before is kept. */
  readonly error: string | undefined;
  /** That the error is the server's word that we have no identity. */
  readonly denied: boolean;
  /** The server has no such thing for us, and need not be asked again. */
  readonly ended: boolean;
}

/** Takes a message whole or refuses it; for how many milliseconds it may then be quiet. */
export type Take = (message: Uint8Array) => Checked<number>;

/** How long the first message of a call may take: the server has it ready (standard §4.3). */
const firstMessage = 30_000;

/** A call that held for so long ended for a reason of its own; one that did not is not to be repeated in haste. */
const settled = 10_000;

/**
 * Follows one stream of the Workload API for ever. Every message says all there is, so that opening the stream anew
 * loses nothing: that is what is done with one that ends, that fails, that says what cannot be taken, and with one
 * that is quiet for so long that it may be dead.
 */
export class Follower {
  readonly #method: Method;
  readonly #open: (signal: AbortSignal) => AsyncIterable<Uint8Array>;
  readonly #take: Take;
  readonly #patience: number;
  readonly #backoff = new Backoff();
  readonly #end = new AbortController();
  #messages = 0;
  #calls = 0;
  #freshAt: number | undefined;
  #error: Error | undefined;
  #ended = false;

  constructor(
    method: Method,
    open: (signal: AbortSignal) => AsyncIterable<Uint8Array>,
    take: Take,
    patience = firstMessage,
  ) {
    this.#method = method;
    this.#open = open;
    this.#take = take;
    this.#patience = patience;
  }

  get status(): FollowerStatus {
    const error = this.#error;
    return {
      method: this.#method,
      messages: this.#messages,
      calls: this.#calls,
      freshAt: this.#freshAt,
      error: error?.message,
      denied: error instanceof GrpcError && error.status === statuses.permissionDenied,
      ended: this.#ended,
    };
  }

  close(): void {
    this.#end.abort();
  }

  /** Runs until it is closed or the server ends it, and never throws. */
  async run(): Promise<void> {
    const { signal } = this.#end;
    while (!signal.aborted) {
      const start = performance.now();
      try {
        await this.#follow();
      } catch (error) {
        if (signal.aborted) return;
        this.#error = error instanceof Error ? error : new Error(String(error));
        this.#ended = isFinal(error);
        if (this.#ended) return;
        if (performance.now() - start >= settled) this.#backoff.reset();
        await sleep(this.#backoff.next(), signal);
      }
    }
  }

  /** One call: returns where it was quiet for too long, throws however else it ends. */
  async #follow(): Promise<void> {
    this.#calls++;
    const call = new AbortController();
    const stop = (): void => call.abort();
    this.#end.signal.addEventListener('abort', stop);
    let timer = setTimeout(
      () => call.abort(new Error(`got no message within ${this.#patience} ms`)),
      this.#patience,
    );
    try {
      for await (const message of this.#open(call.signal)) {
        const taken = this.#take(message);
        if (!taken.ok)
          throw new Error(`a message is refused (${taken.refusal.code}): ${taken.refusal.message}`);
        this.#messages++;
        this.#freshAt = performance.now();
        this.#error = undefined;
        clearTimeout(timer);
        timer = setTimeout(() => call.abort(quiet), taken.value);
      }
      throw new Error('the server ended the stream');
    } catch (error) {
      if (error !== quiet) throw error;
    } finally {
      clearTimeout(timer);
      call.abort();
      this.#end.signal.removeEventListener('abort', stop);
    }
  }
}

/** Why a call is made anew though nothing is wrong that we know of. */
const quiet = new Error('the stream was quiet');

/** Standard, Appendix A of the endpoint's: report these and do not retry. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof GrpcError)) return false;
  return error.status === statuses.invalidArgument || error.status === statuses.unimplemented;
}
