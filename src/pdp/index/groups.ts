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
  /** Rows of `groupStride` numbers, see `GroupRow`. */
  readonly table: Int32Array;
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

/** Two rows in a line of memory. */
export const groupStride = 8;
export const GroupRow = {
  /** List or -1. */
  list: 0,
  /** Reference to its tree. */
  root: 1,
  /** The same of its denies alone, for destinations that it allows nothing: to walk past the allows takes longer. */
  denies: 2,
  /** Where its entries that read paths are, or -1. */
  paths: 3,
  /** The next group of the same key, or -1: groups of one key differ by their list. */
  next: 4,
} as const;

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
