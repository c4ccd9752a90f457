import { isFields } from '../../pdp/model/fields.ts';

/** Looking into Envoy's configuration, in either spelling of fields: what is not there is undefined. */

export function field(value: unknown, ...names: readonly string[]): unknown {
  let found = value;
  for (const name of names) {
    if (!isFields(found)) return undefined;
    const fields = found;
    const camel = name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
    found = Object.hasOwn(fields, name)
      ? fields[name]
      : Object.hasOwn(fields, camel)
        ? fields[camel]
        : undefined;
  }
  return found ?? undefined;
}

export function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function entries(value: unknown): readonly (readonly [string, unknown])[] {
  return isFields(value) ? Object.entries(value) : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The type of an `Any`, without the part before its last slash; empty if it says none. */
export function typeOf(any: unknown): string {
  const type = textOf(field(any, '@type')) ?? '';
  return type.slice(type.lastIndexOf('/') + 1);
}

/** Envoy takes a truth in more ways than one ("true", and in YAML yes and on): what is not plainly false may be one. */
export function mayBeTrue(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}

/** The name of an enum's value, which Envoy takes in any case, and as a number; undefined where it is none of them. */
export function enumOf<T extends string>(value: unknown, names: readonly [T, ...T[]]): T | undefined {
  if (value === undefined || value === null) return names[0];
  const text = String(value).toUpperCase();
  return /^\d+$/.test(text) ? names[Number(text)] : names.find((name) => name === text);
}

/** Whatever the order of fields. */
export function isSame(one: unknown, other: unknown): boolean {
  return sorted(one) === sorted(other);
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    Array.isArray(inner) || entries(inner).length === 0
      ? inner
      : Object.fromEntries(entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  );
}
