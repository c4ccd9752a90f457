import { keys, type Rule, type Side, type WrittenEffect } from '../model/rule.ts';
import { type Trust, trustRank } from '../model/trust.ts';
import { type Conditions, ConditionTable, entriesOf } from './entries.ts';
import { Filing, type Groups } from './groups.ts';
import { type StringTable, StringTableBuilder } from './strings.ts';
import { TreeBuilder, type Trees } from './tree.ts';
import type { Trie } from './trie.ts';
import { Vocabulary } from './vocabulary.ts';

/** A compiled set: typed arrays and one string table, nothing else, so that a thread can hand it to another. */
export interface Compiled {
  readonly strings: StringTable;
  readonly trie: Trie;
  /** Per attribute: key, kind, side, root of its trie or -1, depth of that trie. */
  readonly attributes: Int32Array;
  /** Per dimension: attribute, floor. */
  readonly dimensions: Int32Array;
  /** Per symbol: attribute, string, 0 exact, 1 prefix, 2 under. */
  readonly symbols: Int32Array;
  readonly conditions: Conditions;
  /** Per entry: rule, tier, scope, first condition, number of conditions. */
  readonly entries: Int32Array;
  readonly entryConditions: Int32Array;
  readonly trees: Trees;
  readonly groups: Groups;
  /** Per rule: policy, KRI, written effect, index. */
  readonly origins: Int32Array;
  /** Per tier: its first entry; one more at the end. */
  readonly tierStarts: Int32Array;
  readonly siteFloor: number;
}

export const attributeStride = 5;
export const entryStride = 5;

export const writtenEffects: readonly WrittenEffect[] = [
  'allow',
  'deny',
  'allowWithShadowDeny',
  'denyWithShadowAllow',
];

/** Destination keys that lookups go by whether or not a rule names them. */
const alwaysKnown: readonly [Side, string][] = [
  ['destination', keys.mesh],
  ['destination', keys.section],
  ['destination', keys.namespace],
  ['request', keys.path],
];

export function compile(
  rules: readonly Rule[],
  siteFloor: Trust,
  neverPresent: (key: string, side: Side) => boolean,
): Compiled {
  const strings = new StringTableBuilder();
  const vocabulary = new Vocabulary(strings, neverPresent);
  for (const [side, key] of alwaysKnown) vocabulary.attribute(side, key);
  const conditions = new ConditionTable();
  const entries = entriesOf(rules, vocabulary, conditions, trustRank[siteFloor]);
  const filing = new Filing(rules, entries, vocabulary, conditions, trustRank[siteFloor]);
  const trees = new TreeBuilder(conditions);
  const groups = filing.build(trees);

  const entryTable = new Int32Array(entries.length * entryStride);
  const entryConditions: number[] = [];
  const tierStarts = new Int32Array(6).fill(entries.length);
  entries.forEach((entry, id) => {
    const { rule, tier, scope } = entry;
    entryTable.set([rule, tier, scope, entryConditions.length, entry.conditions.length], id * entryStride);
    for (const condition of entry.conditions) entryConditions.push(condition);
    for (let t = tier; t >= 0 && tierStarts[t] === entries.length; t--) tierStarts[t] = id;
  });
  const origins = new Int32Array(rules.length * 4);
  rules.forEach(({ origin }, id) => {
    const effect = writtenEffects.indexOf(origin.effect);
    origins.set([strings.id(origin.policy), strings.id(origin.kri), effect, origin.index], id * 4);
  });
  const { trie, roots, depths } = vocabulary.tries();
  const attributes = new Int32Array(roots.length * attributeStride);
  roots.forEach((root, id) => {
    const { attributeStrings, attributeKinds, attributeSides } = vocabulary;
    const row = [attributeStrings[id], attributeKinds[id], attributeSides[id], root, depths[id]] as number[];
    attributes.set(row, id * attributeStride);
  });
  return {
    strings: strings.build(),
    trie,
    attributes,
    dimensions: interleave(vocabulary.dimensionAttributes, vocabulary.dimensionFloors),
    symbols: interleave(vocabulary.symbolAttributes, vocabulary.symbolStrings, vocabulary.symbolMatches),
    conditions: conditions.build(),
    entries: entryTable,
    entryConditions: Int32Array.from(entryConditions),
    trees: trees.build(),
    groups,
    origins,
    tierStarts,
    siteFloor: trustRank[siteFloor],
  };
}

function interleave(...columns: readonly number[][]): Int32Array {
  const rows = columns[0]?.length ?? 0;
  const table = new Int32Array(rows * columns.length);
  columns.forEach((column, c) => {
    column.forEach((value, row) => {
      table[row * columns.length + c] = value;
    });
  });
  return table;
}
