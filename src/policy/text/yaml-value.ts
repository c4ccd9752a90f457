import {
  type Alias,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type ParsedNode,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { limits } from '../../pdp/model/limits.ts';
import { isForbiddenKey, type StringFault, stringFault } from './characters.ts';
import { duplicateKey, forbiddenKey, losesDigits, shorten, shown, unreadableNumber } from './faults.ts';
import { type Findings, Stop } from './finding.ts';

/** Tags of the core schema; all others would make something else than plain data. */
const coreTags = new Set(
  ['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map((t) => `tag:yaml.org,2002:${t}`),
);
coreTags.add('!');

function hasOtherTag(node: ParsedNode | null | undefined): node is ParsedNode {
  return node?.tag !== undefined && !coreTags.has(node.tag);
}

function keyFault(node: ParsedNode | null): StringFault | undefined {
  if (!isScalar(node) || typeof node.value !== 'string') {
    if (!isScalar(node)) return { code: 'type', message: `got ${nounOf(node)} as a key, want a string` };
    return { code: 'type', message: `key ${writtenKey(node)} is no string`, hint: 'put it in quotes' };
  }
  if (node.value !== '<<' || node.type !== 'PLAIN') return stringFault(node.value);
  return {
    code: 'unknown-field',
    message: 'merge key "<<", which yaml 1.2 does not have',
    hint: 'write the fields out, or use an alias for the whole value',
  };
}

function writtenKey(node: ParsedNode | null): string {
  if (!isScalar(node)) return nounOf(node);
  return shorten(String(node.source)) || 'null';
}

function nounOf(node: ParsedNode | null): string {
  if (isAlias(node)) return 'an alias';
  return isMap(node) ? 'a mapping' : isSeq(node) ? 'a list' : 'nothing';
}

/** What an anchor stands for, and what each use of it adds to the document. */
interface Anchored {
  readonly value: unknown;
  readonly values: number;
  readonly expansions: number;
  readonly height: number;
}

/**
 * Turns one tree into plain data, or says what keeps it from being that. Offsets of the tree, and of the tags in it
 * that are refused, count from `start`.
 */
export function yamlValue(
  contents: ParsedNode,
  start: number,
  findings: Findings,
  tags: readonly number[],
): unknown {
  return new Reader(start, findings, tags).value(contents, 1);
}

class Reader {
  readonly #start: number;
  readonly #findings: Findings;
  readonly #tags: readonly number[];
  readonly #path: (string | number)[] = [];
  /** An anchor whose value is still being read is there with `undefined`. */
  readonly #anchors = new Map<string, Anchored | undefined>();
  /** Of the document so far, aliases expanded. `#added` is the share of `#values` that only aliases made. */
  #values = 0;
  #added = 0;
  #expansions = 0;
  #deepest = 0;

  constructor(start: number, findings: Findings, tags: readonly number[]) {
    this.#start = start;
    this.#findings = findings;
    this.#tags = tags;
  }

  value(node: ParsedNode | null, depth: number): unknown {
    if (node === null) return null;
    if (isAlias(node)) return this.#alias(node, depth);
    this.#values++;
    if (hasOtherTag(node)) this.#refuseTag(node);
    return node.anchor === undefined ? this.#plain(node, depth) : this.#anchored(node, depth);
  }

  #plain(node: Exclude<ParsedNode, Alias.Parsed>, depth: number): unknown {
    if (isScalar(node)) return this.#scalar(node);
    if (depth > limits.nesting) this.#limit(node, `nesting deeper than ${limits.nesting} levels`);
    if (depth > this.#deepest) this.#deepest = depth;
    if (isMap(node)) return this.#map(node as YAMLMap<ParsedNode, ParsedNode | null>, depth);
    const list: unknown[] = [];
    if (isSeq(node))
      for (const item of node.items) {
        this.#path.push(list.length);
        list.push(this.value(item as ParsedNode, depth + 1));
        this.#path.pop();
      }
    return list;
  }

  #map(map: YAMLMap<ParsedNode, ParsedNode | null>, depth: number): Record<string, unknown> {
    const fields: Record<string, unknown> = {};
    for (const { key, value } of map.items) {
      const name = this.#key(key);
      this.#path.push(name ?? writtenKey(key));
      // What such a key has is looked at all the same: there may be anchors in it.
      if (name === undefined) this.value(value, depth + 1);
      else if (isForbiddenKey(name))
        this.#findings.add(forbiddenKey([...this.#path], name, this.#offset(key)));
      else {
        if (Object.hasOwn(fields, name))
          this.#findings.add(duplicateKey([...this.#path], name, this.#offset(key)));
        fields[name] = this.value(value, depth + 1);
      }
      this.#path.pop();
    }
    return fields;
  }

  /** Undefined for what is no field's name. */
  #key(node: ParsedNode | null): string | undefined {
    if (hasOtherTag(node)) this.#refuseTag(node, true);
    const fault = keyFault(node);
    if (fault) this.#say(node, fault, true);
    return fault || !isScalar(node) ? undefined : (node.value as string);
  }

  #scalar(node: Scalar): unknown {
    const { value } = node;
    if (typeof value === 'string') {
      const fault = stringFault(value);
      if (fault) this.#say(node, fault);
    } else if (typeof value === 'number' && losesDigits(value))
      this.#findings.add(unreadableNumber([...this.#path], String(node.source), this.#offset(node)));
    return value;
  }

  #anchored(node: Exclude<ParsedNode, Alias.Parsed>, depth: number): unknown {
    const name = node.anchor!;
    const before = { values: this.#values, expansions: this.#expansions, deepest: this.#deepest };
    this.#anchors.set(name, undefined);
    this.#deepest = depth - 1;
    const value = this.#plain(node, depth);
    this.#anchors.set(name, {
      value,
      values: this.#values - before.values + 1,
      expansions: this.#expansions - before.expansions,
      height: this.#deepest - depth + 1,
    });
    this.#deepest = Math.max(this.#deepest, before.deepest);
    return value;
  }

  /** The value itself is shared, not copied; it is counted as if copied, since whoever walks the document does. */
  #alias(node: Alias.Parsed, depth: number): unknown {
    const name = node.source;
    const anchored = this.#anchors.get(name);
    if (anchored === undefined) {
      const self = this.#anchors.has(name);
      this.#say(node, {
        code: 'reference',
        message: self
          ? `anchor ${shown(name)} refers to itself`
          : `no anchor ${shown(name)} before this alias`,
        ...(self ? {} : { hint: 'put a value that starts with "*" in quotes' }),
      });
      return null;
    }
    this.#values += anchored.values;
    this.#added += anchored.values;
    this.#expansions += anchored.expansions + 1;
    if (this.#expansions > limits.aliases) this.#limit(node, `more than ${limits.aliases} aliases, expanded`);
    if (this.#added > limits.aliasedValues)
      this.#limit(node, `aliases that expand to more than ${limits.aliasedValues} values`);
    const bottom = depth + anchored.height - 1;
    if (bottom > limits.nesting)
      this.#limit(node, `nesting deeper than ${limits.nesting} levels by an alias`);
    if (bottom > this.#deepest) this.#deepest = bottom;
    return anchored.value;
  }

  /** Between a tag and its value is no other tag, but a block mapping begins behind that of its first key. */
  #refuseTag(node: ParsedNode, ofKey = false): void {
    const [begin] = node.range;
    const key = isMap(node) ? (node.items[0]?.key as ParsedNode | null | undefined) : undefined;
    const behind = hasOtherTag(key) && key?.range[0] === begin ? 1 : 0;
    const at = this.#tags[this.#tags.findLastIndex((tag) => tag < begin) - behind] ?? begin;
    this.#findings.add({
      path: [...this.#path],
      code: 'value',
      message: `tag ${shown(node.tag ?? '')} is not accepted`,
      hint: 'write the plain value; put one that starts with "!" in quotes',
      ...(ofKey && { ofKey }),
      offset: this.#start + at,
    });
  }

  #limit(node: ParsedNode, message: string): never {
    this.#say(node, { code: 'limit', message });
    throw new Stop();
  }

  #say(node: ParsedNode | Scalar | null, fault: StringFault, ofKey = false): void {
    this.#findings.add({
      path: [...this.#path],
      ...fault,
      ...(ofKey && { ofKey }),
      offset: this.#offset(node),
    });
  }

  #offset(node: ParsedNode | Scalar | null): number {
    return this.#start + (node?.range?.[0] ?? 0);
  }
}
