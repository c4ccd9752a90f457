import type { Decided } from '../service.ts';

/** Identifiers come from policies, so that there are no more than there were in all sets together. */
const most = 200_000;

/** When each policy last decided, in the enforced world. */
export class LastDecided {
  readonly #at = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  decided({ decision: { by } }: Decided): void {
    if (by === null) return;
    if (this.#at.size >= most && !this.#at.has(by.kri)) this.#at.clear();
    this.#at.set(by.kri, this.#now());
  }

  get all(): ReadonlyMap<string, number> {
    return this.#at;
  }
}
