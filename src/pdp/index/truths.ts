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
    return this.test(this.#conditions[at] as number, this.#conditions[at + 1] as number, 0, condition);
  }

  /** Of a condition; of one that asks for a single code, if `condition` is -1. */
  test(dimension: number, op: number, code: number, condition: number): number {
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
    if (reading.isSingle(attribute)) meets = this.#meets(exact, code, condition);
    else {
      const end = reading.stop(attribute);
      for (let i = reading.start(attribute); i < end && !meets; i++)
        meets = this.#meets(reading.codes[i] as number, code, condition);
    }
    if (state === State.maybe && meets) {
      const met = this.#meets(exact, code, condition);
      if (!met) return Truth.unknown;
    }
    return meets === (op === 0) ? Truth.yes : Truth.no;
  }

  #meets(one: number, code: number, condition: number): boolean {
    return condition < 0 ? one === code : this.#includes(condition, one);
  }

  /** Whether a condition's codes, which are in ascending order, have this one. */
  #includes(condition: number, wanted: number): boolean {
    const sorted = this.#codes;
    let low = this.#conditions[condition * 4 + 2] as number;
    let high = low + (this.#conditions[condition * 4 + 3] as number) - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const value = sorted[middle] as number;
      if (value === wanted) return true;
      if (value < wanted) low = middle + 1;
      else high = middle - 1;
    }
    return false;
  }
}
