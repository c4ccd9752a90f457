import { isUtf8 } from 'node:buffer';
import { limits } from '../../pdp/model/limits.ts';
import { type Item, noRequest, type Parse, parseItem } from './item.ts';
import { isBlank } from './values.ts';

const newline = 0x0a;

/**
 * Requests one per line, a batch for every chunk that ends some. Holds one unfinished line at most,
 * and none over the limit: what is longer is skipped up to its end and answered as no request.
 * Blank lines are nothing.
 */
export class LineReader {
  readonly #name: string;
  readonly #parse: Parse;
  #line = 1;
  #pending: Uint8Array[] = [];
  #size = 0;
  #tooLong = false;

  /** `name`: what places in the stream begin with. */
  constructor(name: string, parse: Parse = parseItem) {
    this.#name = name;
    this.#parse = parse;
  }

  push(chunk: Uint8Array): Item[] {
    const items: Item[] = [];
    const last = chunk.lastIndexOf(newline);
    if (last < 0) {
      this.#hold(chunk);
      return items;
    }
    const first = chunk.indexOf(newline);
    this.#hold(chunk.subarray(0, first));
    this.#finish(items);
    if (last > first) this.#whole(chunk.subarray(first + 1, last), items);
    this.#hold(chunk.subarray(last + 1));
    return items;
  }

  end(): Item[] {
    const items: Item[] = [];
    if (this.#size > 0) this.#finish(items);
    return items;
  }

  #hold(part: Uint8Array): void {
    if (part.length === 0) return;
    this.#size += part.length;
    if (this.#size > limits.requestLineBytes) {
      this.#tooLong = true;
      this.#pending = [];
    } else {
      // A copy: the chunk's memory may be used again by the stream it came from.
      this.#pending.push(part.slice());
    }
  }

  #finish(items: Item[]): void {
    const line = this.#line++;
    if (this.#tooLong) this.#refuse(line, items);
    else if (this.#size > 0) this.#put(Buffer.concat(this.#pending), line, items);
    this.#pending = [];
    this.#size = 0;
    this.#tooLong = false;
  }

  /** Full lines within one chunk: decoded together, which is what makes many short ones fast. */
  #whole(bytes: Uint8Array, items: Item[]): void {
    if (isUtf8(bytes) && bytes.length <= limits.requestLineBytes) {
      for (const text of viewOf(bytes).toString().split('\n')) this.#put(text, this.#line++, items);
      return;
    }
    let start = 0;
    while (start <= bytes.length) {
      const found = bytes.indexOf(newline, start);
      const end = found < 0 ? bytes.length : found;
      const line = this.#line++;
      if (end - start > limits.requestLineBytes) this.#refuse(line, items);
      else this.#put(viewOf(bytes.subarray(start, end)), line, items);
      start = end + 1;
    }
  }

  #put(from: string | Buffer, line: number, items: Item[]): void {
    let end = from.length;
    // The end of a line may be that of Windows, and a text without blanks is read faster.
    while (end > 0 && isBlank(unitOf(from, end - 1))) end--;
    if (end === 0) return;
    const own =
      end === from.length ? from : typeof from === 'string' ? from.slice(0, end) : from.subarray(0, end);
    items.push(this.#parse(own, this.#name, line, 1));
  }

  #refuse(line: number, items: Item[]): void {
    const place = { file: this.#name, line, column: 1 };
    items.push(noRequest(place, 'limit', `the line has more than ${limits.requestLineBytes} bytes`));
  }
}

function unitOf(from: string | Buffer, at: number): number {
  return typeof from === 'string' ? from.charCodeAt(at) : from[at]!;
}

function viewOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
