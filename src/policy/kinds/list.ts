import type { Path } from './head.ts';
import { isObject } from './plain.ts';

const root: Path = [];

/** A document, or, of a Kubernetes `List`, each of its items (SPEC DOC9). */
export function itemsOf(value: unknown): readonly { readonly value: unknown; readonly path: Path }[] {
  if (
    !isObject(value) ||
    value['apiVersion'] !== 'v1' ||
    value['kind'] !== 'List' ||
    !Array.isArray(value['items'])
  )
    return [{ value, path: root }];
  return value['items'].map((item: unknown, index) => ({ value: item, path: ['items', index] }));
}
