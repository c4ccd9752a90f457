import { type ReadableSource, WrittenAttributes } from './index/written.ts';
import { isStatedUnknown } from './stated.ts';

/** Whether there is any evidence of who asks (SRC1). */
export function isIdentified(source: ReadableSource | undefined, complete: boolean): boolean {
  if (source === undefined) return false;
  if (source.spiffeId !== undefined || source.complete === true) return true;
  if (typeof source.complete === 'object') for (const _ in source.complete) return true;
  for (const _ in source.tags) return true;
  const { attributes } = source;
  if (attributes === undefined) return false;
  if (complete || attributes instanceof WrittenAttributes) return true;
  for (const key in attributes) if (!isStatedUnknown(attributes, key, attributes[key])) return true;
  return false;
}
