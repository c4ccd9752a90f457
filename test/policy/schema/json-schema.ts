/** As much of JSON Schema as `policies/schema` uses; an unknown word throws, so that none goes unchecked. */

type Json = { readonly [key: string]: unknown };
type Schema = Json | boolean;
export type Files = ReadonlyMap<string, Json>;

const annotations = new Set(['$schema', 'title', 'description', 'definitions', '$id', 'propertyNames']);

export function accepts(files: Files, file: string, value: unknown): boolean {
  return holds(files.get(file)!, value, file, files);
}

function holds(schema: Schema, value: unknown, file: string, files: Files): boolean {
  if (typeof schema === 'boolean') return schema;
  return Object.entries(schema).every(([word, wanted]) => {
    if (annotations.has(word)) return true;
    const check = checks[word];
    if (check === undefined) throw new Error(`unknown word ${word} in ${file}`);
    return check(wanted as never, value, { schema, file, files });
  });
}

interface Context {
  readonly schema: Json;
  readonly file: string;
  readonly files: Files;
}
type Check = (wanted: never, value: unknown, context: Context) => boolean;

const checks: Readonly<Record<string, Check>> = {
  $ref: (reference: string, value, { file, files }) => {
    const [other, pointer] = reference.split('#');
    const target = other === '' ? file : other!;
    let schema: unknown = files.get(target);
    for (const part of (pointer ?? '').split('/').slice(1)) schema = (schema as Json)[part];
    return holds(schema as Schema, value, target, files);
  },
  anyOf: (schemas: Schema[], value, { file, files }) => schemas.some((one) => holds(one, value, file, files)),
  type: (type: string, value) => {
    if (type === 'array') return Array.isArray(value);
    if (type === 'object') return isObject(value);
    return type === 'integer' ? Number.isInteger(value) : typeof value === type;
  },
  const: (wanted: unknown, value) => value === wanted,
  enum: (wanted: unknown[], value) => wanted.includes(value),
  pattern: (pattern: string, value) => typeof value !== 'string' || new RegExp(pattern, 'u').test(value),
  minLength: (length: number, value) => typeof value !== 'string' || value.length >= length,
  maxLength: (length: number, value) => typeof value !== 'string' || value.length <= length,
  minimum: (bound: number, value) => typeof value !== 'number' || value >= bound,
  maximum: (bound: number, value) => typeof value !== 'number' || value <= bound,
  minItems: (count: number, value) => !Array.isArray(value) || value.length >= count,
  maxItems: (count: number, value) => !Array.isArray(value) || value.length <= count,
  minProperties: (count: number, value) => !isObject(value) || Object.keys(value).length >= count,
  items: (schema: Schema, value, { file, files }) =>
    !Array.isArray(value) || value.every((entry) => holds(schema, entry, file, files)),
  required: (fields: string[], value) =>
    !isObject(value) || fields.every((field) => Object.hasOwn(value, field)),
  properties: (fields: Readonly<Record<string, Schema>>, value, { file, files }) =>
    !isObject(value) ||
    Object.entries(fields).every(
      ([field, schema]) => !Object.hasOwn(value, field) || holds(schema, value[field], file, files),
    ),
  additionalProperties: (schema: Schema, value, { schema: { properties }, file, files }) =>
    !isObject(value) ||
    Object.entries(value).every(
      ([field, entry]) => Object.hasOwn(properties ?? {}, field) || holds(schema, entry, file, files),
    ),
};

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
