import { write } from 'node:fs';
import type { Carrier } from './outlet.ts';

const pause = 20;

/**
 * Standard output by its number, on a thread: a reader that stands still must not stop decisions, as it would by way
 * of `process.stdout`.
 */
export function stdoutCarrier(descriptor = 1): Carrier {
  return {
    async carry(text) {
      const buffer = Buffer.from(text);
      for (let at = 0; at < buffer.length; ) at += await some(descriptor, buffer, at);
    },
    close: async () => undefined,
  };
}

function some(descriptor: number, buffer: Buffer, from: number): Promise<number> {
  return new Promise((resolve, reject) => {
    write(descriptor, buffer, from, (error, written) => {
      if (error === null) resolve(written);
      // The descriptor may be shared with somebody who made it not wait.
      else if (error.code === 'EAGAIN') setTimeout(() => resolve(0), pause);
      else reject(error);
    });
  });
}
