import type { StringTable } from './strings.ts';

/**
 * Exact values of all attributes in one open table. Look-ups go by code units that the caller has already taken out
 * of the value, so that a value's text is walked once for its hash, its exact symbol and its trie.
 */
export interface ExactTable {
  /** Per slot: attribute or -1, hash, symbol, first unit, number of units. */
  readonly slots: Int32Array;
}

const stride = 5;

/** FNV-1a over code units, seeded by the attribute. Keys are the operator's, so nobody else can make them collide. */
export const hashSeed = 0x811c9dc5 | 0;
export const hashPrime = 0x01000193;

export function buildExact(symbols: Int32Array, strings: StringTable): ExactTable {
  let size = 8;
  while (size < (symbols.length / 3) * 1.5) size *= 2;
  const slots = new Int32Array(size * stride).fill(-1);
  for (let id = 0; id * 3 < symbols.length; id++) {
    if (symbols[id * 3 + 2] !== 0) continue;
    const attribute = symbols[id * 3] as number;
    const text = symbols[id * 3 + 1] as number;
    const first = strings.offsets[text] as number;
    const length = (strings.offsets[text + 1] as number) - first;
    let hash = hashSeed;
    for (let i = 0; i < length; i++) hash = Math.imul(hash ^ (strings.units[first + i] as number), hashPrime);
    let slot = slotOf(attribute, hash) & (size - 1);
    while (slots[slot * stride] !== -1) slot = (slot + 1) & (size - 1);
    slots.set([attribute, hash, id, first, length], slot * stride);
  }
  return { slots };
}

function slotOf(attribute: number, hash: number): number {
  const mixed = Math.imul(hash ^ Math.imul(attribute, 0x9e3779b1), 0x85ebca6b);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

/** The exact symbol of the first `length` units for an attribute, or -1. */
export function lookUpExact(
  { slots }: ExactTable,
  { units }: StringTable,
  attribute: number,
  value: Uint16Array,
  length: number,
  hash: number,
): number {
  const mask = slots.length / stride - 1;
  for (let slot = slotOf(attribute, hash) & mask; ; slot = (slot + 1) & mask) {
    const at = slot * stride;
    const owner = slots[at] as number;
    if (owner === -1) return -1;
    if (owner !== attribute || slots[at + 1] !== hash || slots[at + 4] !== length) continue;
    const first = slots[at + 3] as number;
    let i = 0;
    while (i < length && units[first + i] === value[i]) i++;
    if (i === length) return slots[at + 2] as number;
  }
}
