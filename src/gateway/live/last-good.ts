import type { Violation } from '../../pdp/model/violation.ts';
import type { Document } from '../../policy/document.ts';
import type { Loaded } from '../../policy/load.ts';
import { loadShipped } from '../../policy/shipped.ts';
import { sameUnit, sameUnits, type Unit } from './source.ts';

/** Documents that are good together. */
export interface GoodSet {
  readonly documents: readonly Document[];
  readonly loaded: Loaded;
}

export interface Taken {
  /**
   * `same`: nothing to do. `taken`: all that lies there. `partly`: of what is broken the last good version. `held`:
   * nothing of it, the set before goes on. `refused`: likewise, and there is none before.
   */
  readonly outcome: 'same' | 'taken' | 'partly' | 'held' | 'refused';
  readonly set?: GoodSet;
  /** Why not all of it counts. */
  readonly problems: readonly Violation[];
}

/** What is wrong between documents: each may be right, and nobody can say which is meant. */
const betweenDocuments: ReadonlySet<Violation['code']> = new Set(['duplicate-document', 'reference']);

/**
 * Turns what lies in the sources into a set that may decide. A unit that is broken keeps its last good version, and
 * the others go on; what is wrong with the set as such keeps the whole set that was there before.
 */
export class LastGood {
  /** The version of each unit that is in the set. */
  #good: ReadonlyMap<string, Unit> | undefined;
  #seen: readonly Unit[] | undefined;
  #problems: readonly Violation[] = [];
  /**
   * What went at the moment at which a broken unit came: it may be what that one was called before, and a deny must
   * not go because its file was renamed and spoilt at once.
   */
  readonly #before = new Map<string, readonly Unit[]>();

  take(units: readonly Unit[]): Taken {
    if (this.#seen !== undefined && sameUnits(this.#seen, units))
      return { outcome: 'same', problems: this.#problems };
    this.#seen = units;
    const taken = this.#good === undefined ? this.#first(units) : this.#next(units, this.#good);
    this.#problems = taken.problems;
    return taken;
  }

  #first(units: readonly Unit[]): Taken {
    const broken = units.flatMap(({ violations }) => violations);
    const set = setOf(units);
    const problems = [...broken, ...set.loaded.violations];
    if (problems.length > 0) return { outcome: 'refused', problems };
    this.#good = new Map(units.map((unit) => [unit.name, unit]));
    return { outcome: 'taken', set, problems };
  }

  #next(units: readonly Unit[], good: ReadonlyMap<string, Unit>): Taken {
    const now = new Map(units.map((unit) => [unit.name, unit]));
    const used = new Map(now);
    const problems: Violation[] = [];
    const broken = new Set<string>();
    const replace = (name: string): void => {
      const before = good.get(name);
      if (before === undefined) used.delete(name);
      else used.set(name, before);
      broken.add(name);
    };
    for (const { name, violations } of units) {
      if (violations.length === 0) continue;
      problems.push(...violations);
      replace(name);
    }
    const taken = (one: Taken): Taken => {
      for (const name of this.#before.keys()) if (!broken.has(name)) this.#before.delete(name);
      return one;
    };
    for (;;) {
      this.#keepPredecessors(broken, now, used, good);
      const set = setOf([...used.values()]);
      const { violations } = set.loaded;
      if (violations.length === 0) {
        this.#good = used;
        return taken({ outcome: problems.length === 0 ? 'taken' : 'partly', set, problems });
      }
      problems.push(...violations);
      const spoilt = new Set(violations.map(({ place }) => place?.file ?? ''));
      const changed = [...spoilt].filter((name) => {
        const unit = used.get(name);
        const before = good.get(name);
        return unit !== undefined && (before === undefined || !sameUnit(before, unit));
      });
      if (isBetween(violations) || changed.length === 0)
        return taken({ outcome: 'held', problems: distinct(problems) });
      for (const name of changed) replace(name);
    }
  }

  #keepPredecessors(
    broken: ReadonlySet<string>,
    now: ReadonlyMap<string, Unit>,
    used: Map<string, Unit>,
    good: ReadonlyMap<string, Unit>,
  ): void {
    for (const name of broken) {
      if (good.has(name)) continue;
      const gone = this.#before.get(name) ?? [...good.values()].filter((unit) => !now.has(unit.name));
      this.#before.set(name, gone);
      for (const unit of gone) if (!used.has(unit.name)) used.set(unit.name, unit);
    }
  }
}

/** What is broken anyway is replaced first: its last good version may leave nothing in doubt. */
function isBetween(violations: readonly Violation[]): boolean {
  const broken = new Set(
    violations.flatMap(({ code, place }) => (betweenDocuments.has(code) ? [] : (place?.file ?? ''))),
  );
  return violations.some(({ code, place }) => betweenDocuments.has(code) && !broken.has(place?.file ?? ''));
}

function setOf(units: readonly Unit[]): GoodSet {
  const documents = units.flatMap((unit) => unit.documents);
  return { documents, loaded: loadShipped(documents) };
}

/** Two rounds find the same. */
function distinct(violations: readonly Violation[]): readonly Violation[] {
  const seen = new Map(violations.map((one) => [JSON.stringify([one.place, one.path, one.message]), one]));
  return [...seen.values()];
}
