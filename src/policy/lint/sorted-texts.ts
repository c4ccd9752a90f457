/** Texts in order, in which all that begin alike stand together. */
export class SortedTexts {
  readonly texts: readonly string[];

  constructor(texts: Iterable<string>) {
    this.texts = [...new Set(texts)].sort();
  }

  /** Where those that begin so stand: from the first up to, not including, the second. */
  range(start: string): readonly [number, number] {
    const from = this.#first((text) => text >= start);
    return [from, this.#first((text) => text >= start && !text.startsWith(start))];
  }

  #first(holds: (text: string) => boolean): number {
    let low = 0;
    let high = this.texts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (holds(this.texts[middle]!)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
