/**
 * A table holds up to 32 rules in ascending order of their keys, the first of them in bit 0 of every number that tells
 * rules apart. Of each dimension that they ask about it has a column, which says for what a request may show there which
 * of its rules that is right for: those that do not ask are among them. So one look at a value answers for all rules at
 * once. A decision looks at what many rules ask for, and then at no more than the first rule that is left does.
 */
export const rulesInTable = 32;
export const columnsInTable = 32;
/** What can be told apart by a byte that is 0 for none. */
export const entriesInColumn = 255;

/** Its columns stand in front of it, backwards, and after it for each rule what it asks for and which it is. */
export const Table = {
  /** A bit for each of its rules. */
  rules: 0,
  /** The rules that deny. */
  denies: 1,
  /** The rules of one world only. */
  apart: 2,
  /** Where for each of its rules stands where its other conditions do, or 0; itself 0 if none has any. */
  others: 3,
  /** Where the next table begins, of rules with greater keys, or `nothing`. */
  next: 4,
  /** So many of its columns, from the first on, are looked at whatever rules are left: see `TableBuilder`. */
  common: 5,
  ofRules: 6,
} as const;

export const ruleStride = 2;
export const TableRule = {
  /** A bit for each column that it asks about. */
  asks: 0,
  /** Its key above its traits. */
  key: 1,
} as const;

export const columnStride = 3;
export const Column = {
  /** As of a node, see `Node.head`; its lowest bit is `careful`. */
  head: 0,
  /** How far a code is moved down to give its slot, and above `shiftBits` one less than there are slots, see `entryOf`. */
  shape: 1,
  /**
   * Where its entries stand, of which the first is for values that have none. In front of them, backwards, a byte for
   * each slot with the number of the entry for which a code is looked there. In front of these, in careful columns alone,
   * the rules that it is right for if the attribute is unknown, and in front of that, if it is absent.
   */
  entries: 2,
} as const;
export const shiftBits = 5;
/**
 * Of columns where a value that is asked for is not right for all rules that any other is right for, or whose codes do
 * not have a slot each.
 */
export const careful = 1;

export const entryStride = 2;
export const ColumnEntry = {
  /** Of the first, which is of none: where the text of the next stands, less one; the others' follow. */
  code: 0,
  /** The rules that it is right for. */
  right: 1,
} as const;

/** Where a column of a table stands. What narrows the choice most comes first. */
export function columnOf(table: number, column: number): number {
  return table - columnStride * (column + 1);
}

export function slotOf(code: number, shape: number): number {
  return (code >>> shape) & (shape >>> shiftBits);
}

/** In so many numbers there are the bytes of a column's slots. */
export function numbersOfSlots(shape: number): number {
  return ((shape >>> shiftBits) + 4) >> 2;
}

/** Where the entry stands for a code, or the first of all. */
export function entryOf(
  cells: Int32Array | readonly number[],
  code: number,
  shape: number,
  entries: number,
): number {
  for (let slot = slotOf(code, shape); ; slot = (slot + 1) & (shape >>> shiftBits)) {
    const entry =
      entries + entryStride * (((cells[entries - 1 - (slot >> 2)] as number) >>> ((slot & 3) << 3)) & 255);
    if (entry === entries || cells[entry] === code) return entry;
  }
}

/** The text that an entry is of. */
export function textOf(cells: Int32Array, entries: number, entry: number): number {
  return cells[(cells[entries + ColumnEntry.code] as number) + (entry - entries) / entryStride] as number;
}
