import { type Concat, type FieldOrigin, lasting, merge, origins, type Part, plain } from './tree.ts';

/**
 * Items of many policies, the weakest first, laid together by what they are about: whatever is about a thing is then a
 * few of these layers, and things that the same layers are about share one merged conf.
 */

/** A merged conf, with who said each of its fields (SPEC MRG5). */
export interface Merged<O> {
  readonly conf: unknown;
  readonly origins: readonly FieldOrigin<O>[];
}

interface Ranked<O> extends Part<O> {
  readonly strength: number;
}

export class Layers<O> {
  readonly #concat: Concat;
  readonly #byKey = new Map<string, number>();
  readonly #written: Ranked<O>[][] = [];
  readonly #lasting: (readonly Ranked<O>[] | undefined)[] = [];
  readonly #merged = new Map<string, Merged<O>>();
  #items = 0;

  constructor(concat: Concat) {
    this.#concat = concat;
  }

  /** Lays an item that is stronger than all before it; items with equal keys are about the same. */
  add(key: string, conf: Part<O>['conf'], origin: O): number {
    const known = this.#byKey.get(key);
    const layer = known ?? this.#written.length;
    if (known === undefined) {
      this.#byKey.set(key, layer);
      this.#written.push([]);
    }
    this.#written[layer]!.push({ conf, origin, strength: this.#items++ });
    return layer;
  }

  /** What some layers come to; undefined where none says anything. */
  merged(of: readonly number[]): Merged<O> | undefined {
    if (of.length === 0) return undefined;
    const key = of.join();
    const known = this.#merged.get(key);
    if (known !== undefined) return known;
    const parts = of.length === 1 ? this.#of(of[0]!) : of.flatMap((layer) => this.#of(layer));
    const sorted = of.length === 1 ? parts : [...parts].sort((a, b) => a.strength - b.strength);
    const root = merge(sorted, this.#concat)!;
    const merged = { conf: plain(root), origins: origins(root) };
    this.#merged.set(key, merged);
    return merged;
  }

  get count(): number {
    return this.#written.length;
  }

  /** How many confs were merged. */
  get merges(): number {
    return this.#merged.size;
  }

  #of(layer: number): readonly Ranked<O>[] {
    const parts = this.#lasting[layer] ?? lasting(this.#written[layer]!, this.#concat);
    this.#lasting[layer] = parts;
    return parts;
  }
}
