import type { Fields } from '../../pdp/model/fields.ts';
import type { Violation } from '../../pdp/model/violation.ts';
import type { KeptObject } from './kept-object.ts';

/**
 * What stands for an object that is wrong and was never right, while nobody knows what it was before: another value,
 * which counts once if it is that of several; null, if it may be left out; undefined, if nothing can.
 */
export type StandIn = (value: Fields) => Fields | null | undefined;

export interface Entry {
  /** As the API server has it. */
  newest: KeptObject;
  /** As it last was in a set that was right. */
  good?: KeptObject;
  /** It was there when the kind was first seen: it may have been in force before we were. */
  readonly first: boolean;
  /** What it said when it last was not in force. */
  refused?: string;
}

/** What stands for an object. */
export type Stands = 'newest' | 'last good' | 'stand-in' | 'nothing';

/** What comes of that, for one that is broken. */
export const effects: Readonly<Record<Stands, string>> = {
  newest: 'before it is right no change is in force, and soon nothing is decided',
  'last good': 'its last good state is in force',
  'stand-in': 'everything is denied in its namespace until it is right',
  nothing: 'it is not in force',
};

/** An object of which something else is in force than what it says. */
export interface BrokenObject {
  readonly name: string;
  /** Of itself; of others, where they are wrong with it alone. */
  readonly violations: readonly Violation[];
  readonly stands: Stands;
  /** Of what it says, and of what is in force instead. */
  readonly version: string;
  readonly goodVersion?: string;
}

const standIns = new WeakMap<Fields, Fields>();

function steady(standIn: StandIn, value: Fields): Fields | null | undefined {
  const found = standIns.get(value) ?? standIn(value);
  if (found !== null && found !== undefined) standIns.set(value, found);
  return found;
}

/** An object while it is looked for what can be in force of it. */
export class Standing {
  readonly name: string;
  readonly created: number;
  readonly #entry: Entry;
  #standIn: Fields | null | undefined;
  readonly #isSame: boolean;
  #stands: Stands = 'newest';
  #why: readonly Violation[] = [];

  constructor(entry: Entry, standIn: StandIn) {
    this.#entry = entry;
    this.name = entry.newest.name;
    this.created = entry.newest.created;
    this.#standIn = entry.first && entry.good === undefined ? steady(standIn, entry.newest.value) : null;
    this.#isSame = entry.good?.text === entry.newest.text;
  }

  get newest(): Fields {
    return this.#entry.newest.value;
  }

  get value(): Fields | undefined {
    const { newest, good } = this.#entry;
    if (this.#stands === 'newest') return newest.value;
    if (this.#stands === 'last good') return good?.value;
    return this.#stands === 'stand-in' ? (this.#standIn ?? undefined) : undefined;
  }

  get isStandIn(): boolean {
    return this.#stands === 'stand-in';
  }

  get isInForce(): boolean {
    return this.#stands === 'last good' || (this.#stands === 'newest' && this.#isSame);
  }

  /** Whether it has changed, and there is something that can stand for it. */
  get hasOther(): boolean {
    return !this.#isSame && this.#standIn !== undefined;
  }

  get hasYielded(): boolean {
    return this.#stands !== 'newest';
  }

  /** As it is now it was not in force before. */
  get wasRefused(): boolean {
    return this.#entry.refused === this.#entry.newest.text;
  }

  yield(why: readonly Violation[]): void {
    this.#why = why;
    if (this.#entry.good !== undefined) this.#stands = 'last good';
    else this.#stands = this.#standIn === null ? 'nothing' : 'stand-in';
  }

  /** Not even what it last was is right any more. Whether something can stand for it. */
  giveUp(why: readonly Violation[], standIn: StandIn): boolean {
    const found = this.isInForce && this.value !== undefined ? steady(standIn, this.value) : undefined;
    if (found === undefined) return false;
    this.#standIn = found;
    this.#why = why;
    this.#stands = found === null ? 'nothing' : 'stand-in';
    return true;
  }

  /** It is tried again. */
  resume(): void {
    this.#stands = 'newest';
  }

  /** The set is right with what stands for it. */
  accept(): void {
    if (this.#stands !== 'newest') this.#entry.refused = this.#entry.newest.text;
    else {
      this.#entry.good = this.#entry.newest;
      delete this.#entry.refused;
    }
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
