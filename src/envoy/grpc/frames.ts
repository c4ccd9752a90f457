import { GrpcError, status } from './status.ts';

/** A flag and the length, before each message. */
const head = 5;

/** One message as it goes over the wire. */
export function frame(message: Uint8Array): Buffer {
  const framed = Buffer.allocUnsafe(head + message.length);
  framed[0] = 0;
  framed.writeUInt32BE(message.length, 1);
  framed.set(message, head);
  return framed;
}

/** What goes before a message of so many bytes. */
export function frameHead(length: number): Buffer {
  const bytes = Buffer.allocUnsafe(head);
  bytes[0] = 0;
  bytes.writeUInt32BE(length, 1);
  return bytes;
}

/** Messages out of chunks that know nothing of them: several in one, one in several. */
export class Frames {
  readonly #most: number;
  #chunks: Buffer[] = [];
  #size = 0;
  /** Bytes of the message that has begun, its head included; 0: not known yet. */
  #wanted = 0;

  constructor(most: number) {
    this.#most = most;
  }

  push(chunk: Buffer): Buffer[] {
    // By far the most.
    if (this.#size === 0 && chunk.length >= head && chunk.length === head + this.#lengthOf(chunk))
      return [chunk.subarray(head)];
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    const messages: Buffer[] = [];
    while (this.#size >= (this.#wanted || head)) {
      const bytes = this.#joined();
      if (this.#wanted === 0) {
        this.#wanted = head + this.#lengthOf(bytes);
        continue;
      }
      messages.push(bytes.subarray(head, this.#wanted));
      this.#keep(bytes.subarray(this.#wanted));
      this.#wanted = 0;
    }
    return messages;
  }

  /** Whether a message has begun and not ended. */
  get open(): boolean {
    return this.#size > 0;
  }

  #joined(): Buffer {
    const [only] = this.#chunks;
    const bytes = this.#chunks.length === 1 ? (only as Buffer) : Buffer.concat(this.#chunks);
    this.#chunks = [bytes];
    return bytes;
  }

  #keep(rest: Buffer): void {
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#size = rest.length;
  }

  #lengthOf(bytes: Buffer): number {
    const flag = bytes[0];
    if (flag === 1)
      throw new GrpcError(status.unimplemented, 'got a compressed message, want grpc-encoding identity');
    if (flag !== 0) throw new GrpcError(status.internal, `got the flag ${flag} before a message, want 0`);
    const length = bytes.readUInt32BE(1);
    if (length > this.#most)
      throw new GrpcError(
        status.resourceExhausted,
        `got a message of ${length} bytes, want at most ${this.#most}`,
      );
    return length;
  }
}
