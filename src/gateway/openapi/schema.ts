import { z } from 'zod';

export type Json = Readonly<Record<string, unknown>>;

/** The schemas of a document, each under its name, out of those that read requests and describe replies. */
export class Schemas {
  readonly #named = new Map<string, Json>();

  /** A reference, where the schema has a name. */
  add(schema: z.ZodType, io: 'input' | 'output'): Json {
    const { $schema: _, $defs, ...top } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
    for (const [name, one] of Object.entries(($defs as Record<string, Json> | undefined) ?? {}))
      this.#name(name, tidy(one) as Json);
    const { id } = top;
    if (typeof id !== 'string') return tidy(top) as Json;
    this.#name(id, tidy(top) as Json);
    return { $ref: reference + id };
  }

  all(): Readonly<Record<string, Json>> {
    return Object.fromEntries([...this.#named].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #name(name: string, schema: Json): void {
    const before = this.#named.get(name);
    if (before !== undefined && JSON.stringify(before) !== JSON.stringify(schema))
      throw new Error(
        `got two schemas with the name ${name}, want one, or one for what is read and one for what is given`,
      );
    this.#named.set(name, schema);
  }
}

const reference = '#/components/schemas/';

/** References lead into the document; a name is where it stands. */
function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => {
      if (key === '$ref' && typeof one === 'string') return [[key, one.replace('#/$defs/', reference)]];
      // A name of a schema, and not a property of that name, which would be a schema itself.
      if (key === 'id' && typeof one === 'string') return [];
      return [[key, tidy(one)]];
    }),
  );
}
