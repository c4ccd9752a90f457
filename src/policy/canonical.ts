import { limits } from '../pdp/model/limits.ts';
import { forbiddenKeys } from '../pdp/model/text.ts';
import type { Violation } from '../pdp/model/violation.ts';
import { nameOf, quote } from '../pdp/model/words.ts';
import { violation } from './schema/issues.ts';

/**
 * One text for a value whatever the order of its keys (SPEC SNAP1). Values that no text could have given, since
 * `open` takes them outright, are refused on the way: the bounds are those of reading (SPEC DOC6).
 */
export type Canonical = { readonly text: string } | { readonly violations: readonly Violation[] };

const forbidden: ReadonlySet<string> = new Set(forbiddenKeys);

export function canonicalText(value: unknown): Canonical {
  const violations: Violation[] = [];
  const path: (string | number)[] = [];
  const above: object[] = [];
  const met = new Set<object>();
  /** How many of the objects above this place stood elsewhere too, and the values written in such, long texts as several. */
  let again = 0;
  let repeated = 0;
  const text = write(value);
  return violations.length === 0 ? { text } : { violations };

  function write(here: unknown): string {
    if (repeated > limits.aliasedValues) return '';
    const isRepeated = typeof here === 'object' && here !== null && met.has(here);
    if (again > 0 || isRepeated) repeated += typeof here === 'string' ? 1 + (here.length >> 6) : 1;
    if (repeated > limits.aliasedValues) {
      const most = `want at most ${limits.aliasedValues}`;
      return refuse('limit', `got objects in several places that come to too many values, ${most}`);
    }
    if (typeof here === 'string') return writeText(here);
    if (here === null || typeof here === 'boolean' || Number.isFinite(here)) return String(here);
    if (typeof here !== 'object')
      return refuse('type', `got ${typeof here === 'bigint' ? 'a bigint' : nameOf(here)}, want plain data`);
    if (above.includes(here)) return refuse('value', 'got a value that holds itself, want plain data');
    if (above.length >= limits.nesting)
      return refuse('limit', `got more than ${limits.nesting} levels of nesting, want fewer`);
    met.add(here);
    above.push(here);
    if (isRepeated) again++;
    const text = Array.isArray(here) ? writeList(here) : writeObject(here as Record<string, unknown>);
    if (isRepeated) again--;
    above.pop();
    return text;
  }

  function writeList(list: readonly unknown[]): string {
    let written = '[';
    for (let index = 0; index < list.length; index++) {
      path.push(index);
      written += index === 0 ? write(list[index]) : `,${write(list[index])}`;
      path.pop();
    }
    return `${written}]`;
  }

  function writeObject(fields: Readonly<Record<string, unknown>>): string {
    const keys = Object.keys(fields);
    // Such fields would be read, and not be in the text.
    if (inherits(fields) || Object.getOwnPropertyNames(fields).length > keys.length)
      return refuse('type', 'got an object that inherits or hides fields, want plain data');
    let written = '{';
    for (const key of keys.sort()) {
      if (fields[key] === undefined && !forbidden.has(key)) continue;
      path.push(key);
      if (forbidden.has(key))
        refuse('forbidden-key', `got the key ${quote(key)}, which is not allowed anywhere`);
      else written += `${written === '{' ? '' : ','}${writeText(key)}:${write(fields[key])}`;
      path.pop();
    }
    return `${written}}`;
  }

  function writeText(here: string): string {
    if (here.length > limits.stringBytes)
      return refuse('limit', `got ${here.length} characters, want at most ${limits.stringBytes} bytes`);
    // It could not be told from another such string where texts are kept as UTF-8.
    return here.isWellFormed() ? JSON.stringify(here) : refuse('value', 'half a surrogate pair in a string');
  }

  function refuse(code: Violation['code'], message: string): string {
    violations.push(violation([...path], code, message));
    return '';
  }
}

/** Anything but what each realm's `Object.prototype` has. */
function inherits(value: object): boolean {
  const above: unknown = Object.getPrototypeOf(value);
  if (above === Object.prototype || above === null) return false;
  return !(Object.getPrototypeOf(above) === null && Object.hasOwn(above as object, 'isPrototypeOf'));
}
