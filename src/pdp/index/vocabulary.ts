import { type Condition, isOwnKey, keys, type Pattern, type Side } from '../model/rule.ts';
import { beginsId } from '../model/spiffe-id.ts';
import { trustRank } from '../model/trust.ts';
import { attributeOf, dimensionOf } from './dimension.ts';
import { fingerprint, interned, tailFor } from './fingerprint.ts';
import { numberAt } from './numbers.ts';
import type { StringTableBuilder } from './strings.ts';
import { NodeBit, nodeBits } from './tree-cells.ts';
import { type Trie, TrieBuilder, type TriePattern } from './trie.ts';

/**
 * Everything that rules mention, as small integers. An *attribute* is a side and a key. A *dimension* is an
 * attribute read at a floor: the same value can be known to one condition and unknown to another, so the floor
 * is part of the index. A *symbol* is a pattern of an attribute; a request's value stands for the symbols it matches.
 */

export const sideCodes: Readonly<Record<Side, number>> = { source: 0, destination: 1, request: 2 };

/** The ways a pattern is matched, by their numbers. */
export const matchKinds: readonly Pattern['match'][] = ['exact', 'prefix', 'under'];

/** How a value is found in a request, so that no key is compared as text while deciding. */
export const Kind = {
  attribute: 0,
  spiffeId: 1,
  trustDomain: 2,
  mesh: 3,
  tag: 4,
  method: 5,
  path: 6,
  sni: 7,
  destination: 8,
  /** ClusterLink's names on the wrong side: absent, whatever a set says of its completeness. */
  never: 9,
} as const;

function kindOf(side: Side, key: string, never: boolean): number {
  if (never) return Kind.never;
  if (side === 'destination') return Kind.destination;
  if (side === 'request') {
    return key === keys.method ? Kind.method : key === keys.path ? Kind.path : Kind.sni;
  }
  if (key === keys.spiffeId) return Kind.spiffeId;
  if (key === keys.trustDomain) return Kind.trustDomain;
  if (key === keys.mesh) return Kind.mesh;
  return key.startsWith(keys.tag) ? Kind.tag : Kind.attribute;
}

export interface Codes {
  readonly tails: readonly number[];
  /** Below -1 a fingerprint, else the symbol itself. */
  readonly codes: Int32Array;
  /** The string of the table that its text is. */
  readonly texts: Int32Array;
}

export class Vocabulary {
  /** Attribute: string of its key (for tags the tag's own), kind, side. */
  readonly attributeStrings: number[] = [];
  readonly attributeKinds: number[] = [];
  readonly attributeSides: number[] = [];
  readonly attributeIsOwn: boolean[] = [];
  readonly attributeIsTag: boolean[] = [];
  /** Symbol: its attribute, its string, 0 exact, 1 prefix, 2 under. */
  readonly symbolAttributes: number[] = [];
  readonly symbolStrings: number[] = [];
  readonly symbolMatches: number[] = [];

  readonly #attributes = new Map<string, number>();
  /** Per string the first symbol that it is; most are no other. */
  readonly #firsts: number[] = [];
  /** Per attribute the others, by string and way of matching. */
  readonly #symbols: Map<number, number>[] = [];
  readonly #patterns: TriePattern[][] = [];
  readonly #strings: StringTableBuilder;
  readonly #siteFloor: number;
  readonly #neverPresent: (key: string, side: Side) => boolean;

  constructor(
    strings: StringTableBuilder,
    siteFloor: number,
    neverPresent: (key: string, side: Side) => boolean,
  ) {
    this.#strings = strings;
    this.#siteFloor = siteFloor;
    this.#neverPresent = neverPresent;
  }

  attribute(side: Side, key: string): number {
    const name = `${sideCodes[side]}${key}`;
    let id = this.#attributes.get(name);
    if (id === undefined) {
      id = this.attributeStrings.length;
      this.#attributes.set(name, id);
      const kind = kindOf(side, key, this.#neverPresent(key, side));
      this.attributeStrings.push(this.#strings.id(key));
      this.attributeKinds.push(kind);
      this.attributeSides.push(sideCodes[side]);
      this.attributeIsOwn.push(isOwnKey(key));
      this.attributeIsTag.push(key.startsWith(keys.tag));
      this.#symbols.push(new Map());
      this.#patterns.push([]);
    }
    return id;
  }

  gate(attribute: number): number {
    const side = this.attributeSides[attribute] as number;
    return gateOf(side, this.attributeIsOwn[attribute] as boolean, this.#siteFloor);
  }

  /**
   * The head of a node for conditions on a dimension, in rules that allow or in such that deny: those of either without
   * a floor of their own stand in one.
   */
  standing(dimension: number, allows: boolean): number {
    const attribute = attributeOf(dimension);
    const gate = this.gate(attribute);
    if (gate === 0 || dimension !== dimensionOf(attribute, allows ? gate : 0)) return dimension << nodeBits;
    return (dimensionOf(attribute, gate) << nodeBits) | NodeBit.mixed;
  }

  /** The symbols of a condition's values, ascending, each once. */
  symbols(attribute: number, condition: Condition): number[] {
    const found = condition.values.map((pattern) => this.#symbol(attribute, pattern));
    if (found.length < 2) return found;
    return [...new Set(found)].sort((a, b) => a - b);
  }

  #symbol(attribute: number, { match, value }: Pattern): number {
    const text = this.#strings.id(value);
    const way = matchKinds.indexOf(match);
    const first = numberAt(this.#firsts, text, -1);
    const isFirst = first >= 0 && this.symbolAttributes[first] === attribute;
    if (isFirst && this.symbolMatches[first] === way) return first;
    const others = this.#symbols[attribute] as Map<number, number>;
    const name = text * matchKinds.length + way;
    const known = first < 0 ? undefined : others.get(name);
    if (known !== undefined) return known;
    const symbol = this.symbolStrings.length;
    if (first < 0) this.#firsts[text] = symbol;
    else others.set(name, symbol);
    this.symbolAttributes.push(attribute);
    this.symbolStrings.push(text);
    this.symbolMatches.push(way);
    if (match !== 'exact') this.#patterns[attribute]?.push({ text: value, under: match === 'under', symbol });
    return symbol;
  }

  /** Per attribute its tail, and per symbol the code that stands for it; once all symbols are there. */
  codes(): Codes {
    const exact: number[][] = this.attributeStrings.map(() => []);
    this.symbolMatches.forEach((match, symbol) => {
      if (match === 0) exact[this.symbolAttributes[symbol] as number]?.push(symbol);
    });
    const codes = Int32Array.from(this.symbolStrings.keys());
    const texts = Int32Array.from(this.symbolStrings);
    const tails = exact.map((symbols) => {
      const values = symbols.map((symbol) => this.#strings.text(this.symbolStrings[symbol] as number));
      const tail = values.length === 0 ? interned : tailFor(values);
      if (tail === interned) return tail;
      symbols.forEach((symbol, i) => {
        codes[symbol] = fingerprint(values[i] as string, tail);
      });
      return tail;
    });
    return { tails, codes, texts };
  }

  /** A trie for each attribute that has patterns other than exact ones. */
  tries(): { trie: Trie; roots: Int32Array; depths: Int32Array; idsBegin: boolean } {
    const builder = new TrieBuilder();
    const roots = new Int32Array(this.#patterns.length).fill(-1);
    const depths = new Int32Array(this.#patterns.length);
    let idsBegin = true;
    this.#patterns.forEach((patterns, attribute) => {
      if (patterns.length === 0) return;
      const { root, depth } = builder.add(patterns);
      roots[attribute] = root;
      depths[attribute] = depth;
      if (this.attributeKinds[attribute] === Kind.spiffeId)
        idsBegin = patterns.every(({ text }) => beginsId(text));
    });
    return { trie: builder.build(), roots, depths, idsBegin };
  }
}

/** The floor that an allow has where it does not ask for another (UNK4); `side`: of `sideCodes`. */
export function gateOf(side: number, isOwn: boolean, siteFloor: number): number {
  if (side === sideCodes.request || (side === sideCodes.destination && isOwn)) return 0;
  return side === sideCodes.source ? siteFloor : Math.min(siteFloor, trustRank.configured);
}

/** The floor of a condition in a world where its rule has this effect (UNK4). */
export function floorOf(condition: Condition, allows: boolean, siteFloor: number): number {
  if (condition.side === 'request') return 0;
  if (condition.side === 'destination' && isOwnKey(condition.key)) return 0;
  if (condition.floor !== undefined) return trustRank[condition.floor];
  return allows ? gateOf(sideCodes[condition.side], isOwnKey(condition.key), siteFloor) : 0;
}
