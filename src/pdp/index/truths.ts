import { State } from './cells.ts';
import type { Compiled } from './compile.ts';
import { attributeOf } from './dimension.ts';
import { ConditionCell, conditionStride } from './entries.ts';
import type { Reading } from './reading.ts';

// What is exported is read and checked anew at each use; what a module keeps for itself is a number in the code.
const { dimension: dimensionCell, op: opCell, first: firstCell, count: countCell } = ConditionCell;
const stride = conditionStride;

export const Truth = { no: 0, yes: 1, unknown: 2 } as const;

/** Whether conditions hold, by all that there is to know of an attribute. Tables answer for most. */
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
    const at = condition * stride;
    const first = this.#conditions[at + firstCell] as number;
    const end = first + (this.#conditions[at + countCell] as number);
    const dimension = this.#conditions[at + dimensionCell] as number;
    const op = this.#conditions[at + opCell] as number;
    const reading = this.#reading;
    const state = reading.dimension(dimension);
    if (state === State.unknown) return Truth.unknown;
    // Operators: 0 in, 1 notIn, 2 exists, 3 notExists; odd ones hold for what is absent.
    if (state === State.absent) return op & 1;
    if (op >= 2) return op === 2 ? Truth.yes : Truth.no;
    const attribute = attributeOf(dimension);
    reading.settleAll(attribute);
    const codes = this.#codes;
    const exact = reading.exact(attribute);
    let meets = false;
    if (reading.isSingle(attribute)) meets = includes(codes, first, end, exact);
    else {
      const stop = reading.stop(attribute);
      for (let i = reading.start(attribute); i < stop && !meets; i++)
        meets = includes(codes, first, end, reading.codes[i] as number);
    }
    if (state === State.maybe && meets && !includes(codes, first, end, exact)) return Truth.unknown;
    return meets === (op === 0) ? Truth.yes : Truth.no;
  }
}

/** The codes of a condition are in ascending order. */
function includes(codes: Int32Array, first: number, end: number, wanted: number): boolean {
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
