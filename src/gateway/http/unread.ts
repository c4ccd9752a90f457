import { type Server, ServerResponse } from 'node:http';

export interface Patience {
  /** How many replies may wait to be read: beyond that the oldest go. */
  readonly concurrency: number;
  /** Milliseconds that a reply may take to be read. */
  readonly requestTime: number;
}

const longestBeat = 1_000;

/**
 * A reply is kept until its client has read it, and who reads nothing would have all of them kept. Time is counted in
 * beats, so that no reply has to look at a clock; and what came since the last one is let be, since under load that is
 * what the network has not fetched yet.
 */
export class Unread {
  readonly #most: number;
  readonly #beatTime: number;
  readonly #longest: number;
  /** Each with the beat at which it was finished: the oldest first. */
  readonly #since = new Map<ServerResponse, number>();
  readonly #read: (this: ServerResponse) => void;
  #beat = 0;

  constructor({ concurrency, requestTime }: Patience) {
    this.#most = concurrency;
    this.#beatTime = Math.min(longestBeat, requestTime / 4);
    this.#longest = Math.ceil(requestTime / this.#beatTime);
    const since = this.#since;
    // One for all: what is made for each reply costs more than the rest of this.
    this.#read = function () {
      since.delete(this);
    };
  }

  /** As long as a server is open. */
  follow(server: Pick<Server, 'on'>): void {
    const timer = setInterval(() => this.beat(), this.#beatTime);
    timer.unref();
    server.on('close', () => clearInterval(timer));
  }

  /** A reply to which nothing is added any more. */
  watch(reply: ServerResponse): void {
    this.#since.set(reply, this.#beat);
    reply.on('close', this.#read);
  }

  /** All that a connection has to say goes with it. */
  beat(): void {
    this.#beat++;
    for (const [reply, since] of this.#since) {
      const waited = this.#beat - since;
      if (waited <= this.#longest && (waited < 2 || this.#since.size <= this.#most)) return;
      this.#since.delete(reply);
      reply.req.socket.destroy();
    }
  }
}

/** Replies of a server; what the system takes off us at once, which is nearly all, is not watched. */
export function outgoingOf(unread: Unread): typeof ServerResponse {
  class Outgoing extends ServerResponse {
    override end(chunk?: unknown, encoding?: unknown, done?: () => void): this {
      const ended = this.writableEnded;
      super.end(chunk, encoding as BufferEncoding, done);
      // Without a socket it stands behind another one.
      if (!ended && !this.destroyed && (this.socket === null || this.writableLength > 0)) unread.watch(this);
      return this;
    }
  }
  return Outgoing as typeof ServerResponse;
}
