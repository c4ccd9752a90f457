import { effectOf } from '../model/rule.ts';
import type { Entry } from './entries.ts';

/**
 * Rules filed by the equality conditions they have on their destination. A *signature* is a set of destination
 * attributes that rules name together; a destination finds a group by one look-up per signature.
 */
export interface Groups {
  /** Per signature: 1 if of MeshTrafficPermissions, first attribute, number of attributes. */
  readonly signatures: Int32Array;
  readonly signatureAttributes: Int32Array;
  /** Rows of `groupStride` numbers, see `Row`, in open addressing over (signature, symbols). A group is its row. */
  readonly table: Int32Array;
  readonly symbols: Int32Array;
  /** References to trees: those of a group lie together, in order of its slots. */
  readonly roots: Int32Array;
  /** Denies of AccessPolicies for destinations whose filing key is unknown; -1 if there are none. */
  readonly unknown: number;
  readonly count: number;
  /** Per group that has any: their number, and the entries that read paths. */
  readonly pathEntries: Int32Array;
  /** Tree keys from the number of entries on are items of lists, strongest first; the entry of each. */
  readonly listEntries: Int32Array;
  readonly lists: number;
  /** Entries that are filed under no destination at all, or keep a test on it; for the report. */
  readonly residual: number;
}

export const groupStride = 8;
export const Row = {
  /** Signature, or -1 for an empty row. */
  signature: 0,
  /** The first symbol of its key, which settles most look-ups, and where the whole key is. */
  symbol: 1,
  symbols: 2,
  /** List or -1. */
  list: 3,
  /** Bits of the slots it has a tree for. */
  slots: 4,
  /** Where its roots are; the root itself if it has one. */
  roots: 5,
  /** Where its entries that read paths are, or -1. */
  paths: 6,
  /** Number of the group. */
  id: 7,
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

export function hashGroup(
  signature: number,
  symbols: ArrayLike<number>,
  start: number,
  count: number,
): number {
  let hash = Math.imul(signature + 1, 0x9e3779b1);
  for (let i = 0; i < count; i++) {
    hash = Math.imul(hash ^ (symbols[start + i] as number), 0x85ebca6b);
    hash ^= hash >>> 13;
  }
  return hash >>> 0;
}
