import type { Reply } from './types.ts';

interface Lease {
  readonly reply: Reply;
  readonly until: number;
}

/** Decisions that may be used again, as long as they say so; the one that was used longest ago goes first. */
export class Leases {
  readonly #most: number;
  readonly #now: () => number;
  readonly #leases = new Map<string, Lease>();
  #snapshot: string | undefined;

  constructor(most: number, now: () => number) {
    this.#most = most;
    this.#now = now;
  }

  now(): number {
    return this.#now();
  }

  get(question: string): Reply | undefined {
    const lease = this.#leases.get(question);
    if (lease === undefined) return undefined;
    this.#leases.delete(question);
    if (lease.until <= this.#now()) return undefined;
    this.#leases.set(question, lease);
    return lease.reply;
  }

  /** `asked`: when it was asked, since nobody knows when it was answered. What other policies decided is forgotten. */
  keep(question: string, reply: Reply, asked: number): void {
    if (reply.snapshot !== this.#snapshot) this.#leases.clear();
    this.#snapshot = reply.snapshot;
    if (this.#most === 0 || !(reply.ttl > 0)) return;
    this.#leases.set(question, { reply, until: asked + reply.ttl * 1_000 });
    if (this.#leases.size > this.#most) this.#leases.delete(this.#leases.keys().next().value as string);
  }
}
