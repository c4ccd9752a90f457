import type { Worker } from 'node:worker_threads';
import type { Explanation } from '../../pdp/explain.ts';
import type { Channel, Request } from '../../pdp/model/request.ts';
import { messageOf } from '../../pdp/model/text.ts';
import { formatViolation, type Violation } from '../../pdp/model/violation.ts';
import type { Answer, Question } from '../inspect/questions.ts';
import type { Live, Readiness, Reloaded, Snapshot, SourceStatus } from '../service.ts';
import { Freshness } from './freshness.ts';
import type { FromLoader, SetMessage, StatusMessage, ToLoader } from './messages.ts';
import { NotNow } from './not-now.ts';
import type { Overview } from './overview.ts';
import { snapshotOf } from './snapshot.ts';
import { sourceLog } from './source-log.ts';
import { inTurns } from './turns.ts';

export interface LiveOptions {
  /** Starts the thread that reads and compiles. */
  readonly thread: () => Worker;
  /** How long what was last read counts when it cannot be read again. Milliseconds. */
  readonly maxStaleness: number;
  /** Sources of something else than policies, which have to be fresh too. */
  readonly others?: () => readonly SourceStatus[];
  readonly reloaded?: (event: Reloaded) => void;
  /** One line for whoever runs it. */
  readonly log: (line: string) => void;
  readonly now?: () => number;
}

/** Documents that may not decide, when there is nothing yet that could go on. */
export class RefusedPolicies extends Error {
  readonly violations: readonly Violation[];

  constructor(violations: readonly Violation[]) {
    super(violations.map(formatViolation).join('\n'));
    this.name = 'RefusedPolicies';
    this.violations = violations;
  }
}

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

type News = Extract<FromLoader, { readonly type: 'set' | 'status' | 'refused' }>;

type Asking<T extends ToLoader = ToLoader> = T extends { readonly id: number } ? Omit<T, 'id'> : never;

/** After the thread ended by itself, longer each time. */
const pauses = [100, 500, 2_000, 10_000] as const;

/** Decides by what the sources have, whose documents are read and compiled in another thread. */
export class LivePolicies implements Live {
  readonly #options: LiveOptions;
  readonly #freshness: Freshness;
  readonly #logSources: ReturnType<typeof sourceLog>;
  readonly #waiting = new Map<number, Waiting>();
  #thread: Worker | undefined;
  #current: Snapshot | undefined;
  #counts: SetMessage['counts'] | undefined;
  #problems: readonly Violation[] = [];
  #questions = 0;
  /** The longest turn of the event loop that taking over took. */
  #paused = 0;
  /** What comes is taken in order, and taking it has pauses. */
  #queue: Promise<void> = Promise.resolve();
  #ends = 0;
  #restart: NodeJS.Timeout | undefined;
  #closed = false;
  #draining = false;
  #settle: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined;

  constructor(options: LiveOptions) {
    this.#options = options;
    this.#freshness = new Freshness(options.maxStaleness, options.now);
    this.#logSources = sourceLog(options.log);
  }

  /** Resolves once it can decide. */
  async open(): Promise<void> {
    const opened = new Promise<void>((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    this.#start();
    try {
      await opened;
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  current(): Snapshot | undefined {
    return this.#current;
  }

  stale(): boolean {
    return this.#freshness.stale;
  }

  readiness(): Readiness {
    const sources = [...this.#freshness.sources, ...(this.#options.others?.() ?? [])];
    const good = sources.every(({ synced, fresh }) => synced && fresh);
    return {
      ready: this.#current !== undefined && good && !this.#draining,
      ...(this.#draining ? { draining: true } : {}),
      sources,
      problems: this.#problems.length,
    };
  }

  /** From now on it is not ready, whatever else it is. */
  drain(): void {
    this.#draining = true;
  }

  overview(): Overview {
    const current = this.#current;
    return {
      ...(current === undefined ? {} : { snapshot: current.name, since: current.since }),
      ...(this.#counts === undefined ? {} : { counts: this.#counts }),
      sources: this.readiness().sources,
      problems: this.#problems,
    };
  }

  explain(request: Request, channel: Channel, snapshot = this.#current?.name): Promise<Explanation> {
    return this.#ask<Explanation>({
      type: 'explain',
      request,
      channel,
      ...(snapshot === undefined ? {} : { snapshot }),
    });
  }

  ask(question: Question): Promise<Answer> {
    return this.#ask<Answer>({ type: 'question', question });
  }

  /** What the thread was started to answer besides. */
  aside<T>(asked: unknown): Promise<T> {
    return this.#ask<T>({ type: 'aside', asked });
  }

  /** Reads everything again now. */
  read(): void {
    this.#thread?.postMessage({ type: 'read' } satisfies ToLoader);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#restart);
    this.#fail('the service ends');
    await this.#thread?.terminate();
  }

  #ask<T>(asking: Asking): Promise<T> {
    const thread = this.#thread;
    if (thread === undefined) return Promise.reject(new NotNow('the policies are being loaded again'));
    const id = ++this.#questions;
    const answered = new Promise<T>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
    });
    thread.postMessage({ ...asking, id });
    return answered;
  }

  #start(): void {
    const thread = this.#options.thread();
    this.#thread = thread;
    let why = 'the thread that reads policies ended';
    thread.on('message', (message: FromLoader) => this.#hear(message));
    thread.on('error', (error) => {
      why = `${why}: ${messageOf(error)}`;
    });
    thread.on('exit', () => this.#ended(why));
  }

  #ended(why: string): void {
    this.#thread = undefined;
    this.#fail(why);
    if (this.#closed) return;
    this.#settle?.reject(new Error(why));
    const pause = pauses[Math.min(this.#ends++, pauses.length - 1)]!;
    this.#options.log(`${why}; it is started again in ${pause} ms, and what was loaded goes on until then`);
    this.#restart = setTimeout(() => this.#start(), pause);
  }

  #fail(why: string): void {
    for (const { reject } of this.#waiting.values()) reject(new NotNow(why));
    this.#waiting.clear();
  }

  #hear(message: FromLoader): void {
    switch (message.type) {
      case 'set':
      case 'status':
      case 'refused':
        this.#queue = this.#queue.then(() => this.#news(message));
        return;
      case 'answer':
        this.#waiting.get(message.id)?.resolve(message.value as never);
        break;
      case 'not-now':
        this.#waiting.get(message.id)?.reject(new NotNow(message.message));
        break;
      case 'failed':
        this.#waiting.get(message.id)?.reject(failureOf(message));
        break;
    }
    this.#waiting.delete(message.id);
  }

  async #news(message: News): Promise<void> {
    if (this.#closed) return;
    if (message.type === 'status') return this.#status(message);
    if (message.type === 'refused') return this.#refused(message.violations);
    this.#current = await inTurns(snapshotOf(message, this.#current), (milliseconds) => {
      this.#paused = Math.max(this.#paused, milliseconds);
    });
    this.#counts = message.counts;
  }

  #status({ sources, problems, reload }: StatusMessage): void {
    this.#freshness.hear(sources);
    this.#problems = problems;
    this.#logSources(this.readiness().sources);
    const current = this.#current;
    if (reload === undefined || current === undefined) return;
    const first = this.#settle !== undefined;
    this.#ends = 0;
    this.#settle?.resolve();
    this.#settle = undefined;
    this.#options.reloaded?.({
      ...reload,
      snapshot: current.name,
      problems: problems.length,
      paused: this.#paused,
    });
    this.#paused = 0;
    for (const problem of problems) this.#options.log(formatViolation(problem));
    if (!first || problems.length > 0) this.#options.log(said[reload.outcome](current.name));
  }

  #refused(violations: readonly Violation[]): void {
    const refused = new RefusedPolicies(violations);
    this.#settle?.reject(refused);
    // The thread was started again, and has no last good version to fall back on; we have.
    this.#problems = violations;
    if (this.#settle === undefined) this.#options.log(refused.message);
    this.#settle = undefined;
  }
}

/** As it was in the thread. */
function failureOf({ message, stack }: Extract<FromLoader, { readonly type: 'failed' }>): Error {
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}

const said: Readonly<Record<Reloaded['outcome'], (snapshot: string) => string>> = {
  taken: (snapshot) => `the policies are those of snapshot ${snapshot} now`,
  partly: (snapshot) =>
    `the policies are those of snapshot ${snapshot} now, with the last good version of what is broken`,
  held: (snapshot) => `the policies stay those of snapshot ${snapshot}`,
};
