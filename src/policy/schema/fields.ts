import { z } from 'zod';
import { limits } from '../../pdp/model/limits.ts';
import { trustLevels } from '../../pdp/model/trust.ts';
import { type Flaw, sound, whole } from './flaw.ts';
import * as flaws from './text-flaws.ts';

/** The building blocks of the kinds' schemas. Objects that decide are strict; descriptions go to the JSON Schema. */

export function object<S extends z.ZodRawShape>(
  shape: S,
  description?: string,
): z.ZodObject<S, z.core.$strict> {
  const schema = z.strictObject(shape);
  return description === undefined ? schema : schema.meta({ description });
}

/** Objects whose other fields are listed as ignored. */
export const partlyRead = new WeakSet<z.ZodType>();

/** An object of a kind of others of which only some fields are read; the rest is listed as ignored. */
export function loose<S extends z.ZodRawShape>(
  shape: S,
  description?: string,
): z.ZodObject<S, z.core.$loose> {
  const bare = z.looseObject(shape);
  const schema = description === undefined ? bare : bare.meta({ description });
  partlyRead.add(schema);
  return schema;
}

/** What errors about a choice say besides. */
export interface ChoiceNotes {
  /** What to write instead of values that others read and that mean nothing here. */
  readonly hints?: Readonly<Record<string, string>>;
  /** The values that are named, where others are mere spellings of them. */
  readonly named?: readonly string[];
}

export const choiceNotes = new WeakMap<z.ZodType, ChoiceNotes>();

export function choice<const V extends readonly [string, ...string[]]>(
  values: V,
  description: string,
  notes?: ChoiceNotes,
) {
  const schema = z.enum(values).meta({ description });
  if (notes !== undefined) choiceNotes.set(schema, notes);
  return schema;
}

/** Fields of Kuma's and Kubernetes' own that are not used here: accepted, and listed as ignored. */
export const foreign = new WeakSet<z.ZodType>();

function ignored(): z.ZodOptional<z.ZodUnknown> {
  const schema = z.unknown().meta({ description: 'Read by others, ignored here.' });
  foreign.add(schema);
  return schema.optional();
}

export function ignoredFields<const K extends string>(
  ...names: readonly K[]
): Record<K, z.ZodOptional<z.ZodUnknown>> {
  return Object.fromEntries(names.map((name) => [name, ignored()])) as Record<K, z.ZodOptional<z.ZodUnknown>>;
}

export const text = (description: string) => z.string().meta({ description });

export const name = (description: string) =>
  z.string().check(sound(flaws.nameFlaw)).meta({ description, minLength: 1, maxLength: limits.nameBytes });

export const spiffeId = (description: string) =>
  z
    .string()
    .check(sound(flaws.spiffeIdFlaw))
    .meta({ description, pattern: '^spiffe://', maxLength: limits.spiffeIdBytes });

export const trustDomain = (description: string) =>
  z.string().check(sound(flaws.trustDomainFlaw)).meta({ description, pattern: '^[a-z0-9._-]{1,255}$' });

export const image = (description: string) => z.string().check(sound(flaws.imageFlaw)).meta({ description });

export const trust = (description: string) => choice(trustLevels, description);

export const attributeKey = (description: string) =>
  z.string().check(sound(flaws.attributeKeyFlaw)).meta({ description, minLength: 1 });

/** Labels, tags, attributes: any keys, string values. */
export const strings = (description: string) => z.record(z.string(), z.string()).meta({ description });

/** The same, with a check of each entry that holds a string. */
export const stringsThat = (find: (key: string, value: string) => Flaw | undefined, description: string) =>
  z
    .record(z.string(), z.string())
    .check(
      whole((value) =>
        Object.entries(value).flatMap(([key, text]) => {
          const flaw = typeof text === 'string' ? find(key, text) : undefined;
          return flaw === undefined ? [] : [{ ...flaw, path: [key] }];
        }),
      ),
    )
    .meta({ description });

/** Not zod's own integers: their issue would keep the checks of the objects around them from running. */
export const port = (description: string) =>
  z.number().check(sound(flaws.portFlaw)).meta({ description, type: 'integer', minimum: 1, maximum: 65_535 });

export const list = <T extends z.ZodType>(entry: T, description: string) =>
  z.array(entry).meta({ description });

export const someOf = <T extends z.ZodType>(entry: T, description: string) =>
  z.array(entry).min(1).meta({ description });
