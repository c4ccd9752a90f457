/** Up to here a loop is faster than a call that leaves JavaScript. */
const shortText = 40;

/**
 * A protobuf message, written from its end to its beginning: the length of what is inside is then known where it has
 * to be written, and nothing is copied.
 */
export class WireWriter {
  #bytes = Buffer.allocUnsafe(1_024);
  #at = 1_024;

  /** Where what is written next will end. */
  get mark(): number {
    return this.#bytes.length - this.#at;
  }

  text(field: number, text: string): void {
    if (text.length <= shortText && this.#short(text)) return this.head(field, text.length);
    const length = Buffer.byteLength(text);
    this.#reserve(length);
    this.#at -= length;
    // What is as long in bytes as in characters is ASCII, which is written faster so.
    this.#bytes.write(text, this.#at, length, length === text.length ? 'latin1' : 'utf8');
    this.head(field, length);
  }

  number(field: number, value: number): void {
    this.#varint(value);
    this.#varint(field * 8);
  }

  /** Everything written since the mark becomes the message in this field. */
  message(field: number, mark: number): void {
    this.head(field, this.mark - mark);
  }

  /** What stands before a field of so many bytes. */
  head(field: number, length: number): void {
    this.#varint(length);
    this.#varint(field * 8 + 2);
  }

  /** A copy: the writer is used again. */
  finish(): Buffer {
    const message = Buffer.from(this.#bytes.subarray(this.#at));
    this.#at = this.#bytes.length;
    return message;
  }

  #varint(value: number): void {
    this.#reserve(5);
    if (value < 0x80) {
      this.#bytes[--this.#at] = value;
      return;
    }
    let bytes = 1;
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes++;
    this.#at -= bytes;
    let rest = value;
    for (let i = 0; i < bytes; i++) {
      this.#bytes[this.#at + i] = (rest % 0x80) + (i < bytes - 1 ? 0x80 : 0);
      rest = Math.floor(rest / 0x80);
    }
  }

  /** Text that is ASCII; false: it is not, and nothing has been written. */
  #short(text: string): boolean {
    const { length } = text;
    this.#reserve(length);
    const from = this.#at - length;
    const bytes = this.#bytes;
    for (let i = 0; i < length; i++) {
      const unit = text.charCodeAt(i);
      if (unit >= 0x80) return false;
      bytes[from + i] = unit;
    }
    this.#at = from;
    return true;
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#at) return;
    const used = this.mark;
    const larger = Buffer.allocUnsafe(2 * (used + bytes + 64));
    larger.set(this.#bytes.subarray(this.#at), larger.length - used);
    this.#at = larger.length - used;
    this.#bytes = larger;
  }
}
