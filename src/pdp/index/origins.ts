import type { By } from '../model/decision.ts';
import type { Rule, WrittenEffect } from '../model/rule.ts';
import { type StringTable, type StringTableBuilder, stringAt } from './strings.ts';

/** What decisions say of rules. */
export interface OriginTable {
  /** Per rule, the string that is its policy's name. */
  readonly policies: Int32Array;
  /** Per rule, where in `labels`; in as few bytes as that takes. */
  readonly labelled: Uint8Array | Uint16Array | Int32Array;
  /** Form of a KRI above the written effect, and index: few, which many rules have. */
  readonly labels: Int32Array;
}

const labelStride = 2;
const effectBits = 2;

const writtenEffects: readonly WrittenEffect[] = [
  'allow',
  'deny',
  'allowWithShadowDeny',
  'denyWithShadowAllow',
];

/** Stands for the policy's name in the form of a KRI: policies of one namespace have one form. */
const mark = '\u0000';
/** Before a KRI that has no name in it, or a mark of its own. */
const asItIs = mark + mark;

export interface Labelled {
  readonly strings: StringTable;
  readonly origins: OriginTable;
}

export function originsOf(rules: readonly Rule[], strings: StringTableBuilder): OriginTable {
  const policies = new Int32Array(rules.length);
  const ids = new Map<string, number>();
  const labels: number[] = [];
  let last: Rule['origin'] | undefined;
  let [name, form] = [-1, -1];
  const labelled = rules.map(({ origin }, rule) => {
    // Rules of one policy stand side by side.
    if (origin.policy !== last?.policy || origin.kri !== last.kri) {
      name = strings.id(origin.policy);
      form = strings.id(formOf(origin));
    }
    last = origin;
    policies[rule] = name;
    const head = (form << effectBits) | writtenEffects.indexOf(origin.effect);
    const label = `${head} ${origin.index}`;
    let id = ids.get(label);
    if (id === undefined) {
      id = ids.size;
      ids.set(label, id);
      labels.push(head, origin.index);
    }
    return id;
  });
  return { policies, labelled: narrow(labelled, ids.size), labels: Int32Array.from(labels) };
}

/** Of numbers below a bound. */
function narrow(numbers: readonly number[], bound: number): OriginTable['labelled'] {
  if (bound <= 1 << 8) return Uint8Array.from(numbers);
  return bound <= 1 << 16 ? Uint16Array.from(numbers) : Int32Array.from(numbers);
}

function formOf({ kri, policy }: Rule['origin']): string {
  const at = kri.lastIndexOf(policy);
  if (at < 0 || kri.includes(mark)) return asItIs + kri;
  return kri.slice(0, at) + mark + kri.slice(at + policy.length);
}

/** Who goes through many rules keeps texts that come again. */
export class Labels {
  readonly #origins: OriginTable;
  readonly #text: (id: number) => string;

  constructor({ strings, origins }: Labelled, text = (id: number): string => stringAt(strings, id)) {
    this.#origins = origins;
    this.#text = text;
  }

  policy(rule: number): string {
    return this.#text(this.#origins.policies[rule] as number);
  }

  kri(rule: number): string {
    const form = this.#text(this.#form(rule) >>> effectBits);
    if (form.startsWith(asItIs)) return form.slice(asItIs.length);
    const at = form.indexOf(mark);
    return form.slice(0, at) + this.policy(rule) + form.slice(at + 1);
  }

  effect(rule: number): WrittenEffect {
    return writtenEffects[this.#form(rule) & ((1 << effectBits) - 1)] as WrittenEffect;
  }

  index(rule: number): number {
    return this.#label(rule, 1);
  }

  #form(rule: number): number {
    return this.#label(rule, 0);
  }

  #label(rule: number, column: number): number {
    const { labelled, labels } = this.#origins;
    return labels[(labelled[rule] as number) * labelStride + column] as number;
  }

  by(rule: number): By {
    return {
      policy: this.policy(rule),
      kri: this.kri(rule),
      effect: this.effect(rule),
      index: this.index(rule),
    };
  }
}
