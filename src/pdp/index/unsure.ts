import { State } from './cells.ts';
import type { Compiled } from './compile.ts';
import { attributeOf } from './dimension.ts';
import { askedOf } from './entries.ts';
import type { Reading } from './reading.ts';
import { Truth, type Truths } from './truths.ts';

/** Of an entry that matches: whether something that it asks about is not known, so that it matches only as a deny. */
export function isUnsure(compiled: Compiled, reading: Reading, truths: Truths, entry: number): boolean {
  const { shapes, entries } = compiled;
  const shape = entries.shapes[entry] as number;
  const first = shape + 2;
  return shapes.subarray(first, first + (shapes[shape] as number)).some((dimension) => {
    const state = reading.dimension(dimension);
    return (
      state === State.unknown ||
      (state === State.maybe && leavesOpen(compiled, truths, entry, attributeOf(dimension)))
    );
  });
}

/** Whether a section that is one of several leaves a condition of the entry unknown. */
export function leavesOpen(compiled: Compiled, truths: Truths, entry: number, attribute: number): boolean {
  const { entries, conditions } = compiled;
  for (const condition of askedOf(entries, entry)) {
    const read = attributeOf(conditions.table[condition * 4] as number);
    if (read === attribute && truths.of(condition) === Truth.unknown) return true;
  }
  return false;
}
