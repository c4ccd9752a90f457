import { effectOf } from '../model/rule.ts';
import type { Entry } from './entries.ts';

/**
 * Rules filed by one equality condition on their destination: the one whose value the fewest rules share. What else
 * they ask of it is tested in their tree. A destination finds its groups by one look-up per key that rules are
 * filed under, and the symbol of its value is the place to look at.
 */
export interface Groups {
  /** Attributes that rules are filed under: of MeshTrafficPermissions, of all others. */
  readonly filed: readonly [Int32Array, Int32Array];
  /** Per symbol: the first group of MeshTrafficPermissions, of all others, or -1. */
  readonly bySymbol: Int32Array;
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

export const groupStride = 5;
export const Row = {
  /** List or -1. */
  list: 0,
  /** Bits of the slots it has a tree for. */
  slots: 1,
  /** Where its roots are; the root itself if it has one. */
  roots: 2,
  /** Where its entries that read paths are, or -1. */
  paths: 3,
  /** The next group of the same key, or -1: groups of one key differ by their list. */
  next: 4,
} as const;

/** The root of a slot that the group of this row has. */
export function rootOf(groups: Groups, row: number, slot: number): number {
  const at = row * groupStride;
  const slots = groups.table[at + Row.slots] as number;
  const first = groups.table[at + Row.roots] as number;
  if ((slots & (slots - 1)) === 0) return first;
  let before = 0;
  for (let rest = slots & ((1 << slot) - 1); rest !== 0; rest &= rest - 1) before++;
  return groups.roots[first + before] as number;
}

/** Slots 0 to 14: tier times three plus scope. From 15: items of a list, denies (15) and allows (18) plus scope. */
export const listSlot = 15;
export function slotOf(entry: Entry, listed: boolean): number {
  if (!listed) return entry.tier * 3 + entry.scope;
  return listSlot + (effectOf(entry.tier) === 'allow' ? 3 : 0) + entry.scope;
}
/** The slots whose trees hold allows: they are left out where AccessPolicies only deny. */
export const allowSlots = 0b111000_000_111_000_111_000;
