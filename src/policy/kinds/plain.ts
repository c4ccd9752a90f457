export type Fields = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const nothing: Fields = Object.freeze(Object.create(null));

/** Of a value that no schema has read: its fields, or none. */
export function fieldsIn(value: unknown): Fields {
  return isObject(value) ? value : nothing;
}

/** Likewise its items. */
export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
