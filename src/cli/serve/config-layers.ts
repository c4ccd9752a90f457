import { type Fields, isFields } from '../../pdp/model/fields.ts';
import { type Path, startsWith } from '../../pdp/model/violation.ts';
import type { Document } from '../../policy/document.ts';
import { showPlace } from '../show/place.ts';

/** Settings from one origin; a later layer is stronger. */
export interface Layer {
  readonly value: Fields;
  /** Where a setting of it was made. */
  origin(path: Path, of?: 'value' | 'key'): string;
}

export function fileLayer(document: Document, value: Fields): Layer {
  return { value, origin: (path, of) => showPlace(document.place(path, of)) };
}

/** Settings that were made one by one, each with its name. */
export function singleLayer(settings: readonly Setting[]): Layer {
  let value: Fields = {};
  for (const { path, value: one } of settings) value = merged(value, nested(path, one));
  return {
    value,
    origin: (path) => {
      const made = settings.findLast(
        (setting) => startsWith(path, setting.path) || startsWith(setting.path, path),
      );
      return made?.name ?? '';
    },
  };
}

export interface Setting {
  /** `PLACET_LISTEN`, `--listen` */
  readonly name: string;
  readonly path: readonly string[];
  readonly value: unknown;
}

function nested(path: readonly string[], value: unknown): Fields {
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as Fields;
}

/** Objects field by field; what is no object is replaced, lists too. */
export function merged(below: Fields, above: Fields): Fields {
  const all: Record<string, unknown> = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const known = all[key];
    all[key] = isFields(known) && isFields(value) ? merged(known, value) : value;
  }
  return all;
}

/** Where the setting at a path was made: by the strongest layer that has it. Undefined: nowhere, it is a default. */
export function originOf(layers: readonly Layer[], path: Path, of?: 'value' | 'key'): string | undefined {
  return layers.findLast(({ value }) => has(value, path))?.origin(path, of);
}

function has(value: unknown, [first, ...rest]: Path): boolean {
  if (first === undefined) return true;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, first)) return false;
  return has((value as Record<string | number, unknown>)[first], rest);
}
