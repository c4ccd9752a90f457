import type { Pattern } from './rule.ts';

interface Grouped {
  readonly exact: ReadonlySet<string>;
  readonly wider: readonly Pattern[];
}

/**
 * A bound on comparisons of patterns, for what would otherwise grow with the square of what policies write. Once it
 * is done its answers mean nothing: whoever asks looks at `done` before use is made of them.
 */
export class PatternWork {
  readonly #grouped = new Map<readonly Pattern[], Grouped>();
  #left: number;

  constructor(most: number) {
    this.#left = most;
  }

  get left(): number {
    return Math.max(0, this.#left);
  }

  get done(): boolean {
    return this.#left < 0;
  }

  spend(amount: number): void {
    this.#left -= amount;
  }

  /** Whether one of many patterns passes a test; one that is exact is found by its value, if it counts. */
  some(
    patterns: readonly Pattern[],
    value: string,
    exact: boolean,
    test: (wider: Pattern) => boolean,
  ): boolean {
    if (this.done) return false;
    const grouped = this.#group(patterns);
    // Long texts take longer to compare.
    const each = 1 + (value.length >> 8);
    this.spend(each);
    if (exact && grouped.exact.has(value)) return true;
    return grouped.wider.some((pattern) => {
      this.spend(each);
      return !this.done && test(pattern);
    });
  }

  #group(patterns: readonly Pattern[]): Grouped {
    let grouped = this.#grouped.get(patterns);
    if (grouped === undefined) {
      this.spend(patterns.length);
      grouped = {
        exact: new Set(patterns.filter(({ match }) => match === 'exact').map(({ value }) => value)),
        wider: patterns.filter(({ match }) => match !== 'exact'),
      };
      this.#grouped.set(patterns, grouped);
    }
    return grouped;
  }
}
