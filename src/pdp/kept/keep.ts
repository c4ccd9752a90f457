import type { StringTableBuilder } from '../index/strings.ts';
import { matchKinds } from '../index/vocabulary.ts';
import type { Condition, Rule, Side } from '../model/rule.ts';
import { trustRank } from '../model/trust.ts';
import { folded, NumberWriter } from './bytes.ts';

/**
 * Rules as bytes, for who keeps many and seldom looks at one: as objects they take more than twice what the whole
 * index does. Nothing of them is left out or worked out, so that `explain` finds its verdict by the rules as they
 * were lowered, whatever the index made of them. What decisions say of rules stands in `Labelled`.
 */
export interface Kept {
  readonly count: number;
  /**
   * Per rule: form, document less that of the rule before, number of conditions, and of each how many came since, one
   * that is new having none and itself after it: key above floor, operator and side, number of values, and per value
   * text, less the greatest so far, above the way it is matched.
   */
  readonly bytes: Uint8Array;
  /** What rules at one place of their policies have in common: kind above tiers, id, number it ends with, path. */
  readonly forms: Int32Array;
  /** Per place: the place above it, and a step. */
  readonly paths: Int32Array;
  /** Per rule: list and strength. Empty where no rule is of a list. */
  readonly lists: Int32Array;
}

export const formStride = 4;
export const pathStride = 2;
export const listStride = 2;

/** No tier, no floor. */
export const noRank = 7;
export const tierBits = 3;
export const sideBits = 2;
export const operatorBits = 2;
export const floorBits = 3;
export const headBits = sideBits + operatorBits + floorBits;

export const sides: readonly Side[] = ['source', 'destination', 'request'];
export const operators: readonly Condition['op'][] = ['in', 'notIn', 'exists', 'notExists'];

/** The place that is the whole document. */
export const rootPath = 0;

export function keep(rules: readonly Rule[], strings: StringTableBuilder): Kept {
  const forms = new Forms(strings);
  const writer = new NumberWriter();
  const conditions = new Conditions(strings, writer);
  let before = 0;
  for (const rule of rules) {
    const { document } = rule.origin;
    writer.add(forms.id(rule));
    writer.add(folded(document - before));
    writer.add(rule.when.length);
    for (const condition of rule.when) conditions.add(condition);
    before = document;
  }
  return { count: rules.length, bytes: writer.build(), ...forms.build(), lists: listsOf(rules, strings) };
}

class Conditions {
  readonly #strings: StringTableBuilder;
  readonly #writer: NumberWriter;
  readonly #ids = new Map<Condition, number>();
  /** Of the texts so far; one that is new is the next. */
  #greatest = 0;

  constructor(strings: StringTableBuilder, writer: NumberWriter) {
    this.#strings = strings;
    this.#writer = writer;
  }

  /** Those that are one object are one: whoever lowers rules shares what is equal. */
  add(condition: Condition): void {
    const id = this.#ids.get(condition);
    this.#writer.add(id === undefined ? 0 : this.#ids.size - id);
    if (id !== undefined) return;
    this.#ids.set(condition, this.#ids.size);
    this.#whole(condition);
  }

  #whole({ side, key, op, floor, values }: Condition): void {
    let head = this.#strings.id(key);
    head = (head << floorBits) | (floor === undefined ? noRank : trustRank[floor]);
    head = (head << operatorBits) | operators.indexOf(op);
    head = (head << sideBits) | sides.indexOf(side);
    this.#writer.add(head);
    this.#writer.add(values.length);
    for (const { match, value } of values) {
      const text = this.#strings.id(value);
      this.#writer.add(folded(text - this.#greatest) * matchKinds.length + matchKinds.indexOf(match));
      this.#greatest = Math.max(this.#greatest, text);
    }
  }
}

class Forms {
  readonly #strings: StringTableBuilder;
  readonly #ids = new Map<string, number>();
  readonly #table: number[] = [];
  readonly #places = new Map<Rule['origin']['path'], number>();
  /** Per place that has any: places below it by their step. */
  readonly #below: (Map<string | number, number> | undefined)[] = [undefined];
  readonly #paths: number[] = [rootPath, 0];

  constructor(strings: StringTableBuilder) {
    this.#strings = strings;
  }

  id(rule: Rule): number {
    const { kri, kind, path } = rule.origin;
    const tiers = (rule.shadow << tierBits) | (rule.tier ?? noRank);
    const head = (this.#strings.id(kind) << (2 * tierBits)) | tiers;
    // Ids begin with the KRI, but nobody has to make them so.
    const below = rule.id.startsWith(kri);
    const own = below ? rule.id.slice(kri.length) : rule.id;
    const number = numberAtEnd(own);
    const words = this.#strings.id(number < 0 ? own : own.slice(0, -String(number).length));
    const place = this.#place(path);
    const name = `${head} ${words} ${below} ${number} ${place}`;
    let id = this.#ids.get(name);
    if (id === undefined) {
      id = this.#ids.size;
      this.#ids.set(name, id);
      this.#table.push(head, words * 2 + (below ? 1 : 0), number, place);
    }
    return id;
  }

  #place(path: Rule['origin']['path']): number {
    let place = this.#places.get(path);
    if (place === undefined) {
      place = path.reduce<number>((above, step) => this.#step(above, step), rootPath);
      this.#places.set(path, place);
    }
    return place;
  }

  #step(above: number, step: string | number): number {
    let below = this.#below[above];
    if (below === undefined) {
      below = new Map();
      this.#below[above] = below;
    }
    let place = below.get(step);
    if (place === undefined) {
      place = this.#paths.length / pathStride;
      below.set(step, place);
      this.#below.push(undefined);
      this.#paths.push(above, typeof step === 'number' ? step * 2 : this.#strings.id(step) * 2 + 1);
    }
    return place;
  }

  build(): Pick<Kept, 'forms' | 'paths'> {
    return { forms: new Int32Array(this.#table), paths: new Int32Array(this.#paths) };
  }
}

/** -1 where there is none that is written as numbers are. */
function numberAtEnd(text: string): number {
  const most = 9;
  let start = text.length;
  while (start > text.length - most && isDigit(text.charCodeAt(start - 1))) start--;
  while (text.charCodeAt(start) === zero && start < text.length - 1) start++;
  return start === text.length ? -1 : Number(text.slice(start));
}

const zero = 48;

function isDigit(code: number): boolean {
  return code >= zero && code <= zero + 9;
}

function listsOf(rules: readonly Rule[], strings: StringTableBuilder): Int32Array {
  if (!rules.some(({ list }) => list !== undefined)) return new Int32Array();
  const lists = new Int32Array(rules.length * listStride).fill(-1);
  rules.forEach(({ list }, id) => {
    if (list !== undefined) lists.set([strings.id(list.id), list.strength], id * listStride);
  });
  return lists;
}
