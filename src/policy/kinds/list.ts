import { type Fields, isFields } from '../../pdp/model/fields.ts';
import type { Path, Violation } from '../../pdp/model/violation.ts';
import { nameOf } from '../../pdp/model/words.ts';
import { violation } from '../schema/issues.ts';

const root: Path = [];

/** A document, or, of a Kubernetes `List`, each of its items (SPEC DOC9). */
export function itemsOf(value: unknown): readonly { readonly value: unknown; readonly path: Path }[] {
  if (!isFields(value) || !isList(value) || !Array.isArray(value['items'])) return [{ value, path: root }];
  return value['items'].map((item: unknown, index) => ({ value: item, path: ['items', index] }));
}

/** Of one whose items are none: it is no document either. */
export function listViolation(value: Fields, path: Path): Violation | undefined {
  const { items } = value;
  if (!isList(value) || Array.isArray(items)) return undefined;
  const code = items === undefined ? 'missing' : 'type';
  return violation([...path, 'items'], code, `got ${nameOf(items)}, want a list`);
}

function isList({ apiVersion, kind }: Fields): boolean {
  return apiVersion === 'v1' && kind === 'List';
}
