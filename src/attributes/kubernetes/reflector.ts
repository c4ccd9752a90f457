import { messageOf } from '../../pdp/model/text.ts';
import { Backoff, sleep } from '../backoff.ts';
import { ApiError, mostBytes, readAnswer, readEvents, TooLarge, type WatchEvent } from './answers.ts';
import type { Api } from './client.ts';
import { isBehind } from './versions.ts';

/** What becomes of the objects of one resource. */
export interface Sink<T> {
  /** Keeps what is needed of an object; undefined if it is not the kind of thing that is wanted. */
  read(object: unknown): T | undefined;
  /** All that there is. */
  replace(items: readonly T[]): void;
  set(item: T): void;
  /** As it was when it went. */
  delete(item: T): void;
}

export interface ReflectorOptions {
  readonly pageSize?: number;
  /** A page of more is asked for in smaller ones. */
  readonly pageBytes?: number;
  /** How often the whole is listed again, whatever the watch says. Milliseconds. */
  readonly reconcile?: number;
  /** How often the server is asked how far it is. Milliseconds. */
  readonly probe?: number;
  /** How long a watch may not come to where the server said it is; the server marks its place once a minute. */
  readonly silence?: number;
  /** After how long the server is asked to end a watch; its end is a thing of every day. Milliseconds. */
  readonly watch?: number;
  /** How long it is waited at most before the next try. Milliseconds. */
  readonly retry?: number;
}

export interface ReflectorStatus {
  readonly path: string;
  /** Whether the whole has been seen. */
  readonly synced: boolean;
  /** Monotonic time, as `performance.now()` has it, at which this was last known to be all there is. */
  readonly freshAt: number | undefined;
  readonly lists: number;
  readonly watches: number;
  /** Why it does not go on now. */
  readonly error: string | undefined;
}

const defaults = {
  pageSize: 500,
  pageBytes: mostBytes,
  reconcile: 10 * 60_000,
  probe: 10_000,
  silence: 150_000,
  watch: 300_000,
  retry: 30_000,
} as const;

/** A watch that ends sooner did no good, and in less no server comes back with another store. Milliseconds. */
const shortest = 1_000;

/** The server's cache no longer reaches back to where the watch was. */
const gone = 410;
/** The server has too much to do; it says nothing of where we are. */
const tooMany = 429;

/**
 * Keeps a sink as a resource of the API server is: a list in pages, then a watch from there on, for ever. It does
 * not believe a watch alone: a store that was restored to an older state would leave it quiet and wrong, so the
 * server is asked from time to time how far it is, and everything is listed again now and then.
 */
export class Reflector<T> {
  readonly #api: Api;
  readonly #path: string;
  readonly #sink: Sink<T>;
  readonly #options: Required<ReflectorOptions>;
  readonly #backoff: Backoff;
  readonly #end = new AbortController();
  /** How many objects a page may have that is not too large, as far as is known. */
  #pageSize: number;
  #version = '';
  #synced = false;
  #freshAt: number | undefined;
  #listedAt = 0;
  #lists = 0;
  #watches = 0;
  #error: string | undefined;
  /** Where the server said it is, and when; the watch has not come that far yet. */
  #ahead: { readonly version: string; readonly at: number }[] = [];

  constructor(api: Api, path: string, sink: Sink<T>, options: ReflectorOptions = {}) {
    this.#api = api;
    this.#path = path;
    this.#sink = sink;
    this.#options = { ...defaults, ...options };
    this.#backoff = new Backoff(this.#options.retry);
    this.#pageSize = this.#options.pageSize;
  }

  get status(): ReflectorStatus {
    return {
      path: this.#path,
      synced: this.#synced,
      freshAt: this.#freshAt,
      lists: this.#lists,
      watches: this.#watches,
      error: this.#error,
    };
  }

  close(): void {
    this.#end.abort();
  }

  /** Runs until it is closed, and never throws. */
  async run(): Promise<void> {
    const { signal } = this.#end;
    let listed = false;
    while (!signal.aborted) {
      try {
        if (!listed || performance.now() - this.#listedAt >= this.#options.reconcile) await this.#list();
        listed = true;
        const start = performance.now();
        listed = await this.#watch();
        const did = performance.now() - start >= shortest;
        if (did) this.#backoff.reset();
        // A server that ends watches as soon as they begin, or cuts them, is not asked again without a pause.
        if (this.#error !== undefined || !did) {
          const wait = this.#backoff.next();
          await sleep(wait, signal);
          // It may have been away meanwhile, and nobody asked.
          if (wait > shortest) listed = false;
        }
      } catch (error) {
        if (signal.aborted) return;
        // A server that was away may have come back with another store, further on than we are: nothing but a list
        // would tell.
        listed = listed && error instanceof ApiError && error.status === tooMany;
        this.#error = messageOf(error);
        await sleep(this.#backoff.next(error instanceof ApiError ? error.retryAfter : 0), signal);
      }
    }
  }

  async #list(): Promise<void> {
    const start = performance.now();
    const items: T[] = [];
    let next = '';
    let version = '';
    do {
      const page = await this.#page(next);
      for (const object of page.items ?? []) {
        const item = this.#sink.read(object);
        if (item !== undefined) items.push(item);
      }
      version = page.metadata?.resourceVersion ?? '';
      next = page.metadata?.continue ?? '';
    } while (next !== '');
    this.#sink.replace(items);
    this.#version = version;
    this.#synced = true;
    this.#lists++;
    this.#listedAt = start;
    this.#ahead = [];
    this.#freshAt = start;
    this.#error = undefined;
    this.#pageSize = Math.min(this.#options.pageSize, this.#pageSize * 2);
  }

  /** Whoever may store objects decides how large they are; one alone is never too large, since no store takes it. */
  async #page(next: string): Promise<Page> {
    for (;;) {
      const from = next === '' ? {} : { continue: next };
      try {
        const query = new URLSearchParams({ limit: String(this.#pageSize), ...from });
        return await this.#get(query, this.#end.signal);
      } catch (error) {
        if (!(error instanceof TooLarge) || this.#pageSize === 1) throw error;
        this.#pageSize = this.#pageSize >> 1;
      }
    }
  }

  async #get(query: URLSearchParams, signal: AbortSignal): Promise<Page> {
    const response = await this.#api.send(`${this.#path}?${query}`, { signal });
    return (await readAnswer(response, this.#options.pageBytes)) as Page;
  }

  /** Whether it may be taken up again where it ended. */
  async #watch(): Promise<boolean> {
    this.#watches++;
    const over = new AbortController();
    const stop = (): void => over.abort();
    this.#end.signal.addEventListener('abort', stop);
    const probe = this.#probe(over);
    let answered = false;
    try {
      const query = new URLSearchParams({
        watch: '1',
        resourceVersion: this.#version,
        allowWatchBookmarks: 'true',
        timeoutSeconds: String(Math.ceil(this.#options.watch / 1_000)),
      });
      const response = await this.#api.send(`${this.#path}?${query}`, { signal: over.signal, quiet: true });
      answered = true;
      for await (const event of readEvents(response)) {
        if (!this.#take(event)) return false;
        if (performance.now() - this.#listedAt >= this.#options.reconcile) return false;
      }
      this.#error = undefined;
      return true;
    } catch (error) {
      const { reason } = over.signal;
      if (reason === putBack) return false;
      if (reason !== silent && !(answered && isCut(error))) throw error;
      this.#error = reason === silent ? silent.description : messageOf(error);
      return true;
    } finally {
      over.abort();
      this.#end.signal.removeEventListener('abort', stop);
      await probe;
    }
  }

  /** Whether the watch may go on. */
  #take({ type, object }: WatchEvent): boolean {
    if (type === 'ERROR') {
      const { code, message } = object as { code?: number; message?: string };
      if (code === gone) return false;
      throw new ApiError(code ?? 0, message ?? 'the watch ended with an error');
    }
    const version = (object as Page).metadata?.resourceVersion;
    if (type !== 'BOOKMARK') {
      const item = this.#sink.read(object);
      if (item !== undefined && type === 'DELETED') this.#sink.delete(item);
      else if (item !== undefined) this.#sink.set(item);
    }
    if (version !== undefined) this.#comeTo(version);
    this.#backoff.reset();
    this.#error = undefined;
    return true;
  }

  #comeTo(version: string): void {
    this.#version = version;
    for (
      let [next] = this.#ahead;
      next !== undefined && !isBehind(version, next.version);
      [next] = this.#ahead
    ) {
      this.#freshAt = next.at;
      this.#ahead.shift();
    }
  }

  /**
   * While a watch runs: how far the server is, by a list of one. If that is behind us its store was put back; if
   * the watch does not come to it the connection is dead without knowing it.
   */
  async #probe(over: AbortController): Promise<void> {
    for (;;) {
      await sleep(this.#options.probe, over.signal);
      if (over.signal.aborted) return;
      const at = performance.now();
      // What it answers is at least as new as what it had told us when it was asked; later events may be newer.
      const before = this.#version;
      try {
        const page = await this.#get(new URLSearchParams({ limit: '1' }), over.signal);
        const version = page.metadata?.resourceVersion ?? '';
        if (isBehind(version, before)) return over.abort(putBack);
        if (isBehind(this.#version, version)) this.#ahead.push({ version, at });
        else this.#freshAt = at;
        this.#error = undefined;
      } catch (error) {
        if (over.signal.aborted) return;
        this.#error = messageOf(error);
      }
      const [oldest] = this.#ahead;
      if (oldest !== undefined && at - oldest.at > this.#options.silence) {
        this.#ahead = [];
        return over.abort(silent);
      }
    }
  }
}

/** Why a probe ends a watch. */
const putBack = Symbol('the store was put back to an older state');
const silent = Symbol('the watch does not come to where the server is');

interface Page {
  readonly items?: readonly unknown[];
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
}

/** Whether the connection went, and not what came over it was wrong: errors of the system have a code. */
function isCut(error: unknown): boolean {
  return error instanceof Error && 'code' in error;
}
