/**
 * Nodes and tables, each right before what is below it: what lies in a row comes along when memory is waited for. A
 * node is `Node.edges` numbers, its edges (`edgeStride` numbers each: code, reference, text; from `scanned` edges on a
 * hash table of them, empty where the reference is `nothing`), and if its head says so the references for present,
 * absent and unknown values. Texts are strings of the table of strings. Of tables see `Table`.
 */
export interface Trees {
  readonly cells: Int32Array;
}

/**
 * A reference to what is below: -1 for nothing; from -2 down a rule that needs no test, -2 minus the reference being its
 * key above its traits; an even number for a node, an odd one for tables, half of it (rounded down) being where it or
 * the first of them begins.
 */
export const nothing = -1;

export function isTable(reference: number): boolean {
  return reference > nothing && (reference & 1) === 1;
}

/** What a rule does: bit 0 for one that allows, above it its scope. */
export const traitBits = 3;
export function traitsOf(allows: boolean, scope: number): number {
  return scope * 2 + (allows ? 1 : 0);
}
export function doesAllow(traits: number): boolean {
  return (traits & 1) === 1;
}
export function scopeOf(traits: number): number {
  return (traits >> 1) & 3;
}

export const Node = {
  /** The smallest key below. */
  least: 0,
  /** The dimension above `nodeBits`. */
  head: 1,
  /** Reference for rules that do not ask. */
  other: 2,
  /** Edges, or slots of their hash table. */
  size: 3,
  edges: 4,
} as const;

/**
 * Of a node's head. `rare`: it has branches for present, absent and unknown values. `mixed`: the floor of its dimension
 * is that of the allows below its edges, and the denies there have none.
 */
export const nodeBits = 2;
export const NodeBit = { rare: 1, mixed: 2 } as const;

export const edgeStride = 3;
/** So many edges are looked through one by one. */
export const scanned = 128;

export function edgeSlot(code: number): number {
  return code ^ (code >>> 13);
}
