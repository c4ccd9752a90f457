/** Up to here a loop is faster than a call that leaves JavaScript. */
const nearby = 64;
const hashed = 128;

/**
 * Texts by their bytes. To compare bytes costs less than to make a text of them, and one that is the same each time
 * has been hashed before. Each has one of two places side by side, and goes when two others have taken them.
 */
export class KeptTexts {
  readonly #longest: number;
  /** Of each place, the bytes of what it has; -1: nothing. */
  readonly #lengths: Int32Array;
  /** What is short stands side by side, so that to compare it is to look at one line of memory. */
  readonly #short: Uint8Array;
  readonly #long: (Buffer | undefined)[];
  readonly #texts: string[];

  /** `places`: a power of two. */
  constructor(places: number, longest: number) {
    this.#longest = longest;
    this.#lengths = new Int32Array(places).fill(-1);
    this.#short = new Uint8Array(places * nearby);
    this.#long = new Array(places).fill(undefined);
    this.#texts = new Array(places).fill('');
  }

  at(bytes: Buffer, from: number, end: number): string | undefined {
    if (end - from > this.#longest) return undefined;
    const place = this.#place(bytes, from, end);
    if (this.#has(place, bytes, from, end)) return this.#texts[place];
    return this.#has(place + 1, bytes, from, end) ? this.#texts[place + 1] : undefined;
  }

  /** Of a text that is not kept. */
  keep(bytes: Buffer, from: number, end: number, text: string): void {
    const length = end - from;
    if (length > this.#longest) return;
    const place = this.#place(bytes, from, end);
    const first = place * nearby;
    this.#lengths[place + 1] = this.#lengths[place] as number;
    this.#short.copyWithin(first + nearby, first, first + nearby);
    this.#long[place + 1] = this.#long[place];
    this.#texts[place + 1] = this.#texts[place] as string;
    this.#lengths[place] = length;
    this.#long[place] = length > nearby ? Buffer.from(bytes.subarray(from, end)) : undefined;
    if (length <= nearby) this.#short.set(bytes.subarray(from, end), first);
    this.#texts[place] = text;
  }

  #has(place: number, bytes: Buffer, from: number, end: number): boolean {
    const length = end - from;
    if (this.#lengths[place] !== length) return false;
    if (length > nearby) return bytes.compare(this.#long[place] as Buffer, 0, length, from, end) === 0;
    const short = this.#short;
    for (let i = from, at = place * nearby; i < end; i++, at++) if (short[at] !== bytes[i]) return false;
    return true;
  }

  /**
   * By its length and its last bytes: certificates of one authority begin alike and end with what was signed. Of what
   * is long every fifth is enough to find a place; that it is the same text is not left to that.
   */
  #place(bytes: Buffer, from: number, end: number): number {
    const step = end - from > nearby ? 5 : 1;
    let hash = end - from;
    for (let i = end - 1, first = Math.max(from, end - hashed); i >= first; i -= step)
      hash = Math.imul(hash ^ (bytes[i] as number), 0x0100_0193);
    return (hash ^ (hash >>> 15)) & (this.#lengths.length - 2);
  }
}

/** Names in claims, metadata, extensions and labels: the same in each request. */
export const names = new KeptTexts(512, 64);

/** What stands under them: much of it comes again, since the same few clients ask for the same. */
export const values = new KeptTexts(4_096, 64);
