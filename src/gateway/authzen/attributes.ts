import { limits } from '../../pdp/model/limits.ts';
import type { Path } from '../../pdp/model/violation.ts';
import { violation } from '../../policy/schema/issues.ts';
import { Refused } from '../http/problem.ts';
import type { Properties } from './types.ts';

/** A property may hold lists and objects, to this depth. */
const deepest = 16;

/**
 * Properties as attributes (SPEC AZ20): `role` of a user is `user:role`, and a name that has a colon stands for
 * itself. A list is a set, of which each member is an attribute; what is in an object is below its name.
 */
export function attributesOf(
  prefix: string,
  properties: Properties | undefined,
  at: Path,
): Map<string, string> {
  const found = new Attributes();
  found.add(prefix, properties, at);
  return found.all;
}

/** Attributes out of several places, of which each has one value. */
export class Attributes {
  readonly all = new Map<string, string>();
  /** As written: what stands there twice is work twice. */
  #written = 0;

  add(prefix: string, properties: Properties | undefined, at: Path): void {
    for (const [name, value] of Object.entries(properties ?? {}))
      this.#add(name.includes(':') ? name : `${prefix}:${name}`, value, [...at, name], deepest);
  }

  set(key: string, value: string, at: Path): void {
    checkValue(this.all, key, value, at);
    if (++this.#written > limits.attributes)
      throw unusable(at, 'limit', `got more than ${limits.attributes} attributes`);
    this.all.set(key, value);
  }

  #add(key: string, value: unknown, at: Path, depth: number): void {
    if (value === null || value === undefined) return;
    if (typeof value !== 'object') return this.set(key, String(value), at);
    if (depth === 0) throw unusable(at, 'limit', `got lists and objects more than ${deepest} deep`);
    if (!Array.isArray(value)) {
      for (const [name, one] of Object.entries(value))
        this.#add(`${key}:${name}`, one, [...at, name], depth - 1);
      return;
    }
    for (const [index, one] of value.entries()) {
      if (typeof one === 'object') this.#add(`${key}:${index}`, one, [...at, index], depth - 1);
      else this.set(`${key}:${String(one)}`, 'true', [...at, index]);
    }
  }
}

/** Refuses a second value of what has one. */
export function checkValue(found: ReadonlyMap<string, string>, key: string, value: string, at: Path): void {
  const before = found.get(key);
  if (before !== undefined && before !== value)
    throw unusable(at, 'conflict', `got a second value for the attribute ${JSON.stringify(key)}`);
}

function unusable(at: Path, code: 'limit' | 'conflict', message: string): Refused {
  return new Refused({
    status: 400,
    title: 'these properties are no attributes',
    violations: [violation(at, code, message)],
  });
}
