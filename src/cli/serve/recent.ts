/**
 * The last entries that were asked for, so many at least and twice as many at most, and of so much text in their keys.
 * Those that are asked for stay where they are: when so many are new, whatever was not asked for meanwhile goes.
 */
export class Recent<K extends string, V> {
  readonly #most: number;
  /** Of the new ones alone; a key that is longer is not kept. */
  readonly #mostText: number;
  #new = new Map<K, V>();
  #newText = 0;
  #old = new Map<K, V>();

  constructor(most: number, mostText = Number.POSITIVE_INFINITY) {
    this.#most = most;
    this.#mostText = mostText / 2;
  }

  get(key: K): V | undefined {
    const value = this.#new.get(key);
    if (value !== undefined) return value;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: K, value: V): void {
    this.delete(key);
    if (key.length > this.#mostText) return;
    if (this.#new.size + 1 > this.#most || this.#newText + key.length > this.#mostText) {
      this.#old = this.#new;
      this.#new = new Map();
      this.#newText = 0;
    }
    this.#new.set(key, value);
    this.#newText += key.length;
  }

  delete(key: K): void {
    this.#old.delete(key);
    if (this.#new.delete(key)) this.#newText -= key.length;
  }

  get size(): number {
    return this.#new.size + this.#old.size;
  }
}
