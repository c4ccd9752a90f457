import { limits } from '../../pdp/model/limits.ts';
import { type Condition, keys, serviceTag } from '../../pdp/model/rule.ts';
import { holds } from '../lint/among.ts';
import type { TagSource } from './clients.ts';
import type { Item } from './ground.ts';

/**
 * Whether a client that the inventory does not have could be decided about by a certain item: one with the item's
 * tags that no stronger item matches (SPEC MIG6). A tag has any number of values, so that "this tag has this value"
 * is true or false by itself, and the question is one of logic. What must be there is added step by step; where there
 * is a choice all ways are tried, up to a bound.
 */

export type Newcomer = TagSource | 'none' | 'unsettled';

/** Steps that all questions of a migration may take together, and choices that one may. */
export class Patience {
  #steps: number = limits.newcomerSteps;

  /** False once there is none left. */
  spend(steps: number): boolean {
    this.#steps -= steps;
    return !this.isOver;
  }

  get isOver(): boolean {
    return this.#steps < 0;
  }
}

const choices = 256;

type Present = ReadonlyMap<string, ReadonlySet<string>>;

/** `item` undefined: one that no item at all matches. `stronger` in any order. */
export function newcomer(
  mesh: string,
  item: Item | undefined,
  stronger: readonly Item[],
  patience: Patience,
): Newcomer {
  if (!patience.spend(stronger.length)) return 'unsettled';
  const own = (item?.when ?? []).filter(({ key }) => key !== keys.mesh);
  const others = stronger.filter(({ when }) => isOf(when, mesh));
  if (![own, ...others.map(({ when }) => when)].every((when) => when.every(isPlain))) return 'unsettled';
  const absent = (tag: string, value: string) =>
    own.some(
      ({ key, op, values }) => op === 'notIn' && key === tag && values.some((one) => one.value === value),
    );
  const start = new Map<string, Set<string>>();
  for (const { key, op, values } of own) {
    if (op !== 'in' || values.some(({ value }) => start.get(key)?.has(value))) continue;
    const value = values.find((one) => !absent(key, one.value))?.value;
    if (value === undefined) return 'none';
    start.set(key, (start.get(key) ?? new Set()).add(value));
  }
  let left = choices;
  // A value out of several was chosen already.
  const isFree = own.some(({ op, values }) => op === 'in' && values.length > 1);
  const waiting: Present[] = [start];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (!patience.spend(others.length)) return 'unsettled';
    const present = next;
    const met = others.find(({ when }) => matches(when, present));
    if (met === undefined) return sourceOf(mesh, present, [...others.map(({ when }) => when), own]);
    if (--left < 0) return 'unsettled';
    const ways = met.when.flatMap(({ key, op, values }) =>
      op === 'notIn'
        ? values.filter(({ value }) => !absent(key, value)).map(({ value }) => ({ key, value }))
        : [],
    );
    for (const { key, value } of ways) {
      const tags = new Map(present);
      tags.set(key, new Set([...(tags.get(key) ?? []), value]));
      waiting.push(tags);
    }
  }
  return isFree ? 'unsettled' : 'none';
}

/** Whether an item is about clients of the mesh. */
export function isOf(when: readonly Condition[], mesh: string): boolean {
  return when.every((condition) => condition.key !== keys.mesh || holds(condition, [mesh]));
}

/** Whether an item is about all clients of a mesh. */
export function isForAll({ when }: Item): boolean {
  return when.every(({ key }) => key === keys.mesh);
}

function isPlain({ key, op, values }: Condition): boolean {
  if (key === keys.mesh) return true;
  const plain = (op === 'in' || op === 'notIn') && values.every(({ match }) => match === 'exact');
  return plain && key.startsWith(keys.tag);
}

function matches(when: readonly Condition[], tags: Present): boolean {
  return when.every(
    (condition) => condition.key === keys.mesh || holds(condition, [...(tags.get(condition.key) ?? [])]),
  );
}

/** Every certificate says of which service it is; one that need not be of any is of one that no item names. */
function sourceOf(mesh: string, tags: Present, all: readonly (readonly Condition[])[]): TagSource {
  const said = new Map([...tags].map(([key, values]) => [key.slice(keys.tag.length), [...values].sort()]));
  if (!said.has(serviceTag)) {
    const named = new Set(
      all.flatMap((when) => when.flatMap(({ values }) => values.map(({ value }) => value))),
    );
    let service = 'new-client';
    for (let count = 2; named.has(service); count++) service = `new-client-${count}`;
    said.set(serviceTag, [service]);
  }
  return { mesh, tags: said };
}
