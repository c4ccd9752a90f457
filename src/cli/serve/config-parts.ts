import { z } from 'zod';

/** What settings are made of. */

/** Paths: in a file they are meant from where the file is. */
export const paths = new WeakSet<z.ZodType>();

export function path(description: string) {
  const schema = z.string().min(1).meta({ description });
  paths.add(schema);
  return schema;
}

export function seconds(least: number, most: number, description: string) {
  return z.number().min(least).max(most).meta({ description });
}

export function count(least: number, most: number, description: string) {
  return z.int().min(least).max(most).meta({ description });
}

export function share(description: string) {
  return z.number().min(0).max(1).meta({ description });
}
