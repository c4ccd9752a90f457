/**
 * Does something once nothing has happened for a while: who writes several files, or one in several steps, is not
 * read in between. It is not put off for ever.
 */
export class Quiet {
  readonly #quiet: number;
  readonly #longest: number;
  readonly #act: () => void;
  #timer: NodeJS.Timeout | undefined;
  #since: number | undefined;

  constructor(quiet: number, longest: number, act: () => void) {
    this.#quiet = quiet;
    this.#longest = longest;
    this.#act = act;
  }

  disturb(): void {
    const now = performance.now();
    this.#since ??= now;
    clearTimeout(this.#timer);
    const left = this.#since + this.#longest - now;
    this.#timer = setTimeout(() => this.#rest(), Math.max(0, Math.min(this.#quiet, left)));
  }

  #rest(): void {
    this.#since = undefined;
    this.#timer = undefined;
    this.#act();
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}
