/** Numbers that look drawn at random and are the same each time: what is tried does not depend on when. */
export class Shuffle {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed % 0x7fffffff) | 1;
  }

  /** From 0 up to, not including, `bound`, which may be as large as numbers are exact. */
  below(bound: number): number {
    const low = this.#next();
    return bound <= 0x1_0000_0000 ? low % bound : ((this.#next() & 0x1f_ffff) * 0x1_0000_0000 + low) % bound;
  }

  /** Xorshift. */
  #next(): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return this.#state >>> 0;
  }
}
