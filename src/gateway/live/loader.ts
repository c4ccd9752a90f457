import { createHash } from 'node:crypto';
import { serialize } from 'node:v8';
import type { MessagePort } from 'node:worker_threads';
import { explain } from '../../pdp/explain.ts';
import { compile } from '../../pdp/index/compile.ts';
import { neverPresent } from '../../pdp/model/aliases.ts';
import type { Violation } from '../../pdp/model/violation.ts';
import type { Loaded } from '../../policy/load.ts';
import { answer } from '../inspect/answers.ts';
import { type GoodSet, LastGood, type Taken } from './last-good.ts';
import { buffersOf, type FromLoader, type SetMessage, type ToLoader } from './messages.ts';
import { NotNow } from './not-now.ts';
import type { Counts } from './overview.ts';
import { placesOf } from './places.ts';
import { Quiet } from './quiet.ts';
import type { Source } from './source.ts';

export interface LoaderOptions {
  /** How often everything is read again, whatever was told. Milliseconds. */
  readonly rescan?: number;
  /** How long nothing may happen before it is read, and how long that may be put off. */
  readonly quiet?: number;
  readonly longest?: number;
  /** How often it is said how things stand. */
  readonly beat?: number;
}

const defaults = { rescan: 30_000, quiet: 50, longest: 2_000, beat: 5_000 } as const;

/** The set before may still be asked about: who decided with it asks a moment later why. */
const kept = 2;

/** More of them help nobody, and each is sent and shown. */
const mostProblems = 100;

/** Answers what is asked besides, by the newest set. */
export type Aside = (asked: unknown, loaded: Loaded) => unknown;

/** Keeps what decides as the sources are. It has the documents; what they compile to goes to the other end. */
export class Loader {
  readonly #port: MessagePort;
  readonly #sources: readonly Source[];
  readonly #aside: Aside;
  readonly #lastGood = new LastGood();
  readonly #sets: GoodSet[] = [];
  readonly #quiet: Quiet;
  readonly #timers: readonly NodeJS.Timeout[];
  #inventory = '';

  constructor(
    port: MessagePort,
    sources: readonly Source[],
    options: LoaderOptions = {},
    aside: Aside = () => undefined,
  ) {
    const { rescan, quiet, longest, beat } = { ...defaults, ...options };
    this.#port = port;
    this.#sources = sources;
    this.#aside = aside;
    this.#quiet = new Quiet(quiet, longest, () => this.#read());
    for (const source of sources) source.onChange(() => this.#quiet.disturb());
    port.on('message', (message: ToLoader) => this.#hear(message));
    this.#timers = [
      setInterval(() => this.#quiet.disturb(), rescan),
      setInterval(() => this.#status(), beat),
    ];
    this.#read();
  }

  #hear(message: ToLoader): void {
    switch (message.type) {
      case 'read':
        return this.#read();
      case 'close':
        return this.#close();
      case 'question':
        return this.#answer(message.id, () =>
          answer(message.question, { ...this.#newest(), wrong: this.#wrong() }),
        );
      case 'aside':
        return this.#answer(message.id, () => this.#aside(message.asked, this.#newest().loaded));
      case 'explain':
        return this.#answer(message.id, () => {
          const { request, channel, snapshot } = message;
          const asked = this.#sets.find(({ loaded }) => loaded.snapshot === snapshot) ?? this.#newest();
          const { rules, inventory, snapshot: name } = asked.loaded;
          return explain(rules, inventory, name, request, channel);
        });
    }
  }

  #newest(): GoodSet {
    const [newest] = this.#sets;
    if (newest === undefined) throw new NotNow('nothing was read yet');
    return newest;
  }

  #wrong(): readonly Violation[] {
    return [...this.#problems, ...this.#sources.flatMap((source) => source.wrong?.() ?? [])];
  }

  #answer(id: number, make: () => unknown): void {
    try {
      this.#send({ type: 'answer', id, value: make() });
    } catch (error) {
      this.#send(failureOf(id, error));
    }
  }

  #read(): void {
    const start = performance.now();
    const readings = this.#sources.map((source) => source.read());
    if (readings.some((units) => units === undefined)) return this.#status();
    const taken = this.#lastGood.take(readings.flatMap((units) => units ?? []));
    if (taken.outcome === 'same') return this.#status(taken.problems);
    if (taken.outcome === 'refused') return this.#send({ type: 'refused', violations: taken.problems });
    if (taken.set !== undefined) this.#take(taken.set);
    this.#status(taken.problems, { outcome: taken.outcome, milliseconds: performance.now() - start });
  }

  #take(set: GoodSet): void {
    const [before] = this.#sets;
    if (before !== undefined && isSame(before, set)) return;
    const { rules, inventory, snapshot } = set.loaded;
    const bytes = new Uint8Array(serialize(inventory));
    const digest = createHash('sha256').update(bytes).digest('base64');
    const message: SetMessage = {
      type: 'set',
      name: snapshot,
      compiled: compile(rules, inventory.site.floor, neverPresent),
      places: placesOf(rules, set.documents),
      ...(digest === this.#inventory ? {} : { inventory: bytes }),
      counts: countsOf(set),
    };
    this.#inventory = digest;
    this.#sets.unshift(set);
    this.#sets.length = Math.min(kept, this.#sets.length);
    this.#port.postMessage(message, [...buffersOf(message)]);
  }

  #problems: readonly Violation[] = [];

  #status(problems: Taken['problems'] = this.#problems, reload?: StatusReload): void {
    this.#problems = problems;
    const more = problems.length - mostProblems;
    this.#send({
      type: 'status',
      sources: this.#sources.map((source) => ({ name: source.name, ...source.report() })),
      problems: more <= 0 ? problems : [...problems.slice(0, mostProblems), notListed(more)],
      ...(reload === undefined ? {} : { reload }),
    });
  }

  #send(message: FromLoader): void {
    this.#port.postMessage(message);
  }

  #close(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#quiet.close();
    for (const source of this.#sources) source.close();
    this.#port.close();
  }
}

function failureOf(id: number, error: unknown): FromLoader {
  if (error instanceof NotNow) return { type: 'not-now', id, message: error.message };
  if (!(error instanceof Error)) return { type: 'failed', id, message: String(error) };
  const { message, stack } = error;
  return { type: 'failed', id, message, ...(stack === undefined ? {} : { stack }) };
}

type StatusReload = Extract<FromLoader, { type: 'status' }>['reload'];

/** The same documents give the same rules at the same places. */
function isSame(before: GoodSet, after: GoodSet): boolean {
  return (
    before.documents.length === after.documents.length &&
    before.documents.every((document, i) => document === after.documents[i])
  );
}

function countsOf({ documents, loaded: { inventory, policies, targeted, rules } }: GoodSet): Counts {
  const names = new Set([...policies.map(({ document, path }) => `${document} ${path.join(' ')}`)]);
  for (const { head } of targeted) names.add(`${head.document} ${head.specPath.join(' ')}`);
  return {
    documents: documents.length,
    policies: names.size,
    rules: rules.length,
    meshes: inventory.meshes.size,
    dataplanes: inventory.dataplanes.size,
    services: inventory.services.size,
    workloads: inventory.workloads.length,
  };
}

function notListed(more: number): Violation {
  return { path: [], code: 'limit', message: `got ${more} more problems, which are not listed` };
}
