import type { Path } from './violation.ts';

/** Values by name, as parsers of JSON and YAML give them: of the values nothing is known yet. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * Whether a parser's value is an object. Of what a program may hand over, more is asked (`isObject` of
 * read-request.ts): that no prototype has a say.
 */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const nothing: Fields = Object.freeze(Object.create(null));

/** Of a value that nobody has looked at: its fields, or none. */
export function fieldsIn(value: unknown): Fields {
  return isFields(value) ? value : nothing;
}

/** Likewise its items. */
export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** What stands at a path; undefined if nothing does. */
export function valueAt(value: unknown, path: Path): unknown {
  let here = value;
  for (const part of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, part)) return undefined;
    here = (here as Record<string | number, unknown>)[part];
  }
  return here;
}
