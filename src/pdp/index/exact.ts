import { fingerprint } from './fingerprint.ts';
import { firstRow } from './rows.ts';
import type { Texts } from './texts.ts';

/** The exact values of an attribute, and the code of each. */
export interface ExactValues {
  get(text: string): number | undefined;
  keys(): Iterable<string>;
}

export const symbolStride = 3;

/** Values whose fingerprints differ, found by these: a map of them would take as much as all else there is. */
export class Fingerprinted implements ExactValues {
  readonly #symbols: Int32Array;
  readonly #texts: Texts;
  readonly #tail: number;

  /** `symbols`: those of the attribute, by their codes. */
  constructor(symbols: Int32Array, texts: Texts, tail: number) {
    this.#symbols = symbols;
    this.#texts = texts;
    this.#tail = tail;
  }

  get(text: string): number | undefined {
    const symbols = this.#symbols;
    const code = fingerprint(text, this.#tail);
    const at = firstRow(symbols, symbolStride, 2, code) * symbolStride;
    return symbols[at + 2] === code && this.#texts.is(symbols[at + 1] as number, text) ? code : undefined;
  }

  *keys(): Generator<string> {
    const symbols = this.#symbols;
    for (let at = 1; at < symbols.length; at += symbolStride) yield this.#texts.of(symbols[at] as number);
  }
}
