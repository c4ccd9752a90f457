/** Numbers that look drawn at random and are the same each time: what is tried does not depend on when. */
export class Shuffle {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed % 0x7fffffff) | 1;
  }

  /** From 0 up to, not including, `bound`; xorshift. */
  below(bound: number): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return (this.#state >>> 0) % bound;
  }
}
