import { SpelledId } from '../model/spiffe-id.ts';
import { AttributeColumn, attributeStride, type Compiled } from './compile.ts';
import { matchAscii, type SymbolSink, type Trie } from './trie.ts';
import { Kind } from './vocabulary.ts';

/**
 * One SPIFFE ID after another, with the patterns that hold for it. They are looked for first: what an ID has in common
 * with them need not be looked at again to see that it is one.
 */
export class Identity extends SpelledId implements SymbolSink {
  /** What was read last. */
  text: string | undefined;
  codes: Int32Array;
  end = 0;
  visited = 0;
  readonly #trie: Trie;
  readonly #root: number;
  /** Whether all that a walk may find begins as IDs do. */
  readonly #sound: boolean;

  constructor({ trie, attributes, idsBegin }: Compiled) {
    super();
    let at = 0;
    while (at < attributes.length && attributes[at + AttributeColumn.kind] !== Kind.spiffeId)
      at += attributeStride;
    this.#trie = trie;
    this.#root = attributes[at + AttributeColumn.root] ?? -1;
    this.#sound = idsBegin;
    this.codes = new Int32Array(2 * (attributes[at + AttributeColumn.depth] ?? 0));
  }

  /** False of what is none. */
  override read(text: string): boolean {
    this.text = text;
    this.end = 0;
    if (this.#root < 0) return super.read(text);
    if (!this.copy(text)) return false;
    const common = matchAscii(this.#trie, this.#root, this, this);
    return this.isSpelled(this.#sound ? common : 0);
  }

  /** There is none. */
  clear(): void {
    this.text = undefined;
    this.end = 0;
  }
}
