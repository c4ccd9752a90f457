import type { z } from 'zod';
import { bare, definition, fieldsAt, schemasAt } from '../../policy/schema/walk.ts';
import { pairOf } from '../pair.ts';
import { configSchema } from './config-schema.ts';

/** Settings that are text, in the environment and on the command line. */

/** Each setting that can be made by itself. */
export function settingPaths(at: readonly string[] = []): readonly (readonly string[])[] {
  return fieldsAt(configSchema, at).flatMap((field) => {
    const path = [...at, field];
    return fieldsAt(configSchema, path).length > 0 && !isList(path) ? settingPaths(path) : [path];
  });
}

function isList(path: readonly string[]): boolean {
  return schemasAt(configSchema, path).some((schema) => definition(schema).type === 'array');
}

/** `limits.headTime` is `PLACET_LIMITS_HEAD_TIME`. */
export function variableOf(path: readonly string[]): string {
  const words = path.map((part) => part.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase());
  return `PLACET_${words.join('_')}`;
}

/** The value that a text means for a setting; the text itself where it means none, for the schema to refuse. */
export function meaningOf(path: readonly string[], text: string): unknown {
  const [schema] = schemasAt(configSchema, path);
  if (schema === undefined) return text;
  switch (definition(schema).type) {
    case 'number':
    case 'int':
      return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'array':
      return isText(definition(schema).element) && !text.startsWith('[') ? parts(text) : json(text);
    case 'record':
      return text.startsWith('{') ? json(text) : pairs(text);
    case 'object':
      return json(text);
    default:
      return text;
  }
}

/** Where a dotted name leads. Behind a map of texts all of it is one name: those of trust domains have dots. */
export function pathNamed(name: string): readonly string[] {
  const parts = name.split('.');
  const map = parts.findIndex((_, i) => isMapOfTexts(parts.slice(0, i)));
  return map < 0 ? parts : [...parts.slice(0, map), parts.slice(map).join('.')];
}

function isMapOfTexts(path: readonly string[]): boolean {
  return schemasAt(configSchema, path).some((schema) => {
    const { type, valueType } = definition(schema);
    return type === 'record' && isText(valueType);
  });
}

function isText(element: z.ZodType | undefined): boolean {
  return element !== undefined && definition(bare(element)).type === 'string';
}

function parts(text: string): string[] {
  return text.split(',').map((part) => part.trim());
}

function pairs(text: string): unknown {
  const read = parts(text).map(pairOf);
  return read.some((pair) => pair === undefined) ? text : Object.fromEntries(read as [string, string][]);
}

function json(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
