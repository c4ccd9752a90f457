import type { z } from 'zod';
import { isFields } from '../../pdp/model/fields.ts';
import type { Path } from '../../pdp/model/violation.ts';
import { foreign, partlyRead } from '../schema/fields.ts';
import { bare, definition } from '../schema/walk.ts';
import type { Head } from './head.ts';
import type { Reading } from './kind.ts';

/** Fields that the document has, others read and Placet does not (SPEC DOC3). */
export function foreignPaths(value: unknown, spec: unknown, head: Head, reading: Reading): readonly Path[] {
  const found: Path[] = [];
  if (reading.metadataOnly === true) {
    const known = ['apiVersion', 'kind', 'metadata', 'status'];
    for (const key of isFields(value) ? Object.keys(value) : [])
      if (!known.includes(key)) found.push([...head.root, key]);
  } else if (mayHold(reading.schema)) collect(reading.schema, spec, head.specPath, found);
  return found;
}

/** Most kinds have no such fields anywhere; that is found out once a schema. */
const holding = new WeakMap<z.ZodType, boolean>();

function mayHold(schema: z.ZodType): boolean {
  const inner = bare(schema);
  const known = holding.get(inner);
  if (known !== undefined) return known;
  const { shape, element } = definition(inner);
  const below = element === undefined ? Object.values(shape ?? {}) : [element];
  const holds = foreign.has(inner) || partlyRead.has(inner) || below.some(mayHold);
  holding.set(inner, holds);
  return holds;
}

function collect(schema: z.ZodType, value: unknown, path: Path, found: Path[]): void {
  const inner = bare(schema);
  if (foreign.has(inner)) found.push(path);
  else if (Array.isArray(value)) {
    const { element } = definition(inner);
    if (element !== undefined && mayHold(element))
      for (const [index, entry] of value.entries()) collect(element, entry, [...path, index], found);
  } else if (isFields(value)) {
    const shape = definition(inner).shape ?? {};
    const anything = partlyRead.has(inner);
    for (const [key, field] of Object.entries(value)) {
      if (field === undefined) continue;
      const below = Object.hasOwn(shape, key) ? shape[key] : undefined;
      if (below === undefined && anything) found.push([...path, key]);
      else if (below !== undefined && mayHold(below)) collect(below, field, [...path, key], found);
    }
  }
}
