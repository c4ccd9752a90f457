import { fingerprint } from './fingerprint.ts';
import { matchTrie, type SymbolSink, type Trie } from './trie.ts';

const slotBits = 9;
const slots = 1 << slotBits;
const slotShift = 32 - slotBits;
/** What is longer is walked each time, so that what callers have kept here stays little. */
const longestText = 64;
/** Likewise what has more patterns. */
const mostCodes = 7;
const stride = 1 + mostCodes;

/** What walks through tries found for values that were looked for before: what patterns are for has few, as locations. */
export class Walks {
  readonly #trie: Trie;
  readonly #texts: string[] = new Array<string>(slots).fill('');
  readonly #roots = new Int32Array(slots).fill(-1);
  /** Per slot how many codes, and these. */
  readonly #codes = new Int32Array(slots * stride);

  constructor(trie: Trie) {
    this.#trie = trie;
  }

  /** Adds the codes of a value. There is room for all that a walk may find. */
  walk(root: number, text: string, sink: SymbolSink): void {
    const { length } = text;
    if (length === 0 || length > longestText) return matchTrie(this.#trie, root, text, sink);
    // A product's upper bits are of all bits of what it is of, as its lower are not.
    const mixed = fingerprint(text, 6) ^ unitsOf(text) ^ root;
    const slot = Math.imul(mixed, 0x9e37_79b1) >>> slotShift;
    const at = slot * stride;
    const codes = this.#codes;
    const start = sink.end;
    if (this.#roots[slot] === root && this.#texts[slot] === text) {
      const count = codes[at] as number;
      for (let i = 1; i <= count; i++) sink.codes[sink.end++] = codes[at + i] as number;
      return;
    }
    matchTrie(this.#trie, root, text, sink);
    const count = sink.end - start;
    if (count > mostCodes) return;
    this.#roots[slot] = root;
    this.#texts[slot] = text;
    codes[at] = count;
    for (let i = 0; i < count; i++) codes[at + 1 + i] = sink.codes[start + i] as number;
  }
}

/** Values of one attribute often end alike. */
function unitsOf(text: string): number {
  const { length } = text;
  return text.charCodeAt(0) ^ (text.charCodeAt(length >> 2) << 8) ^ (text.charCodeAt(length >> 1) << 16);
}
