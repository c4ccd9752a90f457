import type { z } from 'zod';

/** What zod keeps about a schema, as far as it is looked at here. */
interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly innerType?: z.ZodType;
  readonly options?: readonly z.ZodType[];
}

export function definition(schema: z.ZodType): Definition {
  return schema._zod.def as Definition;
}

/** Without `optional` around it. */
export function bare(schema: z.ZodType): z.ZodType {
  const inner = definition(schema).innerType;
  return inner === undefined ? schema : bare(inner);
}

/** The schemas that a value at the path may be read by: several where a union stands on the way. */
export function schemasAt(schema: z.ZodType, path: readonly PropertyKey[]): readonly z.ZodType[] {
  let here = options(schema);
  for (const part of path) here = here.flatMap((one) => options(child(one, part)));
  return here;
}

function child(schema: z.ZodType, part: PropertyKey): z.ZodType | undefined {
  const { shape, element, valueType } = definition(schema);
  if (typeof part === 'number') return element;
  if (shape !== undefined) return Object.hasOwn(shape, String(part)) ? shape[String(part)] : undefined;
  return valueType;
}

function options(schema: z.ZodType | undefined): readonly z.ZodType[] {
  if (schema === undefined) return [];
  const inner = bare(schema);
  return definition(inner).options?.flatMap(options) ?? [inner];
}

/** The fields that an object at the path may have. */
export function fieldsAt(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  return schemasAt(schema, path).flatMap((one) => Object.keys(definition(one).shape ?? {}));
}
