import type { IncomingMessage } from 'node:http';
import { Incoming, type Taker } from './incoming.ts';
import { Refused } from './problem.ts';
import { type Room, roomFor, type Waiting } from './room.ts';

export type Done = (error: unknown, body: Buffer | undefined) => void;

/** A body of a bounded size: what is more is refused before it is read. */
export function readBody(incoming: IncomingMessage, most: number, done: Done): void {
  const declared = incoming.headers['content-length'];
  if (declared !== undefined && Number(declared) > most)
    return done(tooLarge(`${declared} bytes`, most), undefined);
  const body = new Body(most, done, roomFor(incoming));
  if (incoming instanceof Incoming && incoming.give(body)) return;
  incoming.on('data', (chunk: Buffer) => body.data(chunk));
  incoming.on('end', () => body.end());
  incoming.on('error', () => body.gone());
  incoming.on('close', () => body.gone());
}

class Body implements Taker, Waiting {
  over = false;
  readonly #most: number;
  readonly #done: Done;
  readonly #room: Room | undefined;
  #first: Buffer | undefined;
  #more: Buffer[] | undefined;
  #size = 0;

  constructor(most: number, done: Done, room: Room | undefined) {
    this.#most = most;
    this.#done = done;
    this.#room = room;
    room?.waits(this, 'body');
  }

  data(chunk: Buffer): void {
    if (this.over) return;
    this.#size += chunk.length;
    if (this.#size > this.#most) return this.#finish(tooLarge('more', this.#most), undefined);
    if (this.#first === undefined) this.#first = chunk;
    else if (this.#more === undefined) this.#more = [this.#first, chunk];
    else this.#more.push(chunk);
  }

  end(): void {
    const more = this.#more;
    this.#finish(undefined, more === undefined ? (this.#first ?? empty) : Buffer.concat(more, this.#size));
  }

  /** Whoever leaves before the end hears nothing of it. */
  gone(): void {
    this.#finish(gone, undefined);
  }

  giveWay(refused: Refused): void {
    this.#finish(refused, undefined);
    // Who goes on sending is listened to for a while, and what was there is not kept for that.
    this.#first = undefined;
    this.#more = undefined;
  }

  #finish(error: unknown, body: Buffer | undefined): void {
    if (this.over) return;
    this.over = true;
    this.#room?.waited(this, 'body');
    this.#done(error, body);
  }
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
