import { limits } from '../../pdp/model/limits.ts';
import type { Place } from '../../pdp/model/violation.ts';
import { type Item, noRequest, parseItem } from './item.ts';

const ascii = {
  newline: 10,
  quote: 34,
  comma: 44,
  open: 91,
  backslash: 92,
  close: 93,
  left: 123,
  right: 125,
};

export function isBlank(byte: number): boolean {
  return byte === 32 || byte === 9 || byte === 10 || byte === 13;
}

/**
 * Requests as elements of one array, or as values one after another that need not end with their line
 * (what `jq .` prints). Finds where each ends by brackets and strings alone, and leaves it to the parser
 * to say what is wrong inside. Holds one value at most.
 */
export class ValueReader {
  readonly #name: string;
  readonly #array: boolean;
  #state: 'before' | 'inside' | 'after' | 'over';
  #line = 1;
  /** UTF-16 code units of the line so far, as columns are counted. */
  #units = 0;
  #depth = 0;
  #string = false;
  #escaped = false;
  /** The value that is being read: where it began, its bytes so far, and whether it is still worth holding. */
  #began: Place | undefined;
  #parts: Uint8Array[] = [];
  #size = 0;
  #commas = 0;

  /** `name`: what places in the stream begin with. */
  constructor(name: string, array: boolean) {
    this.#name = name;
    this.#array = array;
    this.#state = array ? 'before' : 'inside';
  }

  push(chunk: Uint8Array): Item[] {
    const items: Item[] = [];
    let from = 0;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i]!;
      this.#count(byte);
      if (this.#state === 'over') return items;
      if (this.#state === 'after') {
        if (isBlank(byte)) continue;
        items.push(noRequest(this.#here(), 'syntax', 'there is more after the end of the array'));
        this.#state = 'over';
      } else if (this.#state === 'before') {
        if (byte === ascii.open) this.#state = 'inside';
      } else {
        if (this.#began === undefined) {
          if (isBlank(byte)) continue;
          this.#began = this.#here();
          from = i;
        }
        if (this.#string) this.#inString(byte);
        else if (this.#separates(byte)) {
          this.#hold(chunk.subarray(from, this.#array ? i : i + 1));
          if (byte === ascii.comma) this.#commas++;
          else if (this.#array) this.#state = 'after';
          this.#finish(items, byte === ascii.close && this.#commas === 0);
        }
      }
    }
    if (this.#began !== undefined) this.#hold(chunk.subarray(from));
    return items;
  }

  end(): Item[] {
    const items: Item[] = [];
    if (this.#state !== 'inside') return items;
    if (this.#array) items.push(noRequest(this.#here(), 'syntax', 'the array has no end'));
    else if (this.#began !== undefined) this.#finish(items, true);
    return items;
  }

  #count(byte: number): void {
    if (byte === ascii.newline) {
      this.#line++;
      this.#units = 0;
    } else if (byte < 0x80 || byte >= 0xc0) this.#units += byte < 0xf0 ? 1 : 2;
  }

  /** Of the character that was counted last. */
  #here(): Place {
    return { file: this.#name, line: this.#line, column: Math.max(this.#units, 1) };
  }

  #inString(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === ascii.backslash) this.#escaped = true;
    else if (byte === ascii.quote) this.#string = false;
  }

  /** Whether a value ends here: at a comma or bracket of the array itself, else at its own last brace. */
  #separates(byte: number): boolean {
    if (byte === ascii.quote) this.#string = true;
    else if (byte === ascii.left || byte === ascii.open) this.#depth++;
    else if (byte === ascii.right || byte === ascii.close) {
      if (this.#array && byte === ascii.close && this.#depth === 0) return true;
      this.#depth = Math.max(0, this.#depth - 1);
      return !this.#array && this.#depth === 0;
    }
    return this.#array && this.#depth === 0 && byte === ascii.comma;
  }

  #hold(part: Uint8Array): void {
    this.#size += part.length;
    if (this.#size > limits.requestLineBytes) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part.slice());
  }

  #finish(items: Item[], mayBeEmpty: boolean): void {
    const place = this.#began ?? this.#here();
    if (this.#size > limits.requestLineBytes) {
      items.push(noRequest(place, 'limit', `the request has more than ${limits.requestLineBytes} bytes`));
    } else if (this.#size > 0) {
      items.push(parseItem(Buffer.concat(this.#parts), place.file, place.line, place.column));
    } else if (!mayBeEmpty) {
      items.push(noRequest(place, 'syntax', 'an element of the array is empty'));
    }
    this.#began = undefined;
    this.#parts = [];
    this.#size = 0;
  }
}
