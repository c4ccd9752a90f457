import type { Loaded } from '../../../src/policy/load.ts';
import type { Random } from '../../oracle/random.ts';
import { loadValues } from '../../policy/loading.ts';

type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value };

/** Documents of which some are there, each as it is at the moment; what is not sound is taken back. */
export class Changing {
  readonly #random: Random;
  readonly #all: Value[];
  readonly #texts = new Map<string, string[]>();
  readonly #away = new Set<number>();
  loaded: Loaded;

  constructor(random: Random, documents: readonly object[]) {
    this.#random = random;
    this.#all = structuredClone(documents) as Value[];
    for (const document of this.#all) each(document, '', (key, text) => this.#textsOf(key).push(text));
    this.loaded = this.#load();
  }

  /** One to three documents come, go, are otherwise, or stand elsewhere; false if that is not sound. */
  change(): boolean {
    const [all, away, before] = [[...this.#all], [...this.#away], this.loaded];
    for (let left = this.#random.between(1, 3); left > 0; left--) this.#one();
    const loaded = this.#load();
    if (loaded.violations.length === 0) {
      this.loaded = loaded;
      return true;
    }
    this.#all.splice(0, this.#all.length, ...all);
    this.#away.clear();
    for (const at of away) this.#away.add(at);
    this.loaded = before;
    return false;
  }

  #one(): void {
    const random = this.#random;
    const at = random.below(this.#all.length);
    if (random.chance(0.4)) {
      if (!this.#away.delete(at)) this.#away.add(at);
      return;
    }
    let count = 0;
    each(this.#all[at] as Value, '', () => count++);
    let left = random.below(count);
    this.#all[at] = replaced(this.#all[at] as Value, '', (key, text) =>
      left-- === 0 ? random.pick(this.#textsOf(key)) : text,
    );
  }

  #load(): Loaded {
    return loadValues(...this.#all.filter((_, at) => !this.#away.has(at)));
  }

  #textsOf(key: string): string[] {
    let texts = this.#texts.get(key);
    if (texts === undefined) {
      texts = [];
      this.#texts.set(key, texts);
    }
    return texts;
  }
}

/** Texts by the nearest key that they stand under. */
function each(value: Value, key: string, found: (key: string, text: string) => void): void {
  replaced(value, key, (under, text) => {
    found(under, text);
    return text;
  });
}

function replaced(value: Value, key: string, by: (key: string, text: string) => string): Value {
  if (typeof value === 'string') return by(key, value);
  if (Array.isArray(value)) return value.map((one: Value) => replaced(one, key, by));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, replaced(one, name, by)]));
}
