import type { Path } from '../../pdp/model/violation.ts';
import { closingQuote, skipSpace, skipValue } from './json-scan.ts';
import type { Locator } from './locator.ts';

interface Child {
  readonly key: number;
  readonly value: number;
}

/** Finds offsets in a text that is known to be JSON; what a list or mapping holds is looked up once. */
export class JsonLocator implements Locator {
  readonly #text: string;
  readonly #start: number;
  readonly #end: number;
  readonly #children = new Map<number, ReadonlyMap<string | number, Child>>();

  constructor(text: string, start: number, end: number) {
    this.#text = text;
    this.#start = skipSpace(text, start, end);
    this.#end = end;
  }

  offsetOf(path: Path, of: 'value' | 'key'): number {
    let at: Child = { key: this.#start, value: this.#start };
    for (const step of path) {
      const child = this.#childrenOf(at.value).get(step);
      if (child === undefined) return at.value;
      at = child;
    }
    return at[of];
  }

  #childrenOf(offset: number): ReadonlyMap<string | number, Child> {
    let children = this.#children.get(offset);
    if (children === undefined) {
      children = this.#scan(offset);
      this.#children.set(offset, children);
    }
    return children;
  }

  #scan(open: number): ReadonlyMap<string | number, Child> {
    const text = this.#text;
    const end = this.#end;
    const children = new Map<string | number, Child>();
    const bracket = text[open];
    if (bracket !== '{' && bracket !== '[') return children;
    let at = skipSpace(text, open + 1, end);
    for (let index = 0; at < end && text[at] !== ']' && text[at] !== '}'; index++) {
      let key = at;
      let name: string | number = index;
      if (bracket === '{') {
        const close = closingQuote(text, at, end) + 1;
        name = JSON.parse(text.slice(at, close)) as string;
        at = skipSpace(text, skipSpace(text, close, end) + 1, end);
      } else key = at;
      // Of equal keys the last one is the value that was read.
      children.set(name, { key, value: at });
      at = skipSpace(text, skipValue(text, at, end), end);
      if (text[at] === ',') at = skipSpace(text, at + 1, end);
    }
    return children;
  }
}
