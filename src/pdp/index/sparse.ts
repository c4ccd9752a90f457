/** So many stand together: a number of bits. */
const rowBits = 8;
const rowMask = (1 << rowBits) - 1;

const none: undefined[] = new Array(1 << rowBits).fill(undefined);

/** Values by number, of which only those that were set take room. */
export class Sparse<T> {
  readonly #rows: (T | undefined)[][];

  /** For numbers below `count`. */
  constructor(count: number) {
    this.#rows = new Array((count + rowMask) >> rowBits).fill(none);
  }

  get(number: number): T | undefined {
    return (this.#rows[number >> rowBits] as (T | undefined)[])[number & rowMask];
  }

  set(number: number, value: T): void {
    let row = this.#rows[number >> rowBits] as (T | undefined)[];
    if (row === none) {
      row = new Array(1 << rowBits).fill(undefined);
      this.#rows[number >> rowBits] = row;
    }
    row[number & rowMask] = value;
  }
}
