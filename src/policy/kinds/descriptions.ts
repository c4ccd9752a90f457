import type { Violation } from '../../pdp/model/violation.ts';
import type { Document } from '../document.ts';
import { violation } from '../schema/issues.ts';
import { quote } from '../schema/words.ts';
import type { PolicyKind } from '../targets/policy-kind.ts';
import { readEnvelope } from './envelope.ts';
import { type Head, metadataPath } from './head.ts';
import { itemsOf } from './list.ts';
import { isObject } from './plain.ts';
import { type PolicyKindSpec, policyKindOf } from './policy-kind.ts';
import { kinds } from './registry.ts';

/** The kinds that documents describe; one of the set's own takes the place of one that comes with Placet. */
export function descriptionsIn(
  builtin: readonly Document[],
  documents: readonly Document[],
): ReadonlyMap<string, PolicyKind> {
  const found = new Map<string, PolicyKind>();
  for (const { value } of builtin) add(value, -1);
  const own = new Set<string>();
  for (const [index, { value }] of documents.entries())
    for (const item of itemsOf(value)) add(item.value, index, own);
  return found;

  /** What is wrong with one is said where all documents are read. */
  function add(value: unknown, document: number, seen?: Set<string>): void {
    if (!isObject(value) || (value['type'] ?? value['kind']) !== 'PolicyKind') return;
    const read = readEnvelope(value, document, [], kinds);
    if (read.as !== 'read' || kinds.has(read.head.name) || seen?.has(read.head.name)) return;
    seen?.add(read.head.name);
    found.set(read.head.name, policyKindOf(read.head, read.spec as PolicyKindSpec));
  }
}

/** Kinds that the code reads by itself cannot be described otherwise. */
export function descriptionViolation(head: Head): Violation | undefined {
  if (head.kind !== 'PolicyKind' || !kinds.has(head.name)) return undefined;
  const message = `got the name ${quote(head.name)}, want one that Placet does not read by itself`;
  return violation([...metadataPath(head), 'name'], 'conflict', message);
}
