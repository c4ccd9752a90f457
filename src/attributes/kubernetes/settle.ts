import type { Fields } from '../../pdp/model/fields.ts';
import type { Place, Violation } from '../../pdp/model/violation.ts';
import type { KeptObject } from './kept-object.ts';

/** An object as a document: its place is itself. */
export interface ResourceDocument {
  readonly value: Fields;
  readonly file: string;
  place(): Place;
}

/** What is wrong with documents, taken together. Those of others may be among what it looks at. */
export type Check = (documents: readonly ResourceDocument[]) => readonly Violation[];

/**
 * What stands for an object that is wrong and was never right, while nobody knows what it was before: another value;
 * null, if it may be left out; undefined, if nothing can.
 */
export type StandIn = (value: Fields) => Fields | null | undefined;

export interface Entry {
  /** As the API server has it. */
  newest: KeptObject;
  /** As it last was in a set that was right. */
  good?: KeptObject;
  /** It was there when the kind was first seen: it may have been in force before we were. */
  readonly first: boolean;
}

/** What stands for an object. */
export type Stands = 'newest' | 'last good' | 'stand-in' | 'nothing';

/** What comes of that, for one that is broken. */
export const effects: Readonly<Record<Stands, string>> = {
  newest: 'nothing is decided before it is right',
  'last good': 'its last good state is in force',
  'stand-in': 'everything is denied in its namespace until it is right',
  nothing: 'it is not in force',
};

/** An object of which something else is in force than what it says. */
export interface BrokenObject {
  readonly name: string;
  /** Of itself; of others, where it went back with all that changed. */
  readonly violations: readonly Violation[];
  readonly stands: Stands;
  /** Of what it says, and of what is in force instead. */
  readonly version: string;
  readonly goodVersion?: string;
}

export interface Settled {
  readonly documents: readonly ResourceDocument[];
  readonly broken: readonly BrokenObject[];
  /** Whether the documents are right, taken together. If not they are as the API server has them, and refused whole. */
  readonly sound: boolean;
}

/** Each costs a look at everything; whatever changed and is still in somebody's way then stays out, all at once. */
const mostRounds = 8;

/**
 * A set that is right, nearest to what the API server has: what is wrong gives way to what it last was, and what
 * changed gives way before what is in force.
 */
export function settle(entries: Iterable<Entry>, check: Check, standIn: StandIn): Settled {
  const all = [...entries].map((entry) => new Standing(entry, standIn));
  for (let round = 1; ; round++) {
    // The first one that says something has it; so those that are in force come first.
    const order = all.toSorted(
      (a, b) =>
        Number(b.isInForce) - Number(a.isInForce) || a.created - b.created || (a.name < b.name ? -1 : 1),
    );
    const written = writtenOf(order);
    const documents = written.map(({ document }) => document);
    const found = Map.groupBy(check(documents), ({ place }) => place?.file ?? '');
    const wrong = new Map<Standing, readonly Violation[]>();
    for (const { document, of } of written)
      for (const one of of) if (found.has(document.file)) wrong.set(one, found.get(document.file) ?? []);
    const isStuck = written.some(({ of }) => of.every((one) => wrong.has(one) && one.isInForce));
    const may = isStuck || round >= mostRounds ? all : [...wrong.keys()];
    const yielding = may.filter((one) => one.canYield);
    if (yielding.length === 0) {
      const sound = found.size === 0;
      if (sound) for (const one of all) one.accept();
      return { documents, broken: all.flatMap((one) => one.broken(wrong.get(one))), sound };
    }
    const everything = [...found.values()].flat();
    for (const one of yielding) one.yield(wrong.get(one) ?? everything);
  }
}

/** A document, and the objects that it is made of. */
interface Written {
  readonly document: ResourceDocument;
  readonly of: readonly Standing[];
}

function writtenOf(order: readonly Standing[]): readonly Written[] {
  const there = order.filter(({ value }) => value !== undefined);
  const services = new Map<string, { own?: Standing; core?: Standing }>();
  for (const one of there) {
    const value = one.value as Fields;
    if (value['kind'] !== 'Service') continue;
    const known = services.get(placeOf(value)) ?? {};
    services.set(placeOf(value), { ...known, [isCore(value) ? 'core' : 'own']: one });
  }
  return there.flatMap((one) => {
    const value = one.value as Fields;
    const { own, core } = value['kind'] === 'Service' ? (services.get(placeOf(value)) ?? {}) : {};
    if (own === undefined || core === undefined)
      return [{ document: documentOf(one.name, value), of: [one] }];
    if (one === core) return [];
    const both = withLabels(value, core.value as Fields);
    return [{ document: documentOf(one.name, both), of: [own, core] }];
  });
}

/** A document that did not change is the same one, so that others can tell. */
const known = new WeakMap<Fields, ResourceDocument>();

function documentOf(file: string, value: Fields): ResourceDocument {
  const document = known.get(value) ?? { value, file, place: () => ({ file, line: 0, column: 0 }) };
  known.set(value, document);
  return document;
}

interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Fields;
}

function placeOf({ metadata }: Fields): string {
  const { namespace, name } = metadata as Metadata;
  return `${namespace}/${name}`;
}

function isCore({ apiVersion }: Fields): boolean {
  return apiVersion === 'v1';
}

const joined = new WeakMap<Fields, { readonly core: Fields; readonly value: Fields }>();

/** A Service of Kubernetes of which a document of ours says more is one service with it, and has the labels of both. */
function withLabels(own: Fields, core: Fields): Fields {
  const before = joined.get(own);
  if (before?.core === core) return before.value;
  const metadata = own['metadata'] as Metadata;
  const labels = { ...(core['metadata'] as Metadata).labels, ...metadata.labels };
  const value = { ...own, metadata: { ...metadata, labels } };
  joined.set(own, { core, value });
  return value;
}

const standIns = new WeakMap<Fields, Fields>();

function steady(standIn: StandIn, value: Fields): Fields | null | undefined {
  const found = standIns.get(value) ?? standIn(value);
  if (found !== null && found !== undefined) standIns.set(value, found);
  return found;
}

class Standing {
  readonly name: string;
  readonly created: number;
  readonly #entry: Entry;
  readonly #standIn: Fields | null | undefined;
  #stands: Stands = 'newest';
  #isInForce: boolean;
  #why: readonly Violation[] = [];

  constructor(entry: Entry, standIn: StandIn) {
    this.#entry = entry;
    this.name = entry.newest.name;
    this.created = entry.newest.created;
    this.#standIn = entry.first && entry.good === undefined ? steady(standIn, entry.newest.value) : null;
    this.#isInForce = entry.good?.text === entry.newest.text;
  }

  get value(): Fields | undefined {
    const { newest, good } = this.#entry;
    if (this.#stands === 'newest') return newest.value;
    if (this.#stands === 'last good') return good?.value;
    return this.#stands === 'stand-in' ? (this.#standIn ?? undefined) : undefined;
  }

  get isInForce(): boolean {
    return this.#isInForce;
  }

  get canYield(): boolean {
    return this.#stands === 'newest' && !this.#isInForce && this.#standIn !== undefined;
  }

  yield(why: readonly Violation[]): void {
    this.#why = why;
    this.#isInForce = this.#entry.good !== undefined;
    if (this.#isInForce) this.#stands = 'last good';
    else this.#stands = this.#standIn === null ? 'nothing' : 'stand-in';
  }

  accept(): void {
    if (this.#stands === 'newest') this.#entry.good = this.#entry.newest;
  }

  /** `wrong`: what is wrong with what stands for it in the end. */
  broken(wrong: readonly Violation[] | undefined): readonly BrokenObject[] {
    const { newest, good } = this.#entry;
    if (this.#stands === 'newest' && wrong === undefined) return [];
    return [
      {
        name: this.name,
        violations: wrong ?? this.#why,
        stands: this.#stands,
        version: newest.version,
        ...(good === undefined ? {} : { goodVersion: good.version }),
      },
    ];
  }
}
