import { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

/** Takes a body as it comes off the connection. */
export interface Taker {
  data(chunk: Buffer): void;
  end(): void;
  /** The client left before the end. */
  gone(): void;
  /** It wants no more. */
  readonly over: boolean;
}

/**
 * A request whose body can be taken without a stream in between: what a stream does for a body of one piece takes more
 * time than the decision about it (test/bench/service). Whoever does not ask for that has a request as Node makes it.
 */
export class Incoming extends IncomingMessage {
  #taker: Taker | undefined;
  #begun = false;
  #taken = false;

  // A getter in Node, and a property in its types, which lets nobody override it.
  static {
    const inherited = Object.getOwnPropertyDescriptor(Readable.prototype, 'readableEnded')?.get;
    const get = function (this: Incoming): boolean {
      return this.#taken || inherited?.call(this) === true;
    };
    Object.defineProperty(Incoming.prototype, 'readableEnded', { get, configurable: true });
  }

  /** False where some of the body is in the stream already: it has to be read from there. */
  give(taker: Taker): boolean {
    if (this.#begun || this.destroyed) return false;
    this.#taker = taker;
    return true;
  }

  /** Called by Node's parser; `null` is the end. */
  override push(chunk: Buffer | null): boolean {
    this.#begun = true;
    const taker = this.#taker;
    if (taker === undefined) return super.push(chunk);
    if (chunk === null) {
      this.#taker = undefined;
      this.#taken = true;
      // There is nothing for Node to throw away once the reply is out.
      (this as { _consuming?: boolean })._consuming = true;
      taker.end();
      return true;
    }
    taker.data(chunk);
    // What else comes is for whoever reads on, or throws it away.
    if (taker.over) this.#taker = undefined;
    return true;
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const taker = this.#taker;
    this.#taker = undefined;
    super._destroy(error, done);
    taker?.gone();
  }
}
