/** The last entries that were asked for, so many, and of so much text in their keys. */
export class Recent<K extends string, V> {
  readonly #most: number;
  readonly #mostText: number;
  #text = 0;
  /** The one that was asked for longest ago first. */
  readonly #entries = new Map<K, V>();

  constructor(most: number, mostText = Number.POSITIVE_INFINITY) {
    this.#most = most;
    this.#mostText = mostText;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.delete(key);
    this.#entries.set(key, value);
    this.#text += key.length;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#most && this.#text <= this.#mostText) break;
      this.delete(oldest);
    }
  }

  delete(key: K): void {
    if (this.#entries.delete(key)) this.#text -= key.length;
  }

  get size(): number {
    return this.#entries.size;
  }
}
