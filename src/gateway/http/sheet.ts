import type { Sheet } from '../../pdp/index/written.ts';

/** A body for those who read it off its bytes. */
export class BodySheet implements Sheet {
  readonly bytes: Buffer;
  readonly view: DataView;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  slice(from: number, to: number): string {
    return this.bytes.toString('latin1', from, to);
  }
}
