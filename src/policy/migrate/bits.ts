/** A set of small numbers, one bit each: what holds for many clients is worked out for all of them at once. */
export class Bits {
  readonly size: number;
  readonly #words: Uint32Array;

  constructor(size: number) {
    this.size = size;
    this.#words = new Uint32Array((size + 31) >>> 5);
  }

  static of(size: number, members: Iterable<number>): Bits {
    const bits = new Bits(size);
    for (const member of members) bits.add(member);
    return bits;
  }

  static all(size: number): Bits {
    return new Bits(size).invert();
  }

  has(member: number): boolean {
    return (this.#words[member >>> 5]! & (1 << (member & 31))) !== 0;
  }

  add(member: number): void {
    this.#words[member >>> 5]! |= 1 << (member & 31);
  }

  delete(member: number): void {
    this.#words[member >>> 5]! &= ~(1 << (member & 31));
  }

  get isEmpty(): boolean {
    return this.#words.every((word) => word === 0);
  }

  copy(): Bits {
    return new Bits(this.size).or(this);
  }

  or(other: Bits): this {
    for (let at = 0; at < this.#words.length; at++) this.#words[at]! |= other.#words[at]!;
    return this;
  }

  and(other: Bits): this {
    for (let at = 0; at < this.#words.length; at++) this.#words[at]! &= other.#words[at]!;
    return this;
  }

  without(other: Bits): this {
    for (let at = 0; at < this.#words.length; at++) this.#words[at]! &= ~other.#words[at]!;
    return this;
  }

  invert(): this {
    for (let at = 0; at < this.#words.length; at++) this.#words[at] = ~this.#words[at]!;
    const rest = this.size & 31;
    if (rest !== 0) this.#words[this.#words.length - 1]! &= (1 << rest) - 1;
    return this;
  }

  /** Whether every member is one of the other's. */
  within(other: Bits): boolean {
    return this.#words.every((word, at) => (word & ~other.#words[at]!) === 0);
  }

  forEach(visit: (member: number) => void): void {
    for (let at = 0; at < this.#words.length; at++)
      for (let word = this.#words[at]!; word !== 0; word &= word - 1)
        visit(at * 32 + 31 - Math.clz32(word & -word));
  }

  *[Symbol.iterator](): Generator<number, void> {
    for (let at = 0; at < this.#words.length; at++) {
      let word = this.#words[at]!;
      while (word !== 0) {
        const low = 31 - Math.clz32(word & -word);
        yield at * 32 + low;
        word &= word - 1;
      }
    }
  }
}
