import { type ReadableSource, WrittenAttributes } from './index/written.ts';
import type { StatedAttributes } from './model/request.ts';
import { keys } from './model/rule.ts';
import { isSpiffeId } from './model/spiffe-id.ts';
import { isStatedUnknown, textOf } from './stated.ts';

// What is exported is read and checked anew at each use; what a module keeps for itself is a constant in the code.
const { spiffeId: spiffeIdKey } = keys;

/** Whether a SPIFFE ID that stands among the attributes is one (SRC3). What was read off bytes has none there. */
export function isSound(source: ReadableSource | undefined): boolean {
  const attributes = source?.attributes as StatedAttributes | undefined;
  if (attributes?.[spiffeIdKey] === undefined) return true;
  const text = textOf(attributes, spiffeIdKey);
  return text === undefined || isSpiffeId(text);
}

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
