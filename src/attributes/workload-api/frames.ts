import { limits } from '../../pdp/model/limits.ts';

/** Messages on a stream of gRPC: a flag, four bytes of length, and so many bytes. */

const headBytes = 5;

export function frameOf(message: Uint8Array): Uint8Array {
  const frame = Buffer.alloc(headBytes + message.length);
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, headBytes);
  return frame;
}

/** Whole messages, however the bytes were cut on the way. Nothing is kept of one that is too long. */
export async function* messagesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let part = Buffer.alloc(headBytes);
  let filled = 0;
  let inBody = false;
  for await (const chunk of chunks) {
    let at = 0;
    for (;;) {
      const size = Math.min(part.length - filled, chunk.length - at);
      part.set(chunk.subarray(at, at + size), filled);
      filled += size;
      at += size;
      if (filled < part.length) break;
      if (inBody) yield part;
      part = Buffer.alloc(inBody ? headBytes : bodyBytes(part));
      inBody = !inBody;
      filled = 0;
    }
  }
  if (inBody || filled > 0) throw new Error('got a stream that ended inside a message');
}

function bodyBytes(head: Buffer): number {
  // Nothing was said of encodings that we take, so none may be used.
  if (head[0] !== 0) throw new Error('got a compressed message, want none: no compression was offered');
  const size = head.readUInt32BE(1);
  if (size > limits.workloadMessageBytes)
    throw new Error(`got a message of ${size} bytes, want at most ${limits.workloadMessageBytes}`);
  return size;
}
