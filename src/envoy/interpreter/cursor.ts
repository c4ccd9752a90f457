import type { Path, Violation, ViolationCode } from '../../pdp/model/violation.ts';

/** The fields of a message by the names of its definition, whichever of the two spellings they came in. */
export type Fields = ReadonlyMap<string, Cursor>;

/**
 * A place in a configuration in proto3 JSON form. What is wrong is said to the report with its path, and
 * reading goes on, so that all of it is said at once; what could not be read is undefined.
 */
export class Cursor {
  readonly value: unknown;
  readonly path: Path;
  readonly #report: (violation: Violation) => void;

  constructor(value: unknown, path: Path, report: (violation: Violation) => void) {
    this.value = value;
    this.path = path;
    this.#report = report;
  }

  refuse(code: ViolationCode, message: string, hint?: string): undefined {
    this.#report({ path: this.path, code, message, ...(hint === undefined ? {} : { hint }) });
    return undefined;
  }

  /** Valid for Envoy, as far as is known here, and not evaluated by us. */
  unknown(what: string): undefined {
    return this.refuse('unknown-kind', `${what} is not evaluated here`, 'nothing is guessed in its place');
  }

  at(key: string | number, value: unknown): Cursor {
    return new Cursor(value, [...this.path, key], this.#report);
  }

  /** Null is as if it were not there, as proto3 JSON has it. `@type` is nobody's field. */
  fields(...known: readonly string[]): Fields | undefined {
    const object = this.#object();
    if (object === undefined) return undefined;
    const fields = new Map<string, Cursor>();
    for (const [key, value] of Object.entries(object)) {
      if (value === null || key === '@type') continue;
      const name = snakeCase(key);
      const field = this.at(key, value);
      if (!known.includes(name)) {
        field.refuse('unknown-field', `got the unknown field ${JSON.stringify(key)}`, `known are ${known}`);
      } else if (fields.has(name)) {
        field.unknown(`${name} in both of its spellings`);
      } else fields.set(name, field);
    }
    return fields;
  }

  /** The entries of a map, whose keys are as they are. */
  entries(): [string, Cursor][] | undefined {
    const object = this.#object();
    return object && Object.entries(object).map(([key, value]) => [key, this.at(key, value)]);
  }

  items(least = 0): Cursor[] | undefined {
    if (!Array.isArray(this.value)) return this.#wrong('a list');
    if (this.value.length < least) {
      return this.refuse('empty', `got ${this.value.length} in the list, want at least ${least}`);
    }
    return this.value.map((value, index) => this.at(index, value));
  }

  text(least = 0): string | undefined {
    if (typeof this.value !== 'string') return this.#wrong('a string');
    if (this.value.length < least) return this.refuse('empty', 'got an empty string');
    return this.value;
  }

  flag(): boolean | undefined {
    return typeof this.value === 'boolean' ? this.value : this.#wrong('true or false');
  }

  number(): number | undefined {
    return typeof this.value === 'number' ? this.value : this.#wrong('a number');
  }

  /** The name of an enum's value, which may be given by its number. */
  choice<T extends string>(...names: readonly T[]): T | undefined {
    const { value } = this;
    const found = typeof value === 'number' ? names[value] : names.find((name) => name === value);
    if (found !== undefined) return found;
    // Envoy takes any number for an enum.
    if (typeof value === 'number') return this.unknown(`the value ${value}`);
    return this.refuse('value', `got ${JSON.stringify(value)}, want one of ${names.join(', ')}`);
  }

  /** What an extension is, by the type of its configuration, which stands in the place of its name. */
  extension(): { readonly type: string; readonly config: Cursor } | undefined {
    const fields = this.fields('name', 'typed_config');
    const config = fields && required(this, fields, 'typed_config');
    const object = config === undefined ? undefined : config.#object();
    if (config === undefined || object === undefined) return undefined;
    const type = Object.hasOwn(object, '@type') ? object['@type'] : undefined;
    if (typeof type !== 'string') return config.refuse('missing', '"@type" is missing');
    return { type: type.slice(type.lastIndexOf('/') + 1), config };
  }

  #object(): Readonly<Record<string, unknown>> | undefined {
    const { value } = this;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return this.#wrong('a mapping');
    return value as Readonly<Record<string, unknown>>;
  }

  #wrong(want: string): undefined {
    const got = Array.isArray(this.value) ? 'a list' : this.value === null ? 'null' : typeof this.value;
    return this.refuse('type', `got ${got}, want ${want}`);
  }
}

function snakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function required(owner: Cursor, fields: Fields, name: string): Cursor | undefined {
  return fields.get(name) ?? owner.refuse('missing', `${JSON.stringify(name)} is missing`);
}

/** The field of a oneof that is set, which must be exactly one. */
export function chosen(
  owner: Cursor,
  fields: Fields,
  names: readonly string[],
): [string, Cursor] | undefined {
  const set = names.filter((name) => fields.has(name));
  const [name] = set;
  if (name === undefined) return owner.refuse('missing', `got none of ${names.join(', ')}, want one`);
  if (set.length > 1) return owner.refuse('conflict', `got ${set.join(' and ')}, want one of them`);
  return [name, fields.get(name)!];
}

/** All that could be read of some; undefined if anything of them could not. */
export function whole<T>(read: readonly (T | undefined)[] | undefined): T[] | undefined {
  return read?.every((one) => one !== undefined) ? (read as T[]) : undefined;
}
