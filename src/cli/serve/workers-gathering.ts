import type { Worker } from 'node:cluster';
import type { Gathered, Message } from './workers-channel.ts';

/** How long a worker may take to answer before the others are all there is. Milliseconds. */
const patience = 1_000;

interface Open {
  readonly to: Worker;
  /** By which the one who asked knows it. */
  readonly id: number;
  readonly waitingFor: Set<Worker>;
  readonly all: Gathered[];
  readonly timer: NodeJS.Timeout;
}

/** The middle of what workers ask each other: the process that supervises them. */
export class Gathering {
  readonly #open = new Map<number, Open>();
  #ids = 0;

  hear(message: Message, from: Worker, workers: readonly Worker[]): void {
    if (message.placet === 'gather') this.#begin(message, from, workers);
    if (message.placet === 'told') {
      const open = this.#open.get(message.id);
      if (open?.waitingFor.delete(from) !== true) return;
      open.all.push({ worker: from.id, value: message.value });
      this.#endIfAll(message.id, open);
    }
  }

  /** A worker that is no more is not waited for. */
  gone(worker: Worker): void {
    for (const [id, open] of this.#open) if (open.waitingFor.delete(worker)) this.#endIfAll(id, open);
  }

  #begin(
    { id: asked, topic, about }: Extract<Message, { placet: 'gather' }>,
    to: Worker,
    workers: readonly Worker[],
  ): void {
    const id = ++this.#ids;
    const timer = setTimeout(() => this.#end(id), patience);
    const waitingFor = new Set(workers.filter((one) => one.isConnected()));
    this.#open.set(id, { to, id: asked, waitingFor, all: [], timer });
    for (const worker of waitingFor) worker.send({ placet: 'ask', id, topic, about } satisfies Message);
  }

  #endIfAll(id: number, { waitingFor }: Open): void {
    if (waitingFor.size === 0) this.#end(id);
  }

  #end(id: number): void {
    const { to, id: asked, all, timer } = this.#open.get(id)!;
    clearTimeout(timer);
    this.#open.delete(id);
    all.sort((a, b) => a.worker - b.worker);
    if (to.isConnected()) to.send({ placet: 'gathered', id: asked, all } satisfies Message);
  }
}
