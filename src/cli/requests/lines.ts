import { isUtf8 } from 'node:buffer';
import { limits } from '../../pdp/model/limits.ts';
import { type Item, noRequest, parseItem } from './item.ts';

const newline = 0x0a;

/**
 * Requests one per line, a batch for every chunk that ends some. Holds one unfinished line at most,
 * and none over the limit: what is longer is skipped up to its end and answered as no request.
 * Blank lines are nothing.
 */
export class LineReader {
  #line = 1;
  #pending: Uint8Array[] = [];
  #size = 0;
  #tooLong = false;

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
    if (this.#tooLong) items.push(tooLong(line));
    else if (this.#size > 0) decode(Buffer.concat(this.#pending), line, items);
    this.#pending = [];
    this.#size = 0;
    this.#tooLong = false;
  }

  /** Full lines within one chunk: decoded together, which is what makes many short ones fast. */
  #whole(bytes: Uint8Array, items: Item[]): void {
    if (isUtf8(bytes) && bytes.length <= limits.requestLineBytes) {
      for (const text of toText(bytes).split('\n')) put(text, this.#line++, items);
      return;
    }
    let start = 0;
    while (start <= bytes.length) {
      const found = bytes.indexOf(newline, start);
      const end = found < 0 ? bytes.length : found;
      const line = this.#line++;
      if (end - start > limits.requestLineBytes) items.push(tooLong(line));
      else decode(bytes.subarray(start, end), line, items);
      start = end + 1;
    }
  }
}

function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

function tooLong(line: number): Item {
  return noRequest(line, 'limit', `the line has more than ${limits.requestLineBytes} bytes`);
}

function decode(bytes: Uint8Array, line: number, items: Item[]): void {
  if (isUtf8(bytes)) put(toText(bytes), line, items);
  else items.push(noRequest(line, 'syntax', 'not UTF-8', { hint: 'JSON is UTF-8 (RFC 8259, section 8.1)' }));
}

function put(text: string, line: number, items: Item[]): void {
  if (text.trim() !== '') items.push(parseItem(text, line, 0));
}
