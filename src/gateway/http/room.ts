import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MiddlewareHandler } from 'hono';
import { Admission, type Load } from './admission.ts';
import type { Env } from './env.ts';
import { Refused } from './problem.ts';

/** Whoever waits for something that does not come from here. */
export interface Waiting {
  /** Makes room for somebody who has not waited as long. */
  giveWay(refused: Refused): void;
}

/** Pages that are open to everybody, for each of so many decisions at once. */
const pageShare = 10;

/**
 * How much a server takes upon itself at once, each kind for itself, so that none takes what another needs. Work for
 * callers who are known has places, and there is none for more. Who waits, for its body or for a proof of who it is,
 * has none of them: beyond as many as there may be, the one that has waited longest gives way, which is not the one
 * that just came and is nearly there. Pages that anybody may read have few places, and keep them until they are read.
 */
export class Room {
  readonly work: Admission;
  readonly #pages: Admission;
  readonly #waiting: Readonly<Record<'body' | 'proof', Set<Waiting>>> = { body: new Set(), proof: new Set() };
  readonly #most: number;
  readonly #shed: () => void;

  constructor(load: Load, shed: () => void) {
    this.work = new Admission(load);
    this.#pages = new Admission({
      ...load,
      concurrency: Math.max(1, Math.floor(load.concurrency / pageShare)),
    });
    this.#most = load.concurrency;
    this.#shed = shed;
  }

  waits(one: Waiting, kind: 'body' | 'proof'): void {
    const waiting = this.#waiting[kind];
    waiting.add(one);
    if (waiting.size <= this.#most) return;
    const [oldest] = waiting;
    waiting.delete(oldest as Waiting);
    oldest?.giveWay(this.tooMuch());
  }

  waited(one: Waiting, kind: 'body' | 'proof'): void {
    this.#waiting[kind].delete(one);
  }

  /** Throws where there is none. */
  takePage(reply: ServerResponse): void {
    if (this.#pages.full) throw this.tooMuch();
    this.#pages.take();
    reply.once('close', () => this.#pages.leave());
  }

  /** Counted as turned away. */
  tooMuch(): Refused {
    this.#shed();
    return new Refused(
      { status: 503, title: 'too much at once', detail: 'ask again, or ask another one' },
      { 'retry-after': '1' },
    );
  }
}

const room = Symbol('room');

/** A request for which there has to be room. */
interface Roomed extends IncomingMessage {
  [room]?: Room;
}

export function giveRoom(incoming: IncomingMessage, to: Room): void {
  (incoming as Roomed)[room] = to;
}

/** Undefined: it is answered however much there is to do. */
export function roomFor(incoming: IncomingMessage): Room | undefined {
  return (incoming as Roomed)[room];
}

/** A proof that somebody else has to look at, of a caller who until then is anybody. */
export function proving<T>(incoming: IncomingMessage, proof: Promise<T>): Promise<T> {
  const room = roomFor(incoming);
  if (room === undefined) return proof;
  return new Promise((resolve, reject) => {
    const one = { giveWay: reject };
    room.waits(one, 'proof');
    const over = (): void => room.waited(one, 'proof');
    proof.then(resolve, reject).finally(over);
  });
}

/** Before anything is begun that may go on. */
export function checkRoom(incoming: IncomingMessage): void {
  const room = roomFor(incoming);
  if (room?.work.full === true) throw room.tooMuch();
}

/** Work that goes on. */
export async function working<T>(incoming: IncomingMessage, work: Promise<T>): Promise<T> {
  const room = roomFor(incoming);
  if (room === undefined) return await work;
  room.work.take();
  try {
    return await work;
  } finally {
    room.work.leave();
  }
}

/** In the midst of work, what its client lets us wait for. */
export async function resting<T>(incoming: IncomingMessage, awaited: Promise<T>): Promise<T> {
  const room = roomFor(incoming);
  if (room === undefined) return await awaited;
  room.work.leave();
  try {
    const found = await awaited;
    checkRoom(incoming);
    return found;
  } finally {
    room.work.take();
  }
}

/** For all that is answered to callers who are known. */
export function atWork(): MiddlewareHandler<Env> {
  return async ({ env: { incoming } }, next) => {
    const room = roomFor(incoming);
    if (room === undefined) return await next();
    checkRoom(incoming);
    room.work.take();
    try {
      await next();
    } finally {
      room.work.leave();
    }
  };
}

/** For what anybody may read. */
export function takePage({ incoming, outgoing }: Env['Bindings']): void {
  roomFor(incoming)?.takePage(outgoing as ServerResponse);
}
