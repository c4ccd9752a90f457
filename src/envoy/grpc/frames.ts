import type { Budget } from './budget.ts';
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

/** What a chunk that waits costs besides its bytes. */
const perChunk = 256;

/** Messages out of chunks that know nothing of them: several in one, one in several. */
export class Frames {
  readonly #most: number;
  readonly #budget: Budget | undefined;
  /** Of the budget. */
  #held = 0;
  #chunks: Buffer[] = [];
  #size = 0;
  /** Bytes of the message that has begun, its head included; 0: not known yet. */
  #wanted = 0;

  /** `budget`: for what is kept of messages that have begun and not ended. */
  constructor(most: number, budget?: Budget) {
    this.#most = most;
    this.#budget = budget;
  }

  push(chunk: Buffer): Buffer[] {
    // By far the most.
    if (this.#size === 0 && chunk.length >= head && chunk.length === head + this.#lengthOf(chunk, 0))
      return [chunk.subarray(head)];
    this.#keep(chunk);
    if (this.#size < (this.#wanted || head)) return [];
    const bytes = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
    const messages: Buffer[] = [];
    let at = 0;
    for (;;) {
      const left = bytes.length - at;
      if (this.#wanted === 0 && left >= head) this.#wanted = head + this.#lengthOf(bytes, at);
      if (this.#wanted === 0 || left < this.#wanted) break;
      messages.push(bytes.subarray(at + head, at + this.#wanted));
      at += this.#wanted;
      this.#wanted = 0;
    }
    this.#restart(bytes.subarray(at));
    return messages;
  }

  /** Whether a message has begun and not ended. */
  get open(): boolean {
    return this.#size > 0;
  }

  /** What has begun will not be ended. */
  drop(): void {
    this.#chunks = [];
    this.#size = 0;
    this.#wanted = 0;
    this.#budget?.give(this.#held);
    this.#held = 0;
  }

  #restart(rest: Buffer): void {
    const wanted = this.#wanted;
    this.drop();
    this.#wanted = wanted;
    if (rest.length > 0) this.#keep(rest);
  }

  #keep(chunk: Buffer): void {
    const cost = chunk.length + perChunk;
    if (this.#budget?.take(cost) === false) throw tooMuch();
    this.#held += cost;
    this.#chunks.push(chunk.length < chunk.buffer.byteLength ? copied(chunk) : chunk);
    this.#size += chunk.length;
  }

  #lengthOf(bytes: Buffer, at: number): number {
    const flag = bytes[at];
    if (flag === 1)
      throw new GrpcError(status.unimplemented, 'got a compressed message, want grpc-encoding identity');
    if (flag !== 0) throw new GrpcError(status.internal, `got the flag ${flag} before a message, want 0`);
    const length = bytes.readUInt32BE(at + 1);
    if (length > this.#most)
      throw new GrpcError(
        status.resourceExhausted,
        `got a message of ${length} bytes, want at most ${this.#most}`,
      );
    return length;
  }
}

export function tooMuch(): GrpcError {
  return new GrpcError(status.unavailable, 'too much is being said at once');
}

/** A part keeps the whole in memory that it is cut from: all that was read at once, of whatever streams, or a pool. */
function copied(chunk: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(chunk.length);
  copy.set(chunk);
  return copy;
}
