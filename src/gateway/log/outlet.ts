/** Brings lines to where they are kept. Takes nothing back: what it refuses is given to it again. */
export interface Carrier {
  /** Whole lines, each with its end. */
  carry(text: string): Promise<void>;
  close(): Promise<void>;
}

export interface OutletSettings {
  /** Characters that wait at most; what comes then is dropped, and counted. */
  readonly queue: number;
  /** Characters that are carried at once. */
  readonly batch?: number;
  /** Milliseconds for which lines gather. */
  readonly gather?: number;
  /** Milliseconds after the first failure; doubled up to a minute. */
  readonly retry?: number;
}

const defaults = { batch: 262_144, gather: 50, retry: 200 };
const longestRetry = 60_000;

/** A bounded queue before a carrier, so that nobody who decides ever waits for a disk or a network. */
export class Outlet {
  dropped = 0;
  /** Why nothing is carried at present, in words. */
  problem: string | undefined;
  readonly #changed: (problem: string | undefined) => void;
  readonly #carrier: Carrier;
  readonly #settings: Required<OutletSettings>;
  #lines: string[] = [];
  #waiting = 0;
  #timer: NodeJS.Timeout | undefined;
  #carrying: Promise<void> | undefined;
  #failures = 0;
  #closed = false;

  /** `changed` is told of each new problem, and when there is none any more. */
  constructor(
    carrier: Carrier,
    settings: OutletSettings,
    changed: (problem: string | undefined) => void = () => undefined,
  ) {
    this.#carrier = carrier;
    this.#changed = changed;
    this.#settings = { ...defaults, ...settings };
  }

  write(line: string): void {
    if (this.#closed || this.#waiting + line.length + 1 > this.#settings.queue) {
      this.dropped++;
      return;
    }
    this.#lines.push(line);
    this.#waiting += line.length + 1;
    if (this.#timer === undefined && this.#carrying === undefined) this.#schedule(this.#settings.gather);
  }

  /** Carries what waits; what cannot be carried within that time is dropped, and counted. */
  async close(milliseconds: number): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    const gone = new Promise<void>((resolve) => setTimeout(resolve, milliseconds).unref());
    let over = false;
    const all = (async () => {
      await this.#carrying;
      while (this.#lines.length > 0 && !over) {
        clearTimeout(this.#timer);
        await this.#carry();
        if (this.problem !== undefined)
          await new Promise((resolve) => setTimeout(resolve, this.#settings.retry));
      }
    })();
    await Promise.race([all, gone]);
    over = true;
    clearTimeout(this.#timer);
    this.dropped += this.#lines.length;
    this.#lines = [];
    this.#waiting = 0;
    await Promise.race([this.#carrier.close(), gone]);
  }

  #schedule(milliseconds: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#carry();
    }, milliseconds).unref();
  }

  #carry(): Promise<void> {
    this.#carrying = this.#once().finally(() => {
      this.#carrying = undefined;
      if (this.#lines.length > 0 && !this.#closed) this.#schedule(this.#failures === 0 ? 0 : this.#pause());
    });
    return this.#carrying;
  }

  async #once(): Promise<void> {
    let [count, size] = [0, 0];
    while (count < this.#lines.length && (count === 0 || size < this.#settings.batch))
      size += (this.#lines[count++] as string).length + 1;
    const batch = this.#lines.slice(0, count);
    try {
      await this.#carrier.carry(`${batch.join('\n')}\n`);
      this.#lines.splice(0, count);
      this.#waiting -= size;
      this.#failures = 0;
      this.#is(undefined);
    } catch (error) {
      this.#failures++;
      this.#is((error as Error).message);
    }
  }

  #is(problem: string | undefined): void {
    if (problem === this.problem) return;
    this.problem = problem;
    this.#changed(problem);
  }

  #pause(): number {
    const longest = Math.min(longestRetry, this.#settings.retry * 2 ** Math.min(this.#failures - 1, 16));
    return longest * (0.5 + Math.random() / 2);
  }
}
