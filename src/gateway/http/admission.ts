import type { ServerResponse } from 'node:http';

/** How many requests may be on their way at once, and for how long one turn of the event loop may take them in. */
export interface Load {
  readonly concurrency: number;
  readonly turn: number;
}

const place = Symbol('place');

/** A reply that has the place of its request among those on their way. */
interface Placed extends ServerResponse {
  [place]?: Admission | undefined;
}

/** Before the reply is over, if it is not: there is nothing left to do for it. */
export function giveUpPlace(reply: ServerResponse): void {
  const placed: Placed = reply;
  placed[place]?.leave();
  placed[place] = undefined;
}

/**
 * Turns requests away before waiting for them costs more than they are worth. Decisions are made at once, so that
 * those who wait, wait for their turn of the event loop: what comes up in a turn that has lasted too long has waited
 * as long, and everything behind it longer.
 */
export class Admission {
  readonly #load: Load;
  readonly #now: () => number;
  #inside = 0;
  #turn: number | undefined;

  constructor(load: Load, now: () => number = () => performance.now()) {
    this.#load = load;
    this.#now = now;
  }

  enter(): boolean {
    if (this.#inside >= this.#load.concurrency) return false;
    if (this.#turn === undefined) {
      this.#turn = this.#now();
      setImmediate(this.#end);
    } else if (this.#now() - this.#turn > this.#load.turn) return false;
    this.#inside++;
    return true;
  }

  leave(): void {
    this.#inside--;
  }

  /** As `enter`, for as long as a reply takes. */
  enterFor(reply: Placed): boolean {
    if (!this.enter()) return false;
    reply[place] = this;
    reply.on('close', closed);
    return true;
  }

  readonly #end = (): void => {
    this.#turn = undefined;
  };
}

/** One for all replies: what is made for each one costs more than the rest of this. */
function closed(this: ServerResponse): void {
  giveUpPlace(this);
}
