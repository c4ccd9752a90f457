import { effectOf, keys, type Rule } from '../model/rule.ts';
import { trustRank } from '../model/trust.ts';
import { type ConditionTable, type Entry, Op } from './entries.ts';
import { allowSlots, type Groups, groupStride, hashGroup, Row, slotOf } from './groups.ts';
import { fullMask, maskBits, type TreeBuilder, type TreeRule } from './tree.ts';
import { Kind, type Vocabulary } from './vocabulary.ts';

/** More combinations of values than this on its destination, and a rule keeps the rest as tests. */
const mostFilings = 16;

interface Draft {
  readonly signature: number;
  readonly symbols: readonly number[];
  readonly list: number;
  readonly slots: Map<number, TreeRule[]>;
  readonly paths: number[];
}

/** Files entries under their destinations; `build` renders what has been filed. */
export class Filing {
  readonly #rules: readonly Rule[];
  readonly #entries: readonly Entry[];
  readonly #vocabulary: Vocabulary;
  readonly #conditions: ConditionTable;
  readonly #siteFloor: number;
  readonly #sectionAttribute: number;
  readonly #signatures = new Map<string, number>();
  readonly #signatureAttributes: (readonly number[])[] = [];
  readonly #signatureMesh: boolean[] = [];
  readonly #groups = new Map<string, Draft>();
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
    siteFloor: number,
  ) {
    this.#siteFloor = Math.min(siteFloor, trustRank.configured);
    this.#rules = rules;
    this.#entries = entries;
    this.#vocabulary = vocabulary;
    this.#conditions = conditions;
    this.#sectionAttribute = vocabulary.attribute('destination', keys.section);
    this.#rankLists();
    entries.forEach((entry, id) => {
      this.#file(entry, id);
    });
  }

  /** Within a list the strongest item has the smallest key, whatever its tier. */
  #rankLists(): void {
    const items = new Map<string, { strength: number; entry: number }[]>();
    this.#entries.forEach((entry, id) => {
      const list = this.#rules[entry.rule]?.list;
      if (list === undefined) return;
      const same = items.get(list.id);
      if (same === undefined) items.set(list.id, [{ strength: list.strength, entry: id }]);
      else same.push({ strength: list.strength, entry: id });
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

  #file(entry: Entry, id: number): void {
    const listId = this.#rules[entry.rule]?.list?.id;
    const list = listId === undefined ? -1 : (this.#lists.get(listId) as number);
    const key = this.#listKeys.get(id) ?? id;
    const slot = slotOf(entry, list >= 0);
    let mask = fullMask(entry.conditions.length);
    const filed = new Map<number, readonly number[]>();
    let filings = 1;
    let tested = false;
    let readsPath = false;
    entry.conditions.forEach((condition, i) => {
      const dimension = this.#conditions.dimension(condition);
      const attribute = this.#vocabulary.dimensionAttributes[dimension] as number;
      const kind = this.#vocabulary.attributeKinds[attribute];
      if (kind === Kind.path) readsPath = true;
      if (this.#vocabulary.attributeSides[attribute] !== 1) return;
      // A floor of its own makes a condition unknown for values that it does not even name: it is tested.
      const floor = this.#vocabulary.dimensionFloors[dimension] as number;
      const symbols =
        floor === this.#gate(attribute, entry) ? this.#equalities(condition, attribute, kind) : undefined;
      if (symbols === undefined || filed.has(attribute) || filings * symbols.length > mostFilings) {
        tested = true;
        return;
      }
      filings *= symbols.length;
      filed.set(attribute, symbols);
      if (i < maskBits) mask &= ~(1 << i);
    });
    if (tested || filed.size === 0) this.#residual++;
    const rule: TreeRule = { key, conditions: entry.conditions, mask };
    const attributes = [...filed.keys()].sort((a, b) => a - b);
    const signature = this.#signature(entry.mesh, attributes);
    const place = (symbols: readonly number[], rest: readonly number[]): void => {
      const [next, ...later] = rest;
      if (next !== undefined) {
        for (const symbol of filed.get(next) as readonly number[]) place([...symbols, symbol], later);
        return;
      }
      const group = this.#group(signature, symbols, list);
      file(group, slot, rule);
      if (readsPath) group.paths.push(id);
    };
    place([], attributes);
    if (!entry.mesh && filed.size > 0 && effectOf(entry.tier) === 'deny' && list < 0) {
      this.#unknown ??= draft(-1, [], -1);
      const all = { key, conditions: entry.conditions, mask: fullMask(entry.conditions.length) };
      file(this.#unknown, slot, all);
    }
  }

  /** The floor that a destination's value is held to when groups are looked up. */
  #gate(attribute: number, entry: Entry): number {
    const own = this.#vocabulary.attributeIsOwn[attribute];
    return own || effectOf(entry.tier) === 'deny' ? 0 : this.#siteFloor;
  }

  /** The values of a condition that can be looked up; a section may be unknown among several, so it is tested. */
  #equalities(condition: number, attribute: number, kind: number | undefined): readonly number[] | undefined {
    if (this.#conditions.op(condition) !== Op.in || attribute === this.#sectionAttribute) return undefined;
    if (kind === Kind.never || this.#conditions.count(condition) > mostFilings) return undefined;
    const symbols = this.#conditions.symbols(condition);
    return symbols.every((symbol) => this.#vocabulary.symbolMatches[symbol] === 0) ? symbols : undefined;
  }

  #signature(mesh: boolean, attributes: readonly number[]): number {
    const name = `${mesh} ${attributes.join(' ')}`;
    let id = this.#signatures.get(name);
    if (id === undefined) {
      id = this.#signatures.size;
      this.#signatures.set(name, id);
      this.#signatureAttributes.push(attributes);
      this.#signatureMesh.push(mesh);
    }
    return id;
  }

  #group(signature: number, symbols: readonly number[], list: number): Draft {
    const name = `${signature} ${list} ${symbols.join(' ')}`;
    let group = this.#groups.get(name);
    if (group === undefined) {
      group = draft(signature, symbols, list);
      this.#groups.set(name, group);
    }
    return group;
  }

  build(trees: TreeBuilder): Groups {
    const drafts = [...this.#groups.values()];
    if (this.#unknown !== undefined) drafts.push(this.#unknown);
    let size = 4;
    while (size < drafts.length * 2) size *= 2;
    const table = new Int32Array(size * groupStride).fill(-1);
    const roots: number[] = [];
    const symbols: number[] = [];
    const pathEntries: number[] = [];
    let unknown = -1;
    drafts.forEach((group, id) => {
      let slots = 0;
      const mine: number[] = [];
      for (const [slot, rules] of [...group.slots].sort(([one], [other]) => one - other)) {
        slots |= 1 << slot;
        rules.sort((one, other) => one.key - other.key);
        mine.push(trees.add(rules, ((1 << slot) & allowSlots) === 0));
      }
      let row = hashGroup(group.signature, group.symbols, 0, group.symbols.length) & (size - 1);
      while (table[row * groupStride + Row.id] !== -1) row = (row + 1) & (size - 1);
      if (group === this.#unknown) unknown = row;
      const paths = group.paths.length === 0 ? -1 : pathEntries.push(group.paths.length) - 1;
      for (const entry of group.paths) pathEntries.push(entry);
      const first = mine.length === 1 ? (mine[0] as number) : roots.length;
      const [symbol = -1] = group.symbols;
      const numbers = [group.signature, symbol, symbols.length, group.list, slots, first, paths, id];
      table.set(numbers, row * groupStride);
      if (mine.length > 1) roots.push(...mine);
      symbols.push(...group.symbols);
    });
    return {
      ...this.#renderSignatures(),
      table,
      symbols: Int32Array.from(symbols),
      roots: Int32Array.from(roots),
      unknown,
      count: drafts.length,
      pathEntries: Int32Array.from(pathEntries),
      listEntries: Int32Array.from(this.#listEntries),
      lists: this.#lists.size,
      residual: this.#residual,
    };
  }

  #renderSignatures(): Pick<Groups, 'signatures' | 'signatureAttributes'> {
    const signatures: number[] = [];
    const all: number[] = [];
    this.#signatureAttributes.forEach((attributes, id) => {
      signatures.push(this.#signatureMesh[id] ? 1 : 0, all.length, attributes.length);
      all.push(...attributes);
    });
    return { signatures: Int32Array.from(signatures), signatureAttributes: Int32Array.from(all) };
  }
}

function draft(signature: number, symbols: readonly number[], list: number): Draft {
  return { signature, symbols, list, slots: new Map(), paths: [] };
}

function file(group: Draft, slot: number, rule: TreeRule): void {
  const rules = group.slots.get(slot);
  if (rules === undefined) group.slots.set(slot, [rule]);
  else rules.push(rule);
}
