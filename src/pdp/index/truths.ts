import { State } from './cells.ts';
import type { Compiled } from './compile.ts';
import { attributeOf } from './dimension.ts';
import type { Reading } from './reading.ts';

export const Truth = { no: 0, yes: 1, unknown: 2 } as const;

/** Whether conditions hold, by all that there is to know of an attribute. `Search` answers the simple ones itself. */
export class Truths {
  readonly #reading: Reading;
  readonly #conditions: Int32Array;
  readonly #codes: Int32Array;

  constructor({ conditions }: Compiled, reading: Reading) {
    this.#reading = reading;
    this.#conditions = conditions.table;
    this.#codes = conditions.codes;
  }

  of(condition: number): number {
    const at = condition * 4;
    const first = this.#conditions[at + 2] as number;
    const end = first + (this.#conditions[at + 3] as number);
    const [dimension, op] = [this.#conditions[at] as number, this.#conditions[at + 1] as number];
    return this.#test(dimension, op, this.#codes, first, end, 1);
  }

  /** Of a condition whose codes stand between two places, each with its text. */
  among(dimension: number, op: number, cells: Int32Array, first: number, end: number): number {
    return this.#test(dimension, op, cells, first, end, 2);
  }

  #test(dimension: number, op: number, codes: Int32Array, first: number, end: number, stride: 1 | 2): number {
    const reading = this.#reading;
    const state = reading.dimension(dimension);
    if (state === State.unknown) return Truth.unknown;
    // Operators: 0 in, 1 notIn, 2 exists, 3 notExists; odd ones hold for what is absent.
    if (state === State.absent) return op & 1;
    if (op >= 2) return op === 2 ? Truth.yes : Truth.no;
    const attribute = attributeOf(dimension);
    reading.settleAll(attribute);
    const exact = reading.exact(attribute);
    let meets = false;
    if (reading.isSingle(attribute)) meets = includes(codes, first, end, stride, exact);
    else {
      const stop = reading.stop(attribute);
      for (let i = reading.start(attribute); i < stop && !meets; i++)
        meets = includes(codes, first, end, stride, reading.codes[i] as number);
    }
    if (state === State.maybe && meets && !includes(codes, first, end, stride, exact)) return Truth.unknown;
    return meets === (op === 0) ? Truth.yes : Truth.no;
  }
}

/** Codes side by side are in ascending order; few stand with their texts. */
function includes(codes: Int32Array, first: number, end: number, stride: 1 | 2, wanted: number): boolean {
  if (stride === 2) {
    for (let at = first; at < end; at += 2) if (codes[at] === wanted) return true;
    return false;
  }
  let low = first;
  let high = end - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const value = codes[middle] as number;
    if (value === wanted) return true;
    if (value < wanted) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}
