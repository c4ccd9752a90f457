import type { Path, ViolationCode } from '../../pdp/model/violation.ts';

/** Something wrong at an offset of the text that is being read. It becomes a violation when its place is counted. */
export interface Finding {
  /** Keys and indices from the root of what the text holds. */
  readonly path: Path;
  readonly code: ViolationCode;
  readonly message: string;
  readonly hint?: string;
  /** What is wrong is a key of the mapping at the path. */
  readonly ofKey?: boolean;
  readonly offset: number;
}

/** Thrown, and caught within this folder, when reading on would cost more than it tells. */
export class Stop extends Error {}

/** What is wrong with one part of a text, up to a bound: a text of nothing but errors must not fill the memory. */
export class Findings {
  readonly list: Finding[] = [];
  /** Whether there was more to say. */
  full = false;
  /** Whether the reader stopped before the end: what it did not reach is not known to be good. */
  cut = false;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  add(finding: Finding): void {
    if (this.list.length >= this.#most) {
      this.full = true;
      throw new Stop();
    }
    this.list.push(finding);
  }
}
