import { hashed, isAt } from './key-table.ts';
import type { Sheet } from './written.ts';

export const Byte = {
  space: 0x20,
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  openList: 0x5b,
  backslash: 0x5c,
  closeList: 0x5d,
  open: 0x7b,
  close: 0x7d,
} as const;

// What is exported is read and checked anew at each use; what a module keeps for itself is a number in the code.
const { space, quote, comma, colon, backslash, open, close } = Byte;

/** 1 for each byte that stands in a string for itself, and for nothing but ASCII. */
const ordinary = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= space && byte < 0x7f && byte !== quote && byte !== backslash ? 1 : 0,
);

/** Where what stands for itself in a string ends, from a place in it on. */
export function ordinaryEnd(bytes: Uint8Array, from: number, length: number): number {
  let at = from;
  while (at < length && ordinary[bytes[at] as number] === 1) at++;
  return at;
}

/**
 * Goes through a JSON text of ASCII without escapes, with or without spaces. Each step is taken, or what stands there is
 * another and the text is for the parser.
 */
export class Cursor {
  protected at = 0;
  /** The string that was read last, without its quotes, and the hash of the key that was. */
  protected from = 0;
  protected to = 0;
  protected hash = 0;
  /** Whether the object that was left last was left at its end. */
  protected ended = false;
  protected readonly sheet: Sheet;
  protected readonly bytes: Uint8Array;
  protected readonly length: number;

  constructor(sheet: Sheet) {
    this.sheet = sheet;
    this.bytes = sheet.bytes;
    this.length = sheet.bytes.length;
  }

  protected isOver(): boolean {
    this.skip();
    return this.at === this.length;
  }

  /** Whether an object begins here, with a key; the value of the key is next. */
  protected opened(): boolean {
    this.ended = false;
    return this.take(open) && this.key() && this.take(colon);
  }

  /** Whether a key follows a value, or nothing, in which case the object is left. */
  protected another(): boolean {
    this.ended = false;
    if (this.take(comma)) return this.key() && this.take(colon);
    this.ended = this.take(close);
    return false;
  }

  protected key(): boolean {
    this.skip();
    const bytes = this.bytes;
    const length = this.length;
    let at = this.at;
    if (bytes[at] !== quote) return false;
    this.from = ++at;
    let hash = 0;
    for (; at < length; at++) {
      const byte = bytes[at] as number;
      if (ordinary[byte] === 0) break;
      hash = hashed(hash, byte);
    }
    this.hash = hash;
    return this.#closed(at);
  }

  /** Whether the key that was read last is this one. */
  protected is(name: Uint8Array): boolean {
    return isAt(name, this.bytes, this.from, this.to);
  }

  protected text(least: number, most: number): string | undefined {
    if (!this.string()) return undefined;
    const length = this.to - this.from;
    if (length < least || length > most) return undefined;
    return this.sheet.slice(this.from, this.to);
  }

  protected string(): boolean {
    this.skip();
    if (this.bytes[this.at] !== quote) return false;
    this.from = this.at + 1;
    return this.#closed(ordinaryEnd(this.bytes, this.from, this.length));
  }

  #closed(at: number): boolean {
    this.to = at;
    this.at = at + 1;
    return at < this.length && this.bytes[at] === quote;
  }

  protected take(byte: number): boolean {
    if (this.bytes[this.at] !== byte) {
      this.skip();
      if (this.bytes[this.at] !== byte) return false;
    }
    this.at++;
    return true;
  }

  protected skip(): void {
    while (this.bytes[this.at] === space) this.at++;
  }
}
