import { encoder } from './encoding.ts';

/** One text of ASCII after another as bytes: to copy a string and read the copy takes less time than to read its units. */
export class Ascii {
  readonly bytes: Uint8Array;
  /** The same, for who reads four at a time. */
  readonly view: DataView;
  length = 0;

  /** Of so many bytes at most. */
  constructor(most: number) {
    this.bytes = new Uint8Array(most);
    this.view = new DataView(this.bytes.buffer);
  }

  /** False if a text is longer, or has more than ASCII: what is here then is not all of it. */
  copy(text: string): boolean {
    const { read, written } = encoder.encodeInto(text, this.bytes);
    this.length = written;
    return read === text.length && written === read;
  }
}
