import { effectOf } from '../model/rule.ts';
import type { Entry } from './entries.ts';

/**
 * Rules filed by one equality condition on their destination: the one whose value the fewest rules share. What else
 * they ask of it is tested in their tree. A destination finds its groups by one look-up per key that rules are
 * filed under.
 */
export interface Groups {
  /** Attributes that rules are filed under: of MeshTrafficPermissions, of all others. */
  readonly filed: readonly [Int32Array, Int32Array];
  /** Open addressing, see `Value`. */
  readonly byValue: Int32Array;
  /** The first groups of rules that are filed under nothing, likewise. */
  readonly everywhere: readonly [number, number];
  /** Rows of `groupStride` numbers, see `Row`. */
  readonly table: Int32Array;
  /** References to trees: those of a group lie together, in order of its slots. */
  readonly roots: Int32Array;
  /** Denies of AccessPolicies for destinations whose filing key is unknown; -1 if there are none. */
  readonly unknown: number;
  /** The first group of MeshTrafficPermissions' denies for inbounds whose tag is unknown, likewise. */
  readonly unknownTags: number;
  readonly count: number;
  /** Per group that has any: their number, and the entries that read paths. */
  readonly pathEntries: Int32Array;
  /** Tree keys from the number of entries on are items of lists, strongest first; the entry of each. */
  readonly listEntries: Int32Array;
  readonly lists: number;
  /** Entries that are filed under nothing; for the report. */
  readonly residual: number;
}

const stride = 8;
/** Two rows in a line of memory. */
export const groupStride = stride;
export const Row = {
  /** List or -1. */
  list: 0,
  /** Bits of the slots it has a tree for. */
  slots: 1,
  /** The roots if it has one or two; else where they are. */
  roots: 2,
  second: 3,
  /** Where its entries that read paths are, or -1. */
  paths: 4,
  /** The next group of the same key, or -1: groups of one key differ by their list. */
  next: 5,
} as const;

const { slots: slotsCell, roots: rootsCell } = Row;

/** The root of a slot that the group of this row has. */
export function rootOf({ table, roots }: Groups, row: number, slot: number): number {
  const at = row * stride;
  const slots = table[at + slotsCell] as number;
  let before = 0;
  for (let rest = slots & ((1 << slot) - 1); rest !== 0; rest &= rest - 1) before++;
  const first = at + rootsCell;
  return hasTwoAtMost(slots)
    ? (table[first + before] as number)
    : (roots[(table[first] as number) + before] as number);
}

function hasTwoAtMost(slots: number): boolean {
  const rest = slots & (slots - 1);
  return (rest & (rest - 1)) === 0;
}

/** Slots 0 to 14: tier times three plus scope. From 15: items of a list, denies (15) and allows (18) plus scope. */
export const listSlot = 15;
export function slotOf(entry: Entry, listed: boolean): number {
  if (!listed) return entry.tier * 3 + entry.scope;
  return listSlot + (effectOf(entry.tier) === 'allow' ? 3 : 0) + entry.scope;
}
/** The slots whose trees hold allows: they are left out where AccessPolicies only deny. */
export const allowSlots = 0b111000_000_111_000_111_000;

const rowStride = 5;
export const Value = {
  /** -1 where empty. */
  attribute: 0,
  code: 1,
  /** Its text. */
  text: 2,
  /** The first group of MeshTrafficPermissions, of all others, or -1. */
  groups: 3,
} as const;

const codeCell = Value.code;

/** The row of a value, or the empty one where it would be. */
export function rowOf(rows: Int32Array, attribute: number, code: number): number {
  const mask = rows.length / rowStride - 1;
  const mixed = Math.imul(attribute, 0x9e37_79b1) ^ code;
  for (let slot = mixed ^ (mixed >>> 15); ; slot++) {
    const at = (slot & mask) * rowStride;
    if (rows[at] === -1 || (rows[at] === attribute && rows[at + codeCell] === code)) return at;
  }
}

export class ValueRows {
  readonly rows: Int32Array;

  constructor(values: number) {
    let size = 4;
    while (size < values * 1.5) size *= 2;
    this.rows = new Int32Array(size * rowStride).fill(-1);
  }

  add(attribute: number, code: number, text: number, kind: number, group: number): void {
    const at = rowOf(this.rows, attribute, code);
    this.rows.set([attribute, code, text], at);
    this.rows[at + Value.groups + kind] = group;
  }
}
