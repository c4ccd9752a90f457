import { fstatSync, writeSync } from 'node:fs';
import { Writable } from 'node:stream';
import type { Stream } from './output.ts';

/**
 * The stream, or one of ours where it is a file: a disk that is full takes a part of what is written, and Node's own
 * stream does not look how much.
 */
export function wholly(stream: Stream & { readonly fd?: number }): Stream {
  const { fd } = stream;
  if (fd === undefined || !fstatSync(fd).isFile()) return stream;
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      try {
        for (let at = 0; at < chunk.length; ) at += writeSync(fd, chunk, at);
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  });
}
