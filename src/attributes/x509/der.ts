/** The few shapes of DER that our own certificate extension is made of (X.690 §8, §10). */

export const SEQUENCE = 0x30;
const UTF8_STRING = 0x0c;
export const OBJECT_IDENTIFIER = 0x06;
export const OCTET_STRING = 0x04;
export const BOOLEAN = 0x01;

export function sequence(...parts: readonly Uint8Array[]): Uint8Array {
  return value(SEQUENCE, Buffer.concat(parts));
}

export function utf8(text: string): Uint8Array {
  return value(UTF8_STRING, Buffer.from(text, 'utf8'));
}

function value(tag: number, content: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.from([tag, ...lengthOf(content.length)]), content]);
}

function lengthOf(length: number): readonly number[] {
  if (length < 0x80) return [length];
  if (length < 0x100) return [0x81, length];
  return [0x82, length >> 8, length & 0xff];
}

/** Reads values one after the other; undefined wherever the bytes are not in the one form that DER has. */
export class DerReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** The tag of what comes next. */
  get tag(): number | undefined {
    return this.#bytes[this.#at];
  }

  sequence(): DerReader | undefined {
    const content = this.read(SEQUENCE);
    return content && new DerReader(content);
  }

  utf8(): string | undefined {
    const content = this.read(UTF8_STRING);
    if (content === undefined) return undefined;
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
    } catch {
      return undefined;
    }
  }

  /** The content of the next value if it has this tag. */
  read(tag: number): Uint8Array | undefined {
    const bytes = this.#bytes;
    const head = bytes[this.#at] === tag ? headAt(bytes, this.#at) : undefined;
    if (head === undefined) return undefined;
    const { start, length } = head;
    if (start + length > bytes.length) return undefined;
    this.#at = start + length;
    return bytes.subarray(start, start + length);
  }
}

/** How many bytes the value at a position has, its head included; undefined if that is not said in DER's one form. */
export function sizeAt(bytes: Uint8Array, at: number): number | undefined {
  const head = headAt(bytes, at);
  return head && head.start - at + head.length;
}

/** Where the content of a value starts, and how long it is. */
function headAt(
  bytes: Uint8Array,
  at: number,
): { readonly start: number; readonly length: number } | undefined {
  const first = bytes[at + 1];
  if (first === undefined) return undefined;
  if (first < 0x80) return { start: at + 2, length: first };
  const size = first & 0x7f;
  if (size === 0 || size > 3 || bytes[at + 2] === 0) return undefined;
  let length = 0;
  for (let i = 0; i < size; i++) length = length * 256 + (bytes[at + 2 + i] ?? 0);
  return length < 0x80 ? undefined : { start: at + 2 + size, length };
}
