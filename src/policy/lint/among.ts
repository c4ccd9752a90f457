import { holdsFor, holdsForNothing } from '../../pdp/model/condition.ts';
import { pushTo } from '../../pdp/model/lists.ts';
import type { Condition, Pattern } from '../../pdp/model/rule.ts';
import { SortedTexts } from './sorted-texts.ts';

/** Values by key, for everything that is known of one thing: a key that is not there is absent. */
export type Values = ReadonlyMap<string, readonly string[]>;

interface Column {
  readonly byValue: Map<string, number[]>;
  /** Things that have the key. */
  readonly all: number[];
  /** Made when it is first asked for. */
  sorted?: SortedTexts;
}

/**
 * Things of the inventory, found by conditions. A policy set asks as often as it has selectors, so the condition
 * that few things meet is looked up and only these are tried; all are tried where every condition is negative.
 */
export class Among<T> {
  readonly #things: readonly T[];
  readonly #values: readonly Values[];
  readonly #columns = new Map<string, Column>();

  constructor(things: readonly T[], valuesOf: (thing: T) => Values) {
    this.#things = things;
    this.#values = things.map(valuesOf);
    this.#values.forEach((values, at) => {
      for (const [key, several] of values) this.#file(key, several, at);
    });
  }

  get isEmpty(): boolean {
    return this.#things.length === 0;
  }

  /** One thing for which all conditions hold. */
  find(conditions: readonly Condition[]): T | undefined {
    for (const at of this.#where(conditions)) return this.#things[at];
    return undefined;
  }

  /** The positions of all things for which all conditions hold, in no order. */
  all(conditions: readonly Condition[]): ReadonlySet<number> {
    return new Set(this.#where(conditions));
  }

  *#where(conditions: readonly Condition[]): Generator<number, void> {
    let least: readonly (readonly number[])[] | undefined;
    let size = Number.POSITIVE_INFINITY;
    for (const condition of conditions) {
      const lists = this.#lists(condition);
      if (lists === undefined) continue;
      const length = lists.reduce((sum, list) => sum + list.length, 0);
      if (length < size) [least, size] = [lists, length];
    }
    const good = (at: number) =>
      conditions.every((condition) => holds(condition, this.#values[at]!.get(condition.key) ?? []));
    for (const list of least ?? [this.#things.keys()]) for (const at of list) if (good(at)) yield at;
  }

  #file(key: string, values: readonly string[], at: number): void {
    if (values.length === 0) return;
    let column = this.#columns.get(key);
    if (column === undefined) {
      column = { byValue: new Map(), all: [] };
      this.#columns.set(key, column);
    }
    column.all.push(at);
    for (const value of values) {
      pushTo(column.byValue, value, at);
    }
  }

  /** Lists that hold all things that meet the condition; undefined where there is no such list. */
  #lists({ key, op, values }: Condition): readonly (readonly number[])[] | undefined {
    if (op === 'notIn' || op === 'notExists') return undefined;
    const column = this.#columns.get(key);
    if (column === undefined) return [];
    if (op === 'exists') return [column.all];
    return values.flatMap((pattern) =>
      valuesThat(column, pattern).map((value) => column.byValue.get(value)!),
    );
  }
}

function valuesThat(column: Column, { match, value }: Pattern): readonly string[] {
  const itself = match !== 'prefix' && column.byValue.has(value) ? [value] : [];
  if (match === 'exact') return itself;
  column.sorted ??= new SortedTexts(column.byValue.keys());
  const [from, to] = column.sorted.range(match === 'under' ? `${value}/` : value);
  return [...itself, ...column.sorted.texts.slice(from, to)];
}

/** Whether a condition holds of known values. */
export function holds(condition: Condition, got: readonly string[]): boolean {
  return got.length > 0 ? holdsFor(condition, got) : holdsForNothing(condition);
}
