import { keys, type Rule, type Side, type Tier } from '../model/rule.ts';
import { type Trust, trustRank } from '../model/trust.ts';
import { attributeOf } from './dimension.ts';
import { type Conditions, ConditionTable, type Entries, entriesOf } from './entries.ts';
import { symbolStride } from './exact.ts';
import { Filing } from './filing.ts';
import type { Groups } from './groups.ts';
import { type OriginTable, originsOf } from './origins.ts';
import { usualSizes } from './sizes.ts';
import { type StringTable, StringTableBuilder } from './strings.ts';
import { TreeBuilder } from './tree.ts';
import type { Trees } from './tree-cells.ts';
import type { Trie } from './trie.ts';
import { sideCodes, Vocabulary } from './vocabulary.ts';

/** A compiled set: typed arrays and one string table, nothing else, so that a thread can hand it to another. */
export interface Compiled {
  readonly strings: StringTable;
  readonly trie: Trie;
  /** Per attribute, see `AttributeColumn`. */
  readonly attributes: Int32Array;
  /** Per exact symbol, by attribute and code: attribute, string, code. */
  readonly symbols: Int32Array;
  readonly conditions: Conditions;
  readonly entries: Entries;
  /** Per shape, the set of dimensions that many entries read: how many, how many of the source, these, the others. */
  readonly shapes: Int32Array;
  readonly trees: Trees;
  readonly groups: Groups;
  /** What decisions say of rules, see `originsOf`. */
  readonly origins: OriginTable;
  /** Per tier: its first entry; one more at the end. */
  readonly tierStarts: Int32Array;
  readonly siteFloor: number;
  /** Whether all patterns for SPIFFE IDs are such as IDs begin with. */
  readonly idsBegin: boolean;
}

/** The string of its key, its kind and side, the root of its trie or -1, the depth of that trie, the tail of its fingerprints. */
export const AttributeColumn = { key: 0, kind: 1, side: 2, root: 3, depth: 4, tail: 5 } as const;
export const attributeStride = 6;

/** Entries of one tier stand side by side. */
export function tierOf({ tierStarts }: Compiled, entry: number): Tier {
  let tier = 4;
  while (entry < (tierStarts[tier] as number)) tier--;
  return tier as Tier;
}

/** Destination keys that lookups go by whether or not a rule names them. */
const alwaysKnown: readonly [Side, string][] = [
  ['destination', keys.mesh],
  ['destination', keys.section],
  ['destination', keys.route],
  ['destination', keys.namespace],
  ['request', keys.path],
];

/** Rules that read these may not govern where they were found (DST5, DST8), or make a path an ambiguous one. */
const againLookedAt: readonly [Side, string][] = [
  ['destination', keys.section],
  ['destination', keys.route],
  ['request', keys.path],
];

/**
 * `asks`: of which entries is kept what they ask of their destination; of `few`, those that decisions look at again.
 * `strings`: with what stands in the table besides, for those who keep more of the rules than decides.
 */
export function compile(
  rules: readonly Rule[],
  siteFloor: Trust,
  neverPresent: (key: string, side: Side) => boolean,
  asks: 'few' | 'all' = 'few',
  strings = new StringTableBuilder(),
  sizes = usualSizes,
): Compiled {
  const vocabulary = new Vocabulary(strings, trustRank[siteFloor], neverPresent);
  for (const [side, key] of alwaysKnown) vocabulary.attribute(side, key);
  const lookedAt = new Set(againLookedAt.map(([side, key]) => vocabulary.attribute(side, key)));
  const conditions = new ConditionTable();
  const entries = entriesOf(rules, vocabulary, conditions, trustRank[siteFloor]);
  const filing = new Filing(rules, entries, vocabulary, conditions);
  const symbolCodes = vocabulary.codes();
  const { tails, codes } = symbolCodes;
  const trees = new TreeBuilder(conditions, vocabulary, symbolCodes, sizes);
  const groups = filing.build(trees, symbolCodes);

  const asked: number[] = [];
  const asking: number[] = [];
  const shapes = new Shapes(vocabulary);
  const tierStarts = new Int32Array(6).fill(entries.length);
  const shapeOf = entries.map((entry, id) => {
    const dimensions = entry.conditions.map((condition) => conditions.dimension(condition));
    if (asks === 'all' || dimensions.some((dimension) => lookedAt.has(attributeOf(dimension)))) {
      const own = entry.conditions.filter((_, i) => {
        const attribute = attributeOf(dimensions[i] as number);
        return vocabulary.attributeSides[attribute] === sideCodes.destination;
      });
      asking.push(id, asked.length);
      asked.push(own.length, ...own.map((condition) => conditions.kept(condition)));
    }
    for (let t = entry.tier; t >= 0 && tierStarts[t] === entries.length; t--) tierStarts[t] = id;
    return shapes.add(dimensions);
  });
  const origins = originsOf(rules, strings);
  const { trie, roots, depths, idsBegin } = vocabulary.tries();
  const attributes = new Int32Array(roots.length * attributeStride);
  roots.forEach((root, id) => {
    const { attributeStrings, attributeKinds, attributeSides } = vocabulary;
    const row = [attributeStrings[id], attributeKinds[id], attributeSides[id], root, depths[id], tails[id]];
    attributes.set(row as number[], id * attributeStride);
  });
  const table = strings.build();
  const symbols = exactSymbols(vocabulary, codes);
  return {
    strings: table,
    trie,
    attributes,
    symbols,
    conditions: conditions.build(codes),
    entries: {
      rules: Int32Array.from(entries, ({ rule }) => rule),
      scopes: Uint8Array.from(entries, ({ scope }) => scope),
      shapes: Int32Array.from(shapeOf),
      asking: Int32Array.from(asking),
      asked: Int32Array.from(asked),
    },
    shapes: shapes.build(),
    trees: trees.build(),
    groups,
    origins,
    tierStarts,
    siteFloor: trustRank[siteFloor],
    idsBegin,
  };
}

class Shapes {
  readonly #asked = new Map<string, number>();
  readonly #starts = new Map<string, number>();
  readonly #numbers: number[] = [];
  readonly #vocabulary: Vocabulary;

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  /** Most entries ask for the same in the same order as one before. */
  add(dimensions: readonly number[]): number {
    const asked = dimensions.join(' ');
    let start = this.#asked.get(asked);
    if (start === undefined) {
      start = this.#shape([...new Set(dimensions)].sort((a, b) => a - b));
      this.#asked.set(asked, start);
    }
    return start;
  }

  #shape(all: readonly number[]): number {
    const isOfSource = (dimension: number) =>
      this.#vocabulary.attributeSides[attributeOf(dimension)] === sideCodes.source;
    const ofSource = all.filter(isOfSource);
    const set = [...ofSource, ...all.filter((dimension) => !isOfSource(dimension))];
    const name = set.join(' ');
    let start = this.#starts.get(name);
    if (start === undefined) {
      start = this.#numbers.length;
      this.#starts.set(name, start);
      this.#numbers.push(set.length, ofSource.length, ...set);
    }
    return start;
  }

  build(): Int32Array {
    return Int32Array.from(this.#numbers);
  }
}

function exactSymbols(vocabulary: Vocabulary, codes: Int32Array): Int32Array {
  const { symbolMatches, symbolAttributes, symbolStrings } = vocabulary;
  const ownerOf = (symbol: number): number => symbolAttributes[symbol] as number;
  const codeOf = (symbol: number): number => codes[symbol] as number;
  const exact = Int32Array.from(codes.keys())
    .filter((symbol) => symbolMatches[symbol] === 0)
    .sort((a, b) => ownerOf(a) - ownerOf(b) || codeOf(a) - codeOf(b));
  const table = new Int32Array(exact.length * symbolStride);
  exact.forEach((symbol, row) => {
    const at = row * symbolStride;
    table[at] = ownerOf(symbol);
    table[at + 1] = symbolStrings[symbol] as number;
    table[at + 2] = codeOf(symbol);
  });
  return table;
}
