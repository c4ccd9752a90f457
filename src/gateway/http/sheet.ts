import type { Sheet } from '../../pdp/index/written.ts';

/** A body for those who read it off its bytes; its text is made for the first who wants some of it. */
export class BodySheet implements Sheet {
  readonly bytes: Buffer;
  #text: string | undefined;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get text(): string {
    this.#text ??= this.bytes.toString('latin1');
    return this.#text;
  }
}
