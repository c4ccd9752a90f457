/** So much that may be held at once; of a part that belongs to a whole, both bounds hold. */
export class Budget {
  readonly #most: number;
  readonly #whole: Budget | undefined;
  #held = 0;

  constructor(most: number, whole?: Budget) {
    this.#most = most;
    this.#whole = whole;
  }

  get held(): number {
    return this.#held;
  }

  /** False: there is not as much left, and nothing was taken. */
  take(amount: number): boolean {
    if (this.#held + amount > this.#most || this.#whole?.take(amount) === false) return false;
    this.#held += amount;
    return true;
  }

  give(amount: number): void {
    this.#held -= amount;
    this.#whole?.give(amount);
  }
}
