import { Sparse } from './sparse.ts';
import { type StringTable, stringAt } from './strings.ts';

/** Text of strings of a table. It is made when it is first compared with: most values no request comes close to. */
export class Texts {
  readonly #strings: StringTable;
  readonly #known: Sparse<string>;

  /** Of the first so many strings. */
  constructor(strings: StringTable, count: number) {
    this.#strings = strings;
    this.#known = new Sparse(count);
  }

  is(id: number, text: string): boolean {
    const known = this.#known.get(id);
    return known === text || (known === undefined && this.of(id) === text);
  }

  of(id: number): string {
    let text = this.#known.get(id);
    if (text === undefined) {
      text = stringAt(this.#strings, id);
      // JSON.parse gives short equal strings as one, which is then found without comparing text.
      if (text.length <= shortest) text = unique(text);
      this.#known.set(id, text);
    }
    return text;
  }
}

const shortest = 10;

/**
 * A dictionary from the start. An object with one property is of a shape of its own for each name of it, of which an
 * engine has room for 1,536: with more, literals that are alike are of different shapes until the next collection, and
 * code that was compiled for them meanwhile stays slow.
 */
const names: Record<string, true> = Object.create(null) as Record<string, true>;

/** The one string that the engine keeps for all equal property names. */
export function unique(text: string): string {
  names[text] = true;
  const [name] = Object.keys(names) as [string];
  delete names[name];
  return name;
}
