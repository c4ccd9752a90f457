/** The bit that says that more bytes follow; what is below it stands in this one. */
const more = 0x80;

/** Whole numbers one after another, in as few bytes as each needs. */
export class NumberWriter {
  #bytes = new Uint8Array(1024);
  #end = 0;

  /** Of one that is not negative. */
  add(number: number): void {
    if (this.#end + 8 > this.#bytes.length) {
      const wider = new Uint8Array(2 * this.#bytes.length);
      wider.set(this.#bytes);
      this.#bytes = wider;
    }
    let rest = number;
    for (; rest >= more; rest = Math.floor(rest / more)) this.#bytes[this.#end++] = (rest % more) | more;
    this.#bytes[this.#end++] = rest;
  }

  build(): Uint8Array {
    return this.#bytes.slice(0, this.#end);
  }
}

/** Reads what a writer wrote, by the same calls in the same order. */
export class NumberReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  next(): number {
    let number = 0;
    for (let unit = 1; ; unit *= more) {
      const byte = this.#bytes[this.#at++] as number;
      number += (byte & (more - 1)) * unit;
      if (byte < more) return number;
    }
  }
}

/** Of any whole number one that is not negative, and small if that is near zero. */
export function folded(number: number): number {
  return number < 0 ? -2 * number - 1 : 2 * number;
}

export function unfolded(number: number): number {
  return number % 2 === 0 ? number / 2 : -(number + 1) / 2;
}
