import { write } from 'node:fs';
import type { Carrier } from './outlet.ts';

const pause = 20;

/** As much as is written at once or not at all (PIPE_BUF of Linux): no other worker's line comes between. */
const atOnce = 4_096;

/**
 * Standard output by its number, on a thread: a reader that stands still must not stop decisions, as it would by way
 * of `process.stdout`.
 */
export function stdoutCarrier(descriptor = 1): Carrier {
  let closed = false;
  return {
    async carry(text) {
      const buffer = Buffer.from(text);
      for (let at = 0; at < buffer.length; ) {
        if (closed) throw new Error('nobody reads');
        at += await some(descriptor, buffer.subarray(at, endOfLines(buffer, at)));
      }
    },
    async close() {
      closed = true;
    },
  };
}

/** Where the lines end that can be written at once; a longer one is by itself. */
function endOfLines(buffer: Buffer, from: number): number {
  if (buffer.length - from <= atOnce) return buffer.length;
  const last = buffer.lastIndexOf(newline, from + atOnce - 1);
  return (last < from ? buffer.indexOf(newline, from + atOnce) : last) + 1;
}

const newline = 10;

function some(descriptor: number, buffer: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    write(descriptor, buffer, (error, written) => {
      if (error === null) resolve(written);
      // The descriptor may be shared with somebody who made it not wait.
      else if (error.code === 'EAGAIN') setTimeout(() => resolve(0), pause);
      else reject(error);
    });
  });
}
