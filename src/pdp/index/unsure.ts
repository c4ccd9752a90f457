import { State } from './cells.ts';
import type { Compiled } from './compile.ts';
import { attributeOf } from './dimension.ts';
import { askedOf, ConditionCell, conditionStride } from './entries.ts';
import type { Reading } from './reading.ts';
import { Truth, type Truths } from './truths.ts';

/** Of an entry that matches: whether something that it asks about is not known, so that it matches only as a deny. */
export function isUnsure(compiled: Compiled, reading: Reading, truths: Truths, entry: number): boolean {
  const { shapes, entries } = compiled;
  const shape = entries.shapes[entry] as number;
  const first = shape + 2;
  return shapes
    .subarray(first, first + (shapes[shape] as number))
    .some((dimension) => isUnclear(compiled, truths, entry, dimension, reading.dimension(dimension)));
}

/** Whether the state of a dimension leaves a condition of the entry unknown: a section that is one of several may. */
export function isUnclear(
  compiled: Compiled,
  truths: Truths,
  entry: number,
  dimension: number,
  state: number,
): boolean {
  if (state === State.unknown) return true;
  return state === State.maybe && leavesOpen(compiled, truths, entry, attributeOf(dimension));
}

function leavesOpen(
  { entries, conditions }: Compiled,
  truths: Truths,
  entry: number,
  attribute: number,
): boolean {
  for (const condition of askedOf(entries, entry)) {
    const row = condition * conditionStride;
    const read = attributeOf(conditions.table[row + ConditionCell.dimension] as number);
    if (read === attribute && truths.of(condition) === Truth.unknown) return true;
  }
  return false;
}
