import { type Labelled, Labels } from '../index/origins.ts';
import { type StringTable, stringAt } from '../index/strings.ts';
import type { Condition, ListItem, Origin, Pattern, Rule, Tier } from '../model/rule.ts';
import { type Trust, trustLevels } from '../model/trust.ts';
import {
  type Columns,
  conditionStride,
  floorBits,
  formStride,
  headBits,
  listStride,
  matchBits,
  matches,
  noRank,
  operatorBits,
  operators,
  pathStride,
  rootPath,
  ruleStride,
  sideBits,
  sides,
  tierBits,
} from './columns.ts';

/** Rules made of columns as somebody goes through them, each anew. */
export class KeptRules implements Iterable<Rule> {
  readonly #columns: Columns;
  readonly #labelled: Labelled;

  constructor(columns: Columns, labelled: Labelled) {
    this.#columns = columns;
    this.#labelled = labelled;
  }

  *[Symbol.iterator](): Generator<Rule> {
    const reader = new Reader(this.#columns, this.#labelled);
    const count = this.#columns.rules.length / ruleStride - 1;
    for (let id = 0; id < count; id++) yield new KeptRule(reader, id);
  }
}

/** What one way through the rules has made: equal conditions and texts are one object in it. */
class Reader {
  readonly columns: Columns;
  readonly labels: Labels;
  readonly #strings: StringTable;
  readonly #texts = new Map<number, string>();
  readonly #conditions = new Map<number, Condition>();

  constructor(columns: Columns, labelled: Labelled) {
    this.columns = columns;
    this.#strings = labelled.strings;
    this.labels = new Labels(labelled, (id) => this.text(id));
  }

  text(id: number): string {
    let text = this.#texts.get(id);
    if (text === undefined) {
      text = stringAt(this.#strings, id);
      this.#texts.set(id, text);
    }
    return text;
  }

  condition(id: number): Condition {
    let condition = this.#conditions.get(id);
    if (condition === undefined) {
      condition = new KeptCondition(this, id);
      this.#conditions.set(id, condition);
    }
    return condition;
  }
}

const ones = (bits: number): number => (1 << bits) - 1;

/** Most values are never asked for: what a rule wants of a destination is looked at first. */
class KeptCondition implements Condition {
  readonly side: Condition['side'];
  readonly key: string;
  readonly op: Condition['op'];
  readonly floor?: Trust;
  readonly #reader: Reader;
  readonly #at: number;
  #values: readonly Pattern[] | undefined;

  constructor(reader: Reader, id: number) {
    this.#reader = reader;
    this.#at = id * conditionStride;
    const head = reader.columns.conditions[this.#at] as number;
    this.side = sides[head & ones(sideBits)]!;
    this.op = operators[(head >> sideBits) & ones(operatorBits)]!;
    const floor = (head >> (sideBits + operatorBits)) & ones(floorBits);
    if (floor !== noRank) this.floor = trustLevels[trustLevels.length - 1 - floor]!;
    this.key = reader.text(head >>> headBits);
  }

  get values(): readonly Pattern[] {
    if (this.#values === undefined) {
      const reader = this.#reader;
      const { columns } = reader;
      const first = columns.conditions[this.#at + 1];
      const end = columns.conditions[this.#at + conditionStride + 1];
      this.#values = Array.from(columns.values.subarray(first, end), (value) => ({
        match: matches[value & ones(matchBits)]!,
        value: reader.text(value >>> matchBits),
      }));
    }
    return this.#values;
  }
}

/** A rule and, to make one object less of each, its origin. */
class KeptRule implements Rule, Origin {
  readonly list?: ListItem;
  readonly #reader: Reader;
  readonly #id: number;
  #when: readonly Condition[] | undefined;

  constructor(reader: Reader, id: number) {
    this.#reader = reader;
    this.#id = id;
    const { lists } = reader.columns;
    const list = lists[id * listStride] ?? -1;
    if (list >= 0) this.list = { id: reader.text(list), strength: lists[id * listStride + 1] as number };
  }

  #row(column: number): number {
    return this.#reader.columns.rules[this.#id * ruleStride + column] as number;
  }

  #form(column: number): number {
    return this.#reader.columns.forms[this.#row(0) * formStride + column] as number;
  }

  get id(): string {
    const words = this.#form(1);
    const number = this.#form(2);
    const text = this.#reader.text(words >> 1) + (number < 0 ? '' : number);
    return (words & 1) === 1 ? this.kri + text : text;
  }

  get tier(): Tier | null {
    const tier = this.#form(0) & ones(tierBits);
    return tier === noRank ? null : (tier as Tier);
  }

  get shadow(): Tier {
    return ((this.#form(0) >> tierBits) & ones(tierBits)) as Tier;
  }

  get when(): readonly Condition[] {
    if (this.#when === undefined) {
      const { when } = this.#reader.columns;
      const made: Condition[] = [];
      const end = this.#row(ruleStride + 2);
      for (let at = this.#row(2); at < end; at++) made.push(this.#reader.condition(when[at] as number));
      this.#when = made;
    }
    return this.#when;
  }

  get origin(): Origin {
    return this;
  }

  get policy(): string {
    return this.#reader.labels.policy(this.#id);
  }

  get kri(): string {
    return this.#reader.labels.kri(this.#id);
  }

  get kind(): string {
    return this.#reader.text(this.#form(0) >>> (2 * tierBits));
  }

  get effect(): Origin['effect'] {
    return this.#reader.labels.effect(this.#id);
  }

  get index(): number {
    return this.#reader.labels.index(this.#id);
  }

  get document(): number {
    return this.#row(1);
  }

  get path(): Origin['path'] {
    const { paths } = this.#reader.columns;
    const steps: (string | number)[] = [];
    for (let place = this.#form(3); place !== rootPath; place = paths[place * pathStride] as number) {
      const step = paths[place * pathStride + 1] as number;
      steps.push((step & 1) === 0 ? step >> 1 : this.#reader.text(step >> 1));
    }
    return steps.reverse();
  }
}
