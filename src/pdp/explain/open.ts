import { contains, holdsFor, type MatchesOne, matches, matchesOne } from '../model/condition.ts';
import type { Condition, Pattern } from '../model/rule.ts';
import type { Truth } from './evaluate.ts';
import type { Supposed } from './seen.ts';

type Asked = Pick<Condition, 'op' | 'values'>;

/** How far what a step leaves open reaches. */
export interface Reach {
  /** Not given: all values. */
  readonly within?: Pattern;
  /** How every value begins, and every one below a value that is meant with them. */
  readonly beginning: string;
  /** [DST8] A name stands for routes of that name in every namespace. */
  readonly route: boolean;
}

/** [NEAR2] What a step leaves open: all that it reaches, but some. */
export class Open implements Supposed {
  /** The one that was tried. */
  readonly sample: readonly string[];
  readonly reach: Reach;
  readonly except: readonly Pattern[];
  readonly #written: ReadonlySet<string>;
  readonly #wider: readonly Pattern[];

  constructor(sample: readonly string[], reach: Reach, except: readonly Pattern[] = []) {
    this.sample = sample;
    this.reach = reach;
    this.except = except;
    this.#written = new Set(except.map(nameOf));
    this.#wider = except.filter(({ match }) => match !== 'exact');
  }

  but(patterns: readonly Pattern[]): Open {
    if (patterns.length === 0) return this;
    const all = [...this.except, ...patterns];
    const kept = [...new Map(all.map((pattern) => [nameOf(pattern), pattern])).values()];
    return new Open(this.sample, this.reach, kept);
  }

  /** What else would have to be left out for a condition to come out for all as for the sample; undefined: most of it. */
  doubts({ op, values }: Asked, one: MatchesOne): Pattern[] | undefined {
    if (op === 'exists' || op === 'notExists') return [];
    if (!this.sample.some((value) => one(values, value)))
      return values.filter((pattern) => this.#has(pattern) && !this.#lacks(pattern));
    if (!values.some((pattern) => this.#isBelow(pattern))) return undefined;
    const { within } = this.reach;
    if (within?.match !== 'under' || one(values, within.value)) return [];
    const itself: Pattern = { match: 'exact', value: within.value };
    return this.#lacks(itself) ? [] : [itself];
  }

  truth(asked: Asked, one: MatchesOne = matchesOne): Truth {
    if (this.doubts(asked, one)?.length !== 0) return 'unknown';
    return holdsFor(asked, this.sample, one) ? 'true' : 'false';
  }

  /** Of a pattern that does not match the sample: it reaches no further than what is open. */
  #has({ value }: Pattern): boolean {
    const { within, route } = this.reach;
    if (within === undefined) return true;
    return route ? isOrNames(value, within.value) : matches(within, value);
  }

  #lacks(pattern: Pattern): boolean {
    if (this.#written.has(nameOf(pattern))) return true;
    if (this.reach.route) return this.except.some(({ value }) => isOrNames(pattern.value, value));
    return this.#wider.some((wider) => contains(wider, pattern));
  }

  #isBelow({ match, value }: Pattern): boolean {
    const { within, beginning, route } = this.reach;
    if (match === 'exact') return route && value === within?.value;
    return beginning.startsWith(match === 'under' ? `${value}/` : value);
  }
}

function nameOf({ match, value }: Pattern): string {
  return `${match} ${value}`;
}

function isOrNames(route: string, name: string): boolean {
  return route === name || route.endsWith(`/${name}`);
}
