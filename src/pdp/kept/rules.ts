import { type Labelled, Labels } from '../index/origins.ts';
import { type StringTable, stringAt } from '../index/strings.ts';
import { matchKinds } from '../index/vocabulary.ts';
import type { Condition, ListItem, Origin, Pattern, Rule, Tier } from '../model/rule.ts';
import { type Trust, trustAt } from '../model/trust.ts';
import { NumberReader, unfolded } from './bytes.ts';
import {
  floorBits,
  formStride,
  headBits,
  type Kept,
  listStride,
  noRank,
  operatorBits,
  operators,
  pathStride,
  rootPath,
  sideBits,
  sides,
  tierBits,
} from './keep.ts';

/** Rules made of what is kept as somebody goes through them, each anew. */
export class KeptRules implements Iterable<Rule> {
  readonly #kept: Kept;
  readonly #labelled: Labelled;

  constructor(kept: Kept, labelled: Labelled) {
    this.#kept = kept;
    this.#labelled = labelled;
  }

  *[Symbol.iterator](): Generator<Rule> {
    const reader = new Reader(this.#kept, this.#labelled);
    for (let id = 0; id < this.#kept.count; id++) yield reader.rule(id);
  }
}

/** What one way through the rules has made: equal conditions and texts are one object in it. */
class Reader {
  readonly kept: Kept;
  readonly labels: Labels;
  readonly #strings: StringTable;
  readonly #numbers: NumberReader;
  readonly #texts = new Map<number, string>();
  readonly #conditions: Condition[] = [];
  #document = 0;
  /** Of the texts of values. */
  #greatest = 0;

  constructor(kept: Kept, labelled: Labelled) {
    this.kept = kept;
    this.#numbers = new NumberReader(kept.bytes);
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

  /** The next one. */
  rule(id: number): Rule {
    const numbers = this.#numbers;
    const form = numbers.next();
    this.#document += unfolded(numbers.next());
    const when: Condition[] = [];
    for (let rest = numbers.next(); rest > 0; rest--) when.push(this.#condition());
    return new KeptRule(this, id, form, this.#document, when);
  }

  #condition(): Condition {
    const since = this.#numbers.next();
    if (since > 0) return this.#conditions[this.#conditions.length - since] as Condition;
    const head = this.#numbers.next();
    const values: number[] = [];
    for (let rest = this.#numbers.next(); rest > 0; rest--) {
      const number = this.#numbers.next();
      const match = number % matchKinds.length;
      const text = this.#greatest + unfolded((number - match) / matchKinds.length);
      this.#greatest = Math.max(this.#greatest, text);
      values.push(text, match);
    }
    const condition = new KeptCondition(this, head, values);
    this.#conditions.push(condition);
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
  /** Text and the way it is matched, by turns. */
  readonly #numbers: readonly number[];
  #values: readonly Pattern[] | undefined;

  constructor(reader: Reader, head: number, values: readonly number[]) {
    this.#reader = reader;
    this.#numbers = values;
    this.side = sides[head & ones(sideBits)]!;
    this.op = operators[(head >> sideBits) & ones(operatorBits)]!;
    const floor = (head >> (sideBits + operatorBits)) & ones(floorBits);
    if (floor !== noRank) this.floor = trustAt(floor);
    this.key = reader.text(head >>> headBits);
  }

  get values(): readonly Pattern[] {
    if (this.#values === undefined) {
      const values: Pattern[] = [];
      for (let at = 0; at < this.#numbers.length; at += 2)
        values.push({
          match: matchKinds[this.#numbers[at + 1]!]!,
          value: this.#reader.text(this.#numbers[at]!),
        });
      this.#values = values;
    }
    return this.#values;
  }
}

/** A rule and, to make one object less of each, its origin. */
class KeptRule implements Rule, Origin {
  readonly list?: ListItem;
  readonly when: readonly Condition[];
  readonly document: number;
  readonly #reader: Reader;
  readonly #id: number;
  readonly #formId: number;

  constructor(reader: Reader, id: number, form: number, document: number, when: readonly Condition[]) {
    this.#reader = reader;
    this.#id = id;
    this.#formId = form;
    this.document = document;
    this.when = when;
    const { lists } = reader.kept;
    const list = lists[id * listStride] ?? -1;
    if (list >= 0) this.list = { id: reader.text(list), strength: lists[id * listStride + 1] as number };
  }

  #form(column: number): number {
    return this.#reader.kept.forms[this.#formId * formStride + column] as number;
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

  get path(): Origin['path'] {
    const { paths } = this.#reader.kept;
    const steps: (string | number)[] = [];
    for (let place = this.#form(3); place !== rootPath; place = paths[place * pathStride] as number) {
      const step = paths[place * pathStride + 1] as number;
      steps.push((step & 1) === 0 ? step >> 1 : this.#reader.text(step >> 1));
    }
    return steps.reverse();
  }
}
