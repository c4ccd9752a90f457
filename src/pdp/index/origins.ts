import type { By } from '../model/decision.ts';
import type { Rule, WrittenEffect } from '../model/rule.ts';
import { type StringTable, type StringTableBuilder, stringAt } from './strings.ts';

/** What decisions say of rules: per rule policy, form of its KRI above the written effect, index. */
const stride = 3;
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
  readonly origins: Int32Array;
}

export function originsOf(rules: readonly Rule[], strings: StringTableBuilder): Int32Array {
  const origins = new Int32Array(rules.length * stride);
  let last: Rule['origin'] | undefined;
  let [name, form] = [-1, -1];
  rules.forEach(({ origin }, id) => {
    // Rules of one policy stand side by side.
    if (origin.policy !== last?.policy || origin.kri !== last.kri) {
      name = strings.id(origin.policy);
      form = strings.id(formOf(origin));
    }
    last = origin;
    const effect = writtenEffects.indexOf(origin.effect);
    origins.set([name, (form << effectBits) | effect, origin.index], id * stride);
  });
  return origins;
}

function formOf({ kri, policy }: Rule['origin']): string {
  const at = kri.lastIndexOf(policy);
  if (at < 0 || kri.includes(mark)) return asItIs + kri;
  return kri.slice(0, at) + mark + kri.slice(at + policy.length);
}

/** Who goes through many rules keeps texts that come again. */
export class Labels {
  readonly #origins: Int32Array;
  readonly #text: (id: number) => string;

  constructor({ strings, origins }: Labelled, text = (id: number): string => stringAt(strings, id)) {
    this.#origins = origins;
    this.#text = text;
  }

  policy(rule: number): string {
    return this.#text(this.#origins[rule * stride] as number);
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
    return this.#origins[rule * stride + 2] as number;
  }

  #form(rule: number): number {
    return this.#origins[rule * stride + 1] as number;
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
