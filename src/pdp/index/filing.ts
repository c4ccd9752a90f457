import { pushTo } from '../model/lists.ts';
import { effectOf, keys, type Rule } from '../model/rule.ts';
import { attributeOf, dimensionOf } from './dimension.ts';
import { type ConditionTable, type Entry, Op } from './entries.ts';
import { GroupRow, type Groups, groupStride, ValueRows } from './groups.ts';
import { fullMask, maskBits, type TreeBuilder, type TreeRule } from './tree.ts';
import { doesAllow, isTable, nothing, traitsOf } from './tree-cells.ts';
import { type Codes, Kind, type Vocabulary } from './vocabulary.ts';

/** A condition with more values than this is not filed under. */
const mostFilings = 16;

/** Stands for the value of a tag that the inbounds meant do not share, among symbols. */
const unknownTag = -2;

/** Rules that share a value make a group small enough for its tree alone. */
const smallGroup = 128;
const mostPreferred = 8;

interface Draft {
  readonly list: number;
  readonly rules: TreeRule[];
  readonly paths: number[];
  next: Draft | undefined;
  row: number;
}

/** Files entries under their destinations; `build` renders what has been filed. */
export class Filing {
  readonly #rules: readonly Rule[];
  readonly #entries: readonly Entry[];
  readonly #vocabulary: Vocabulary;
  readonly #conditions: ConditionTable;
  /** Known by the request and not by the destination alone, so that they are tested and never filed under. */
  readonly #tested: ReadonlySet<number>;
  /** Per kind of rule (0 for MeshTrafficPermissions): groups by symbol, -1 for those filed under nothing. */
  readonly #groups = [new Map<number, Draft>(), new Map<number, Draft>()] as const;
  readonly #filed = [new Set<number>(), new Set<number>()] as const;
  readonly #drafts: Draft[] = [];
  readonly #listKeys = new Map<number, number>();
  readonly #lists = new Map<string, number>();
  readonly #listEntries: number[] = [];
  #unknown: Draft | undefined;
  #residual = 0;

  constructor(
    rules: readonly Rule[],
    entries: readonly Entry[],
    vocabulary: Vocabulary,
    conditions: ConditionTable,
  ) {
    this.#rules = rules;
    this.#entries = entries;
    this.#vocabulary = vocabulary;
    this.#conditions = conditions;
    this.#tested = new Set([keys.section, keys.route].map((key) => vocabulary.attribute('destination', key)));
    this.#rankLists();
    const shares = this.#count();
    const preferred = this.#prefer(shares);
    entries.forEach((entry, id) => {
      this.#file(entry, id, this.#best(entry, shares, preferred));
    });
  }

  /** Within a list the strongest item has the smallest key, whatever its tier. */
  #rankLists(): void {
    const items = new Map<string, { strength: number; entry: number }[]>();
    this.#entries.forEach((entry, id) => {
      const list = this.#rules[entry.rule]?.list;
      if (list === undefined) return;
      pushTo(items, list.id, { strength: list.strength, entry: id });
    });
    for (const [id, list] of [...items].sort(([a], [b]) => (a < b ? -1 : 1))) {
      this.#lists.set(id, this.#lists.size);
      list.sort((a, b) => b.strength - a.strength || a.entry - b.entry);
      for (const { entry } of list) {
        this.#listKeys.set(entry, this.#entries.length + this.#listEntries.length);
        this.#listEntries.push(entry);
      }
    }
  }

  /** How many entries ask for each value of a destination. */
  #count(): Map<number, number> {
    const shares = new Map<number, number>();
    for (const entry of this.#entries) {
      for (const condition of entry.conditions) {
        for (const symbol of this.#equalities(condition, entry) ?? []) {
          shares.set(symbol, (shares.get(symbol) ?? 0) + 1);
        }
      }
    }
    return shares;
  }

  /**
   * The attributes to file under, best first: each is the one under which the most of the rules that are left have
   * small groups. The fewer there are, the fewer values of a destination have to be read before its rules are found.
   */
  #prefer(shares: ReadonlyMap<number, number>): number[] {
    let open = this.#entries.map((entry) => {
      const small = entry.conditions.filter(
        (condition) => this.#share(condition, entry, shares) <= smallGroup,
      );
      return [...new Set(small.map((condition) => this.#attribute(condition)))];
    });
    const preferred: number[] = [];
    while (preferred.length < mostPreferred) {
      const counts = new Map<number, number>();
      for (const attributes of open) {
        for (const attribute of attributes) counts.set(attribute, (counts.get(attribute) ?? 0) + 1);
      }
      const [most] = [...counts].sort(([a, x], [b, y]) => y - x || a - b);
      if (most === undefined) break;
      const [attribute] = most;
      preferred.push(attribute);
      open = open.filter((attributes) => !attributes.includes(attribute));
    }
    return preferred;
  }

  /** How many entries share a value that a condition asks for; infinite if it cannot be filed under. */
  #share(condition: number, entry: Entry, shares: ReadonlyMap<number, number>): number {
    const symbols = this.#equalities(condition, entry);
    if (symbols === undefined) return Number.POSITIVE_INFINITY;
    return symbols.reduce((sum, symbol) => sum + (shares.get(symbol) as number), 0);
  }

  #file(entry: Entry, id: number, best: number): void {
    const listId = this.#rules[entry.rule]?.list?.id;
    const list = listId === undefined ? -1 : (this.#lists.get(listId) as number);
    const kind = entry.mesh ? 0 : 1;
    const allows = effectOf(entry.tier) === 'allow';
    const key = this.#listKeys.get(id) ?? id;
    const { conditions } = entry;
    const traits = traitsOf(allows, entry.scope);
    const all: TreeRule = { key, conditions, mask: fullMask(conditions.length), traits };
    const rule = best < 0 || best >= maskBits ? all : { ...all, mask: all.mask & ~(1 << best) };
    const symbols = best < 0 ? [-1] : this.#conditions.symbols(entry.conditions[best] as number);
    const readsPath = entry.conditions.some((condition) => this.#kind(condition) === Kind.path);
    for (const symbol of symbols) {
      const group = this.#group(kind, symbol, list);
      group.rules.push(rule);
      if (readsPath) group.paths.push(id);
    }
    if (best < 0) {
      this.#residual++;
      return;
    }
    const attribute = this.#attribute(entry.conditions[best] as number);
    this.#filed[kind].add(attribute);
    if (kind === 1) {
      if (allows) return;
      // Of its rules, which are no permissions, none reads a path or stands in a list.
      this.#unknown ??= this.#draft(-1);
      this.#unknown.rules.push(all);
    } else if (this.#vocabulary.attributeIsTag[attribute]) {
      if (!allows) this.#group(0, unknownTag, list).rules.push(all);
      // An allow that is not known to govern still makes an ambiguous path one.
      if (readsPath) this.#group(0, unknownTag, list).paths.push(id);
    }
  }

  /** The position of the condition to file under, or -1: of a preferred attribute, else the one that fewest share. */
  #best(entry: Entry, shares: ReadonlyMap<number, number>, preferred: readonly number[]): number {
    let best = -1;
    let least = Number.POSITIVE_INFINITY;
    entry.conditions.forEach((condition, i) => {
      const share = this.#share(condition, entry, shares);
      if (share === Number.POSITIVE_INFINITY) return;
      const preference = share <= smallGroup ? preferred.indexOf(this.#attribute(condition)) : -1;
      const cost = preference < 0 ? mostPreferred + share : preference;
      if (cost >= least) return;
      best = i;
      least = cost;
    });
    return best;
  }

  #attribute(condition: number): number {
    return attributeOf(this.#conditions.dimension(condition));
  }

  #kind(condition: number): number {
    return this.#vocabulary.attributeKinds[this.#attribute(condition)] as number;
  }

  /**
   * The values of a destination condition that can be looked up. A section may be unknown among several, and a
   * floor of its own makes a condition unknown for values that it does not even name: these are tested.
   */
  #equalities(condition: number, entry: Entry): readonly number[] | undefined {
    const attribute = this.#attribute(condition);
    if (this.#kind(condition) !== Kind.destination || this.#tested.has(attribute)) return undefined;
    if (this.#conditions.op(condition) !== Op.in || this.#conditions.count(condition) > mostFilings) {
      return undefined;
    }
    const gate = effectOf(entry.tier) === 'deny' ? 0 : this.#vocabulary.gate(attribute);
    if (this.#conditions.dimension(condition) !== dimensionOf(attribute, gate)) return undefined;
    const symbols = this.#conditions.symbols(condition);
    return symbols.every((symbol) => this.#vocabulary.symbolMatches[symbol] === 0) ? symbols : undefined;
  }

  #group(kind: 0 | 1, symbol: number, list: number): Draft {
    let last: Draft | undefined;
    for (let group = this.#groups[kind].get(symbol); group !== undefined; group = group.next) {
      if (group.list === list) return group;
      last = group;
    }
    const group = this.#draft(list);
    if (last === undefined) this.#groups[kind].set(symbol, group);
    else last.next = group;
    return group;
  }

  #draft(list: number): Draft {
    const group: Draft = { list, rules: [], paths: [], next: undefined, row: this.#drafts.length };
    this.#drafts.push(group);
    return group;
  }

  build(trees: TreeBuilder, { codes, texts }: Codes): Groups {
    const table = new Int32Array(this.#drafts.length * groupStride);
    const pathEntries: number[] = [];
    for (const group of this.#drafts) {
      group.rules.sort((one, other) => one.key - other.key);
      const at = group.row * groupStride;
      table[at + GroupRow.list] = group.list;
      const root = trees.add(group.rules);
      table[at + GroupRow.root] = root;
      const denies = group.rules.filter(({ traits }) => !doesAllow(traits));
      const isMixed = group.list < 0 && denies.length > 0 && denies.length < group.rules.length;
      const apart = isMixed && !isTable(root);
      table[at + GroupRow.denies] = apart ? trees.add(denies) : denies.length === 0 ? nothing : root;
      table[at + GroupRow.paths] = group.paths.length === 0 ? -1 : pathEntries.push(group.paths.length) - 1;
      table[at + GroupRow.next] = group.next?.row ?? -1;
      for (const entry of group.paths) pathEntries.push(entry);
    }
    const values = new ValueRows(this.#groups[0].size + this.#groups[1].size);
    this.#groups.forEach((groups, kind) => {
      for (const [symbol, group] of groups) {
        if (symbol < 0) continue;
        const attribute = this.#vocabulary.symbolAttributes[symbol] as number;
        values.add(attribute, codes[symbol] as number, texts[symbol] as number, kind, group.row);
      }
    });
    const ascending = (set: ReadonlySet<number>): Int32Array => Int32Array.from(set).sort();
    return {
      filed: [ascending(this.#filed[0]), ascending(this.#filed[1])],
      byValue: values.rows,
      everywhere: [this.#groups[0].get(-1)?.row ?? -1, this.#groups[1].get(-1)?.row ?? -1],
      table,
      unknown: this.#unknown?.row ?? -1,
      unknownTags: this.#groups[0].get(unknownTag)?.row ?? -1,
      count: this.#drafts.length,
      pathEntries: Int32Array.from(pathEntries),
      listEntries: Int32Array.from(this.#listEntries),
      lists: this.#lists.size,
      residual: this.#residual,
    };
  }
}
