import { pushTo } from '../../pdp/model/lists.ts';
import { any, nameOf } from './expression.ts';
import { implies } from './implies.ts';
import type { Item, Key } from './items.ts';

/**
 * Leaves out what decides nothing: an item is covered if another one, of its own tier or of one before it, holds
 * wherever it does. What stands in one world only keeps its name and stays. Verdicts are the same in both worlds.
 */
export function minimised(tiers: readonly (readonly Item[])[]): readonly (readonly Item[])[] {
  const before = new Covers();
  return tiers.map((items) => {
    const own = new Covers();
    own.addAll(items);
    const kept = items.filter(
      (item) => item.clause.shadowy || !(before.covers(item) || own.coversAnother(item)),
    );
    before.addAll(kept);
    return merged(kept);
  });
}

/** Items of one key and one name are one, with one rest or the other. */
function merged(items: readonly Item[]): readonly Item[] {
  const byName = new Map<string, Item[]>();
  for (const item of items) {
    const { key, clause } = item;
    const name = key === undefined ? '' : `${key.match} ${key.value}`;
    pushTo(byName, `${clause.name}\n${name}`, item);
  }
  return [...byName.values()].map(([first, ...more]) => {
    const item = first as Item;
    return more.length === 0 ? item : { ...item, rest: any([item.rest, ...more.map(({ rest }) => rest)]) };
  });
}

/** Items of one key. However many there are, only a few are looked at. */
class Bucket {
  /** By what else they ask: the one of the smallest rank. */
  readonly #byRest = new Map<string, Item>();
  readonly #some: Item[] = [];

  add(item: Item): void {
    const name = nameOf(item.rest);
    const same = this.#byRest.get(name);
    if (same === undefined || isBefore(item, same)) this.#byRest.set(name, item);
    if (this.#some.length < mostCompared) this.#some.push(item);
  }

  find(item: Item, fits: (other: Item) => boolean): boolean {
    for (const name of ['true', nameOf(item.rest)]) {
      const other = this.#byRest.get(name);
      if (other !== undefined && fits(other)) return true;
    }
    return this.#some.some(fits);
  }
}

const mostCompared = 32;

/** Prefixes of one ID that are looked at, the shortest first, and lengths that prefixes have: IDs are long. */
const mostNested = 32;
const mostLengths = 256;

/** Items by their keys, so that those which could cover another one are found by its text. */
class Covers {
  readonly #exact = new Map<string, Bucket>();
  readonly #prefixes = new Map<string, Bucket>();
  readonly #everywhere = new Bucket();
  #lengths: readonly number[] = [];

  addAll(items: readonly Item[]): void {
    for (const item of items) this.#bucket(item.key).add(item);
    const lengths = new Set([...this.#prefixes.keys()].map((prefix) => prefix.length));
    this.#lengths = [...lengths].sort((a, b) => a - b).slice(0, mostLengths);
  }

  #bucket(key: Key | undefined): Bucket {
    if (key === undefined) return this.#everywhere;
    const map = key.match === 'exact' ? this.#exact : this.#prefixes;
    let bucket = map.get(key.value);
    if (bucket === undefined) {
      bucket = new Bucket();
      map.set(key.value, bucket);
    }
    return bucket;
  }

  covers(item: Item): boolean {
    return this.#find(item, (other) => implies(item.rest, other.rest));
  }

  /** By another one of its tier; of two that cover each other the one of the smaller rank stays. */
  coversAnother(item: Item): boolean {
    return this.#find(item, (other) => {
      if (other === item || !implies(item.rest, other.rest)) return false;
      return !alike(item, other) || isBefore(other, item);
    });
  }

  #find(item: Item, fits: (other: Item) => boolean): boolean {
    if (this.#everywhere.find(item, fits)) return true;
    const { key } = item;
    if (key === undefined) return false;
    if (key.match === 'exact' && this.#exact.get(key.value)?.find(item, fits)) return true;
    let looked = 0;
    for (const length of this.#lengths) {
      if (length > key.value.length || looked === mostNested) break;
      const bucket = this.#prefixes.get(key.value.slice(0, length));
      if (bucket === undefined) continue;
      if (bucket.find(item, fits)) return true;
      looked++;
    }
    return false;
  }
}

function alike(one: Item, other: Item): boolean {
  return (
    one.key?.match === other.key?.match &&
    one.key?.value === other.key?.value &&
    implies(other.rest, one.rest)
  );
}

/** One clause may have two items of one key, so that its rank does not tell them apart. */
function isBefore(one: Item, other: Item): boolean {
  if (one.clause.rank !== other.clause.rank) return one.clause.rank < other.clause.rank;
  return nameOf(one.rest) < nameOf(other.rest);
}
