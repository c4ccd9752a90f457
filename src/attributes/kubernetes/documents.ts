import { Backoff, sleep } from '../backoff.ts';
import type { Api } from './client.ts';
import { type Existence, findKinds } from './discovery.ts';
import { Entries } from './entries.ts';
import { type KeptObject, keptObject, wordFor } from './kept-object.ts';
import { Reflector, type ReflectorOptions, type ReflectorStatus } from './reflector.ts';
import { pathOf, type ResourceKind } from './resource-kind.ts';
import { type Check, type Settled, settle } from './settle.ts';
import type { BrokenObject, StandIn } from './standing.ts';
import type { ResourceDocument } from './written.ts';

export interface DocumentsOptions extends ReflectorOptions {
  /** What is wrong with documents. Not given: nothing ever is. */
  readonly check?: Check;
  readonly standIn?: StandIn;
  /** How often kinds that are not there are looked for again. Milliseconds. */
  readonly lookAgain?: number;
  /** What the documents are, or whether all of them have been seen, has changed. */
  readonly onChange?: () => void;
}

/** How one kind does. */
export interface KindStatus {
  readonly apiVersion: string;
  readonly kind: string;
  readonly state: 'followed' | Exclude<Existence['is'], 'served'>;
  readonly objects: number;
  /** Of one that is followed. */
  readonly reflector?: ReflectorStatus;
  /** Why it is not followed, or does not go on; not given before it was looked for. */
  readonly why?: string;
}

export interface DocumentsStatus {
  readonly synced: boolean;
  readonly sound: boolean;
  readonly kinds: readonly KindStatus[];
  readonly broken: readonly BrokenObject[];
}

interface Followed {
  readonly entries: Entries;
  readonly reflector: Reflector<KeptObject>;
  readonly running: Promise<void>;
}

const defaultLookAgain = 30_000;

/**
 * Policies and what they are about, as objects of the API server. Of each the last state is kept in which the whole
 * was right, so that a mistake in one changes nothing of what runs.
 */
export class KubernetesDocuments {
  readonly #api: Api;
  readonly #kinds: readonly ResourceKind[];
  readonly #options: DocumentsOptions;
  readonly #end = new AbortController();
  readonly #followed = new Map<ResourceKind, Followed>();
  readonly #existence = new Map<ResourceKind, Existence>();
  /** Of what was not there for sure, when that was said last: what is not sure any more counts until it is too old. */
  readonly #missingAt = new Map<ResourceKind, number>();
  #settled: Settled = { documents: [], broken: [], sound: true };
  #isUnsettled = true;
  /** Since when the set is not sound. */
  #unsoundAt = Number.POSITIVE_INFINITY;
  #toldSynced = false;
  #isNews = false;
  #telling = false;

  constructor(api: Api, kinds: readonly ResourceKind[], options: DocumentsOptions = {}) {
    this.#api = api;
    this.#kinds = kinds;
    this.#options = options;
  }

  /** Runs until it is closed. */
  async run(): Promise<void> {
    const { signal } = this.#end;
    const backoff = new Backoff(this.#options.retry);
    const { lookAgain = defaultLookAgain } = this.#options;
    while (!signal.aborted) {
      await this.#look(signal);
      // What is unknown keeps everybody waiting.
      const isUnknown = [...this.#existence].some(
        ([kind, { is }]) => is === 'unknown' && !this.#followed.has(kind),
      );
      if (!isUnknown) backoff.reset();
      await sleep(isUnknown ? Math.min(backoff.next(), lookAgain) : lookAgain, signal);
    }
    await Promise.all([...this.#followed.values()].map(({ running }) => running));
  }

  close(): void {
    this.#end.abort();
    for (const { reflector } of this.#followed.values()) reflector.close();
  }

  /** Whether every kind has been seen whole, or is known not to be there. */
  get synced(): boolean {
    return this.#kinds.every(
      (kind) => this.#followed.get(kind)?.reflector.status.synced ?? this.#missingAt.has(kind),
    );
  }

  /**
   * How old what is known is, by a clock that nobody sets; undefined until all of it has been seen. Whoever decides
   * goes on with an older set while the newest is not sound.
   */
  age(): number | undefined {
    if (!this.synced) return undefined;
    this.#settle();
    const times = [...this.#followed.values()].map(({ reflector }) => reflector.status.freshAt ?? 0);
    return performance.now() - Math.min(...times, ...this.#missingAt.values(), this.#unsoundAt);
  }

  /**
   * In an order that does not depend on what came when, as they were when all had been seen. To be loaded together, and
   * whole or not at all.
   */
  documents(): readonly ResourceDocument[] {
    return this.#settle().documents;
  }

  get status(): DocumentsStatus {
    const { broken, sound } = this.#settle();
    return { synced: this.synced, sound, kinds: this.#kinds.map((kind) => this.#statusOf(kind)), broken };
  }

  #statusOf(kind: ResourceKind): KindStatus {
    const { apiVersion } = kind;
    const named = { apiVersion, kind: kind.kind };
    const followed = this.#followed.get(kind);
    const existence = this.#existence.get(kind);
    if (followed !== undefined) {
      const reflector = followed.reflector.status;
      const { error } = reflector;
      // An error may be what comes of another version being served, and then that is why.
      const isElsewhere = existence?.is === 'unknown' && existence.versions !== undefined;
      const why = error === undefined ? {} : { why: isElsewhere ? existence.why : error };
      return { ...named, state: 'followed', objects: followed.entries.size, reflector, ...why };
    }
    if (existence === undefined || existence.is === 'served')
      return { ...named, state: 'unknown', objects: 0 };
    return { ...named, state: existence.is, objects: 0, why: existence.why };
  }

  /** Of all that there is, or not anew: what came first would be in force, and the rest have to go with it. */
  #settle(): Settled {
    if (!this.#isUnsettled || !this.synced) return this.#settled;
    const entries = [...this.#followed.values()].flatMap(({ entries }) => [...entries.values()]);
    const { check = () => [], standIn = () => undefined } = this.#options;
    const { documents, broken, sound } = settle(entries, check, standIn);
    this.#unsoundAt = sound ? Number.POSITIVE_INFINITY : Math.min(this.#unsoundAt, performance.now());
    this.#isUnsettled = false;
    this.#settled = {
      sound,
      documents: documents.toSorted((a, b) => (a.file < b.file ? -1 : 1)),
      broken: broken.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    };
    return this.#settled;
  }

  /** Follows what is there now, and no longer what has gone, with its definition, and so with all objects of it. */
  async #look(signal: AbortSignal): Promise<void> {
    const doubtful = this.#kinds.filter(
      (kind) => this.#followed.get(kind)?.reflector.status.error !== undefined,
    );
    const rest = this.#kinds.filter((kind) => !this.#followed.has(kind));
    const at = performance.now();
    const found = await findKinds(this.#api, [...rest, ...doubtful], signal);
    if (signal.aborted) return;
    for (const [kind, existence] of found) {
      const followed = this.#followed.get(kind);
      this.#existence.set(kind, existence);
      if (followed === undefined && existence.is === 'served') this.#follow(kind);
      if (existence.is !== 'missing') continue;
      if (followed !== undefined) this.#leave(kind, followed);
      this.#missingAt.set(kind, at);
    }
    this.#changed(false);
  }

  #leave(kind: ResourceKind, { reflector }: Followed): void {
    reflector.close();
    this.#followed.delete(kind);
    this.#changed(true);
  }

  #follow(kind: ResourceKind): void {
    this.#missingAt.delete(kind);
    const word = wordFor(kind, this.#kinds);
    const entries = new Entries();
    const sink = {
      read: (object: unknown) => keptObject(object, kind, word),
      replace: (objects: readonly KeptObject[]) => this.#changed(entries.replace(objects)),
      set: (object: KeptObject) => this.#changed(entries.set(object)),
      delete: (object: KeptObject) => this.#changed(entries.delete(object)),
    };
    const reflector = new Reflector(this.#api, pathOf(kind), sink, this.#options);
    this.#followed.set(kind, { entries, reflector, running: reflector.run() });
  }

  /** Many things change at once; whoever listens is told once, when all that came together has been taken in. */
  #changed(documents: boolean): void {
    if (documents) {
      this.#isUnsettled = true;
      this.#isNews = true;
    }
    if (this.#telling) return;
    this.#telling = true;
    setImmediate(() => {
      this.#telling = false;
      const { synced } = this;
      const isNews = this.#isNews || synced !== this.#toldSynced;
      this.#toldSynced = synced;
      this.#isNews = false;
      if (isNews && !this.#end.signal.aborted) this.#options.onChange?.();
    });
  }
}
