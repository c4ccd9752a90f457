import { type Condition, type Effect, effectOf, isForInbounds, type Rule, type Tier } from '../model/rule.ts';
import { dimensionOf, floorMask } from './dimension.ts';
import { numberAt } from './numbers.ts';
import { firstRow } from './rows.ts';
import { floorOf, type Vocabulary } from './vocabulary.ts';

/**
 * A rule in the worlds where it has one effect: most rules are one entry in both, a rule with a shadow effect is
 * two. Entries are numbered by (tier, policy order, position), so that the smallest number that matches decides.
 */
export const Scope = { both: 0, enforced: 1, shadow: 2 } as const;

/** Bit 0 for the enforced world, bit 1 for the shadow world. */
export function worldsOf(scope: number): number {
  return scope === Scope.both ? 3 : scope === Scope.enforced ? 1 : 2;
}

export const Op = { in: 0, notIn: 1, exists: 2, notExists: 3 } as const;

export interface Entry {
  readonly rule: number;
  readonly tier: Tier;
  readonly scope: number;
  /** Ids of conditions. */
  readonly conditions: readonly number[];
  /** MeshTrafficPermissions govern inbounds only; the others govern everything (DST1, DST2). */
  readonly mesh: boolean;
}

/** Columns of entries: what decisions need of one alone lies close together. */
export interface Entries {
  readonly rules: Int32Array;
  /** See `Scope`. */
  readonly scopes: Uint8Array;
  /** Where in `Compiled.shapes`. */
  readonly shapes: Int32Array;
  /** Of which entries there is something in `asked`, in order: entry, and where. */
  readonly asking: Int32Array;
  /** Number of conditions on their destination, and these. */
  readonly asked: Int32Array;
}

const askingStride = 2;

/** Where in `asked` there is what is kept of an entry, or -1. */
export function askedAt({ asking }: Entries, entry: number): number {
  const at = firstRow(asking, askingStride, 0, entry) * askingStride;
  return asking[at] === entry ? (asking[at + 1] as number) : -1;
}

export function askedOf(entries: Entries, entry: number): Int32Array {
  const at = askedAt(entries, entry);
  const { asked } = entries;
  return at < 0 ? asked.subarray(0, 0) : asked.subarray(at + 1, at + 1 + (asked[at] as number));
}

export interface Conditions {
  /** Per condition that is looked at by its number, see `ConditionCell`. */
  readonly table: Int32Array;
  /** Those of a condition in ascending order. */
  readonly codes: Int32Array;
}

/** Dimension, operator, where its codes begin, and how many these are. */
export const ConditionCell = { dimension: 0, op: 1, first: 2, count: 3 } as const;
export const conditionStride = 4;

/** Conditions that are equal are one, so that 100,000 rules of one mesh share the condition on it. */
export class ConditionTable {
  /** Per symbol: the first condition that asks for nothing else, or -1. Most are the only ones. */
  readonly #alone: number[] = [];
  /** The others by what they ask for. */
  readonly #ids = new Map<string, number>();
  readonly #table: number[] = [];
  readonly #symbols: number[] = [];
  /** Per symbol, a bit for each floor that it is asked for at; per dimension, how many symbols are. */
  readonly #floors: number[] = [];
  readonly #asked: number[] = [];
  readonly #kept = new Map<number, number>();

  add(dimension: number, op: number, symbols: readonly number[]): number {
    const [symbol] = symbols;
    if (symbol === undefined || symbols.length > 1) return this.#named(dimension, op, symbols);
    const alone = numberAt(this.#alone, symbol, -1);
    if (alone < 0) {
      const id = this.#new(dimension, op, symbols);
      this.#alone[symbol] = id;
      return id;
    }
    const same = this.dimension(alone) === dimension && this.op(alone) === op;
    return same ? alone : this.#named(dimension, op, symbols);
  }

  #named(dimension: number, op: number, symbols: readonly number[]): number {
    const name = `${dimension} ${op} ${symbols.join(' ')}`;
    let id = this.#ids.get(name);
    if (id === undefined) {
      id = this.#new(dimension, op, symbols);
      this.#ids.set(name, id);
    }
    return id;
  }

  #new(dimension: number, op: number, symbols: readonly number[]): number {
    const id = this.#table.length / conditionStride;
    this.#table.push(dimension, op, this.#symbols.length, symbols.length);
    const floor = 1 << (dimension & floorMask);
    for (const symbol of symbols) {
      this.#symbols.push(symbol);
      const floors = numberAt(this.#floors, symbol, 0);
      if ((floors & floor) !== 0) continue;
      this.#floors[symbol] = floors | floor;
      this.#asked[dimension] = this.asked(dimension) + 1;
    }
    return id;
  }

  dimension(id: number): number {
    return this.#table[id * conditionStride + ConditionCell.dimension] as number;
  }
  op(id: number): number {
    return this.#table[id * conditionStride + ConditionCell.op] as number;
  }
  symbols(id: number): readonly number[] {
    const start = this.#table[id * conditionStride + ConditionCell.first] as number;
    return this.#symbols.slice(start, start + this.count(id));
  }
  /** How many values conditions ask for on a dimension. */
  asked(dimension: number): number {
    return numberAt(this.#asked, dimension, 0);
  }
  count(id: number): number {
    return this.#table[id * conditionStride + ConditionCell.count] as number;
  }

  /** The number of a condition in what is built: most stand in columns of tables, and have none. */
  kept(id: number): number {
    let number = this.#kept.get(id);
    if (number === undefined) {
      number = this.#kept.size;
      this.#kept.set(id, number);
    }
    return number;
  }

  build(codeOf: Int32Array): Conditions {
    const table = new Int32Array(this.#kept.size * conditionStride);
    const codes: number[] = [];
    for (const [id, number] of this.#kept) {
      const own = Int32Array.from(this.symbols(id), (symbol) => codeOf[symbol] as number).sort();
      table.set([this.dimension(id), this.op(id), codes.length, own.length], number * conditionStride);
      for (const code of own) codes.push(code);
    }
    return { table, codes: Int32Array.from(codes) };
  }
}

export function entriesOf(
  rules: readonly Rule[],
  vocabulary: Vocabulary,
  conditions: ConditionTable,
  siteFloor: number,
): Entry[] {
  const byTier: Entry[][] = [[], [], [], [], []];
  // Of conditions that are one object, which are by far the most, no name is made but once.
  const known = { allow: new Map<Condition, number>(), deny: new Map<Condition, number>() };
  const idOf = (condition: Condition, effect: Effect): number => {
    let id = known[effect].get(condition);
    if (id === undefined) {
      const attribute = vocabulary.attribute(condition.side, condition.key);
      const dimension = dimensionOf(attribute, floorOf(condition, effect === 'allow', siteFloor));
      id = conditions.add(dimension, Op[condition.op], vocabulary.symbols(attribute, condition));
      known[effect].set(condition, id);
    }
    return id;
  };
  const add = (index: number, rule: Rule, tier: Tier, scope: number): void => {
    const effect = effectOf(tier);
    const ids = rule.when.map((condition) => idOf(condition, effect));
    const mesh = isForInbounds(rule);
    const conditions = ids.length < 2 ? ids : [...new Set(ids)];
    byTier[tier]?.push({ rule: index, tier, scope, conditions, mesh });
  };
  rules.forEach((rule, index) => {
    if (rule.tier === rule.shadow) add(index, rule, rule.tier, Scope.both);
    else {
      if (rule.tier !== null) add(index, rule, rule.tier, Scope.enforced);
      add(index, rule, rule.shadow, Scope.shadow);
    }
  });
  return byTier.flat();
}
