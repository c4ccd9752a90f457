import { isFields } from '../../pdp/model/fields.ts';
import type { Path } from '../../pdp/model/violation.ts';

/** A document within what a text holds: itself, an item of a list of documents, an item of a Kubernetes `List`. */
export interface Wrapped {
  readonly base: Path;
  readonly value: unknown;
}

export function* unwrap(value: unknown, base: Path = []): Generator<Wrapped, void> {
  if (Array.isArray(value) && base.length === 0) {
    for (let i = 0; i < value.length; i++) yield* unwrapList(value[i], [i]);
    return;
  }
  yield* unwrapList(value, base);
}

function* unwrapList(value: unknown, base: Path): Generator<Wrapped, void> {
  const items = itemsOf(value);
  if (items === undefined) yield { base, value };
  else for (let i = 0; i < items.length; i++) yield { base: [...base, 'items', i], value: items[i] };
}

function itemsOf(value: unknown): readonly unknown[] | undefined {
  if (!isFields(value) || value['kind'] !== 'List' || !Array.isArray(value['items'])) return undefined;
  return value['items'];
}

/** A file of cases tests policies and is none. */
export function isCases(value: unknown): boolean {
  return (
    isFields(value) &&
    Object.hasOwn(value, 'cases') &&
    !Object.hasOwn(value, 'kind') &&
    !Object.hasOwn(value, 'type')
  );
}

/** A JSON Schema, such as lies beside policies for editors, says nothing about who may talk to whom. */
export function isSchema(value: unknown): boolean {
  if (!isFields(value) || Object.hasOwn(value, 'kind')) return false;
  const { $schema: schema, type } = value;
  return (
    typeof schema === 'string' &&
    /^https?:\/\/json-schema\.org\//.test(schema) &&
    (type === undefined || type === 'object')
  );
}
