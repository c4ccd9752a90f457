import type { SourceStatus } from '../service.ts';
import type { StatusMessage } from './messages.ts';

/**
 * How old what the sources gave is, by a clock that nobody sets: what they last said of it, and the time since. A
 * thread that says nothing any more makes everything it gave older.
 */
export class Freshness {
  readonly #maxStaleness: number;
  readonly #now: () => number;
  #sources: StatusMessage['sources'] = [];
  #heardAt: number;
  /** From then on it is too old. */
  #until = Number.NEGATIVE_INFINITY;

  constructor(maxStaleness: number, now: () => number = () => performance.now()) {
    this.#maxStaleness = maxStaleness;
    this.#now = now;
    this.#heardAt = now();
  }

  hear(sources: StatusMessage['sources']): void {
    this.#sources = sources;
    this.#heardAt = this.#now();
    const oldest = Math.max(...sources.map(({ age }) => age ?? Number.POSITIVE_INFINITY));
    this.#until = this.#heardAt - oldest + this.#maxStaleness;
  }

  get stale(): boolean {
    return this.#now() > this.#until;
  }

  get sources(): readonly SourceStatus[] {
    const since = this.#now() - this.#heardAt;
    return this.#sources.map(({ name, synced, age, problems }) => ({
      name,
      synced,
      fresh: age !== undefined && age + since <= this.#maxStaleness,
      ...(age === undefined ? {} : { age: Math.round(age + since) }),
      problems,
    }));
  }
}
