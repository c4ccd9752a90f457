/** A call that has been said whole. Neither part throws: what goes wrong is its own answer. */
export interface Waiting {
  ask(): void;
  /** It has waited too long for its turn, and is not asked. */
  shed(): void;
  answer(): void;
}

/**
 * Calls that came together are asked one after the other, and answered after that. What decides and what sends are each
 * more code than a core keeps at hand, and in turns each would drive out the other: a decision took several times as
 * long. A round is what came in one turn of the event loop, and no more than the calls that there may be at once; those
 * whose turn comes later than `most` milliseconds after its beginning are turned away, and so everybody hears soon.
 */
export class Rounds {
  readonly #most: number;
  readonly #now: () => number;
  #waiting: Waiting[] = [];

  constructor(most: number, now: () => number = () => performance.now()) {
    this.#most = most;
    this.#now = now;
  }

  add(one: Waiting): void {
    // Whatever else comes in this turn of the event loop comes before.
    if (this.#waiting.push(one) === 1) setImmediate(() => this.#run());
  }

  #run(): void {
    const all = this.#waiting;
    this.#waiting = [];
    const until = this.#now() + this.#most;
    for (const one of all) {
      if (this.#now() <= until) one.ask();
      else one.shed();
    }
    for (const one of all) one.answer();
  }
}
