/**
 * JSON Schemas as the API server takes them (structural schemas, OpenAPI 3.0): no references, every part with one
 * type, and unknown fields dropped rather than forbidden.
 */

export type Json = { readonly [key: string]: unknown };

/** Whatever stands there is kept; what it may be only Placet says. */
export const kept: Json = { 'x-kubernetes-preserve-unknown-fields': true };

/** What a structural schema says in the same words. */
const carried = [
  'description',
  'type',
  'enum',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'minProperties',
  'required',
];
/** What the API server does by itself, or has no word for. */
const dropped = ['$schema', 'propertyNames'];
const handled = ['properties', 'additionalProperties', 'items', 'anyOf'];

export function structural(schema: Json): Json {
  for (const keyword of Object.keys(schema))
    if (![...carried, ...dropped, ...handled].includes(keyword))
      throw new Error(`got a schema with "${keyword}", which no structural schema has`);
  const { description, anyOf, type } = schema;
  const said = description === undefined ? {} : { description };
  if (anyOf !== undefined) return { ...said, ...either(anyOf as readonly Json[]) };
  if (type === undefined) return { ...said, ...kept };
  const result: Record<string, unknown> = {};
  for (const keyword of carried) if (schema[keyword] !== undefined) result[keyword] = schema[keyword];
  if (schema['items'] !== undefined) result['items'] = structural(schema['items'] as Json);
  if (type === 'object') Object.assign(result, fieldsOf(schema));
  return result;
}

/** A part has one type; for a number or its name there is a word, and everything else is kept as it is. */
function either(branches: readonly Json[]): Json {
  const types = branches.map((one) => one['type']).sort();
  return types.join(' ') === 'integer string' ? { 'x-kubernetes-int-or-string': true } : kept;
}

function fieldsOf({ properties, additionalProperties: others, required }: Json): Json {
  const named = Object.entries((properties ?? {}) as Readonly<Record<string, Json>>);
  const needed = required as readonly string[] | undefined;
  const fields =
    named.length === 0
      ? {}
      : {
          properties: Object.fromEntries(
            named.map(([name, field]) => [
              name,
              needed?.includes(name) ? structural(field) : orNull(structural(field)),
            ]),
          ),
        };
  if (others === false) return fields;
  if (typeof others !== 'object' || Object.keys(others as Json).length === 0 || named.length > 0)
    return { ...fields, ...kept };
  return { additionalProperties: orNull(structural(others as Json)) };
}

/** A null that may not stand there is dropped without a word, and a selector without its value selects all: Placet refuses it. */
function orNull(schema: Json): Json {
  return { ...schema, nullable: true };
}
