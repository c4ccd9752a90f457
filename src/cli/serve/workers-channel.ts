import cluster from 'node:cluster';

/**
 * What workers know of each other: any of them asks a question by its topic, and hears from all, itself included.
 * Without workers there is one, and it asks itself. Metrics of all are one page in this way, whichever was asked.
 */

export interface Gathered {
  /** 0 where there are no workers. */
  readonly worker: number;
  readonly value: unknown;
}

export type Make = (about: unknown) => unknown;

export type Message =
  | { readonly placet: 'gather'; readonly id: number; readonly topic: string; readonly about: unknown }
  | { readonly placet: 'ask'; readonly id: number; readonly topic: string; readonly about: unknown }
  | { readonly placet: 'told'; readonly id: number; readonly value: unknown }
  | { readonly placet: 'gathered'; readonly id: number; readonly all: readonly Gathered[] }
  | { readonly placet: 'drain' };

export function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && 'placet' in value;
}

/** Tells a worker which of them it is. Not the beginning of a setting: those are read from variables too. */
export const placeVariable = 'WORKER_OF_PLACET';

/** From 1 on; who takes the place of one that died has the same. Undefined: there are no workers. */
export function place(): number | undefined {
  return cluster.isWorker ? Number(process.env[placeVariable]) : undefined;
}

const makes = new Map<string, Make>();
const waiting = new Map<number, (all: readonly Gathered[]) => void>();
let asked = 0;
let begun: Begun | undefined;

/** What a worker does that is there to be asked. */
interface Begun {
  readonly drain: () => void;
  /** Told of what nobody thought of: whoever asked hears nothing of it. */
  readonly failed: (error: unknown) => void;
}

/** What this process says when it is asked for a topic. */
export function answerTo(topic: string, make: Make): void {
  makes.set(topic, make);
}

/** From every process that answers in time; one that does not know the topic, or fails, is left out. */
export async function gather(topic: string, about?: unknown): Promise<readonly Gathered[]> {
  if (cluster.worker === undefined) return known([{ worker: 0, value: await makes.get(topic)?.(about) }]);
  // Nobody would bring an answer.
  if (!process.connected) return [];
  const id = ++asked;
  const all = await new Promise<readonly Gathered[]>((resolve) => {
    waiting.set(id, resolve);
    tell({ placet: 'gather', id, topic, about });
  });
  return known(all);
}

function known(all: readonly Gathered[]): readonly Gathered[] {
  return all.filter(({ value }) => value !== undefined);
}

/** Listens to the process that supervises this one; to be called once, in a worker. */
export function hearPrimary(drain: () => void, failed: (error: unknown) => void): void {
  begun = { drain, failed };
  endByItself();
  process.on('message', hear);
  process.once('disconnect', () => {
    for (const resolve of waiting.values()) resolve([]);
    waiting.clear();
    // Nobody is left who would start us again.
    drain();
  });
}

/** A worker that has nothing more to do ends, which it does not as long as it could be told something. */
export function leavePrimary(): void {
  if (!cluster.isWorker || !process.connected) return;
  endByItself();
  process.disconnect();
}

/** Else Node ends a worker without a channel at once, with 0, whatever is under way and whatever went wrong. */
function endByItself(): void {
  if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true;
}

function hear(message: unknown): void {
  if (!isMessage(message)) return;
  if (message.placet === 'drain') begun?.drain();
  else if (message.placet === 'ask') void told(message);
  else if (message.placet === 'gathered') {
    waiting.get(message.id)?.(message.all);
    waiting.delete(message.id);
  }
}

async function told({ id, topic, about }: Extract<Message, { placet: 'ask' }>): Promise<void> {
  try {
    tell({ placet: 'told', id, value: await makes.get(topic)?.(about) });
  } catch (error) {
    begun?.failed(error);
    tell({ placet: 'told', id, value: undefined });
  }
}

function tell(message: Message): void {
  if (process.connected) process.send?.(message);
}
