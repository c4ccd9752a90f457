import type { KeptObject } from './kept-object.ts';
import type { Entry } from './standing.ts';

/** The objects of one kind, each with what it last was when it was right. Says whether what they say has changed. */
export class Entries {
  readonly #entries = new Map<string, Entry>();
  #seen = false;

  get size(): number {
    return this.#entries.size;
  }

  values(): Iterable<Entry> {
    return this.#entries.values();
  }

  /** All that there is. */
  replace(objects: readonly KeptObject[]): boolean {
    const names = new Set(objects.map(({ name }) => name));
    let changed = false;
    for (const name of this.#entries.keys())
      if (!names.has(name)) changed = this.#entries.delete(name) || changed;
    for (const object of objects) changed = this.#put(object, !this.#seen) || changed;
    this.#seen = true;
    return changed;
  }

  set(object: KeptObject): boolean {
    return this.#put(object, false);
  }

  delete({ name, uid }: KeptObject): boolean {
    return this.#entries.get(name)?.newest.uid === uid && this.#entries.delete(name);
  }

  /** What another object of the name was says nothing of this one. */
  #put(newest: KeptObject, first: boolean): boolean {
    const known = this.#entries.get(newest.name);
    if (known === undefined || known.newest.uid !== newest.uid) {
      this.#entries.set(newest.name, { newest, first });
      return true;
    }
    const changed = known.newest.text !== newest.text;
    // What says the same is the same.
    known.newest = changed ? newest : { ...newest, value: known.newest.value };
    return changed;
  }
}
