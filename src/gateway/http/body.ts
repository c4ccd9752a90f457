import type { IncomingMessage } from 'node:http';
import { Refused } from './problem.ts';

export type Done = (error: unknown, body: Buffer | undefined) => void;

/** A body of a bounded size, off the stream itself: what is more is refused before it is read. */
export function readBody(incoming: IncomingMessage, most: number, done: Done): void {
  const declared = incoming.headers['content-length'];
  if (declared !== undefined && Number(declared) > most)
    return done(tooLarge(`${declared} bytes`, most), undefined);
  let first: Buffer | undefined;
  let more: Buffer[] | undefined;
  let size = 0;
  let over = false;
  const end = (error: unknown, body: Buffer | undefined): void => {
    if (over) return;
    over = true;
    done(error, body);
  };
  incoming.on('data', (chunk: Buffer) => {
    if (over) return;
    size += chunk.length;
    if (size > most) return end(tooLarge('more', most), undefined);
    if (first === undefined) first = chunk;
    else if (more === undefined) more = [first, chunk];
    else more.push(chunk);
  });
  incoming.on('end', () => end(undefined, more === undefined ? (first ?? empty) : Buffer.concat(more, size)));
  // Whoever leaves before the end hears nothing of it.
  incoming.on('error', () => end(gone, undefined));
  incoming.on('close', () => end(gone, undefined));
}

const empty = Buffer.alloc(0);

/** That the client is not there any more. */
export const gone = new Error('the client has left');

function tooLarge(got: string, most: number): Refused {
  return new Refused({
    status: 413,
    title: 'the body is too large',
    detail: `got ${got}, want at most ${most} bytes`,
  });
}
