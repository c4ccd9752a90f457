import { isUtf8 } from 'node:buffer';
import { GrpcError, status } from '../grpc/status.ts';
import type { KeptTexts } from './kept-texts.ts';

/** Wire types of protobuf that messages of today have; groups are not read. */
const wireType = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/**
 * A protobuf message, field by field, without building anything for fields that nobody wants: of a CheckRequest that
 * is most of it. Messages inside are entered and left, by one reader for all. A field that comes again continues the one
 * before, as protobuf has it, where the caller writes into the same object again.
 */
export class WireReader {
  readonly #bytes: Buffer;
  #at = 0;
  #end: number;
  #type = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#end = bytes.length;
  }

  /** The number of the next field; 0: there is none. */
  next(): number {
    if (this.#at >= this.#end) return 0;
    const tag = this.varint();
    this.#type = tag & 7;
    const field = tag >>> 3;
    if (field === 0 || tag > 0xffff_ffff) throw broken('a field without a number');
    return field;
  }

  /** Numbers above 53 bits are not told apart: none that is wanted is that large. */
  varint(): number {
    // By far the most are of one byte.
    if (this.#at < this.#end) {
      const byte = this.#bytes[this.#at] as number;
      if (byte < 0x80) {
        this.#at++;
        return byte;
      }
    }
    let value = 0;
    let scale = 1;
    for (let i = 0; i < 10; i++) {
      if (this.#at >= this.#end) throw broken('a number that does not end');
      const byte = this.#bytes[this.#at++] as number;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
    throw broken('a number of more than ten bytes');
  }

  text(): string {
    return this.#textTo(this.#span());
  }

  #textTo(end: number): string {
    const from = this.#at;
    this.#at = end;
    const text = this.#bytes.toString('utf8', from, end);
    // What replaces broken bytes may have been sent as it is.
    if (text.includes('\ufffd') && !isUtf8(this.#bytes.subarray(from, end)))
      throw broken('a string that is not UTF-8');
    return text;
  }

  /** The same, where equal ones come again and again: it is made once, as long as no other takes its place. */
  kept(texts: KeptTexts): string {
    const end = this.#span();
    const from = this.#at;
    const known = texts.at(this.#bytes, from, end);
    if (known !== undefined) {
      this.#at = end;
      return known;
    }
    const text = this.#textTo(end);
    texts.keep(this.#bytes, from, end, text);
    return text;
  }

  /** The message in this field is read next. What comes back is for `leave`. */
  enter(): number {
    const outer = this.#end;
    this.#end = this.#span();
    return outer;
  }

  /** Goes on after the message that was entered. */
  leave(outer: number): void {
    this.#at = this.#end;
    this.#end = outer;
  }

  /** Where the message in this field stands, which is left out for now. */
  place(): number {
    const place = this.#at;
    this.#at = this.#span();
    return place;
  }

  /** As `enter`, where a message stands that was left out; `leave` then goes to its end. */
  enterAt(place: number): number {
    this.#at = place;
    this.#type = wireType.bytes;
    return this.enter();
  }

  double(): number {
    if (this.#type !== wireType.fixed64 || this.#at + 8 > this.#end) throw broken('a double that is none');
    this.#at += 8;
    return this.#bytes.readDoubleLE(this.#at - 8);
  }

  /** A number in the field that `next` named. */
  number(): number {
    if (this.#type !== wireType.varint) throw broken('a number that is none');
    return this.varint();
  }

  skip(): void {
    if (this.#type === wireType.varint) this.varint();
    else if (this.#type === wireType.bytes) this.#at = this.#span();
    else if (this.#type === wireType.fixed32) this.#forward(4);
    else if (this.#type === wireType.fixed64) this.#forward(8);
    else throw broken(`the wire type ${this.#type}`);
  }

  #forward(bytes: number): void {
    this.#at += bytes;
    if (this.#at > this.#end) throw broken('a field that does not end');
  }

  #span(): number {
    if (this.#type !== wireType.bytes) throw broken('a string or message that is none');
    const length = this.varint();
    const end = this.#at + length;
    if (end > this.#end) throw broken('a field that does not end');
    return end;
  }
}

function broken(what: string): GrpcError {
  return new GrpcError(status.invalidArgument, `got ${what}, want a protobuf message`);
}
