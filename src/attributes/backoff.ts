const least = 100;
const mostByDefault = 30_000;

/** How long to wait before the next try: twice as long each time, by lot, so that not all come at once. */
export class Backoff {
  readonly #most: number;
  #tries = 0;

  constructor(most = mostByDefault) {
    this.#most = most;
  }

  /** What came well is forgotten. */
  reset(): void {
    this.#tries = 0;
  }

  next(asked = 0): number {
    const ceiling = Math.min(this.#most, least * 2 ** this.#tries);
    if (ceiling < this.#most) this.#tries++;
    // A wish is heard, but nobody may keep us waiting for ever.
    return Math.max(Math.min(asked, mostByDefault), ceiling / 2 + (Math.random() * ceiling) / 2);
  }
}

export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    timer.unref();
    signal.addEventListener('abort', done);
  });
}
