/** How many requests may be worked on at once, and for how long one turn of the event loop may take them in. */
export interface Load {
  readonly concurrency: number;
  readonly turn: number;
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

  get full(): boolean {
    return this.#inside >= this.#load.concurrency;
  }

  /** Whether what comes up now is taken in. */
  admits(): boolean {
    if (this.full) return false;
    if (this.#turn === undefined) {
      this.#turn = this.#now();
      setImmediate(this.#end);
    } else if (this.#now() - this.#turn > this.#load.turn) return false;
    return true;
  }

  enter(): boolean {
    if (!this.admits()) return false;
    this.take();
    return true;
  }

  /** For what was taken in before. */
  take(): void {
    this.#inside++;
  }

  leave(): void {
    this.#inside--;
  }

  readonly #end = (): void => {
    this.#turn = undefined;
  };
}
