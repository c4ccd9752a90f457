import { type Fields, isFields } from '../../pdp/model/fields.ts';
import type { Violation } from '../../pdp/model/violation.ts';
import { quote } from '../../pdp/model/words.ts';
import type { Document } from '../document.ts';
import { violation } from '../schema/issues.ts';
import type { PolicyKind } from '../targets/policy-kind.ts';
import { readEnvelope } from './envelope.ts';
import { type Head, metadataPath } from './head.ts';
import { itemsOf } from './list.ts';
import { type PolicyKindSpec, policyKindOf } from './policy-kind.ts';
import { kinds } from './registry.ts';

/** What comes with Placet is parsed only where it is needed, and described once. */
export type Builtin = readonly Document[] | (() => readonly Document[]);

const known = new WeakMap<readonly Document[], ReadonlyMap<string, PolicyKind>>();

/** The kinds that documents describe; one of the set's own takes the place of one that comes with Placet. */
export function descriptionsIn(
  builtin: Builtin,
  documents: readonly Document[],
): ReadonlyMap<string, PolicyKind> {
  const own = described(documents, (index) => index);
  if (typeof builtin === 'function' && !hasOthers(documents)) return own;
  const shipped = typeof builtin === 'function' ? builtin() : builtin;
  const others = known.get(shipped) ?? described(shipped, () => -1);
  known.set(shipped, others);
  return own.size === 0 ? others : new Map([...others, ...own]);
}

/** Whether a document is of a kind that the code does not read by itself. */
function hasOthers(documents: readonly Document[]): boolean {
  return documents.some(({ value }) =>
    itemsOf(value).some((item) => isFields(item.value) && !kinds.has(nameOf(item.value))),
  );
}

function nameOf({ type, kind }: Fields): string {
  const name = kind ?? type;
  return typeof name === 'string' ? name : '';
}

function described(
  documents: readonly Document[],
  numberOf: (index: number) => number,
): ReadonlyMap<string, PolicyKind> {
  const found = new Map<string, PolicyKind>();
  for (const [index, { value }] of documents.entries())
    for (const item of itemsOf(value)) {
      if (!isFields(item.value) || nameOf(item.value) !== 'PolicyKind') continue;
      // What is wrong with one is said where all documents are read.
      const read = readEnvelope(item.value, numberOf(index), [], kinds);
      if (read.as !== 'read' || kinds.has(read.head.name) || found.has(read.head.name)) continue;
      found.set(read.head.name, policyKindOf(read.head, read.spec as PolicyKindSpec));
    }
  return found;
}

/** Kinds that the code reads by itself cannot be described otherwise. */
export function descriptionViolation(head: Head): Violation | undefined {
  if (head.kind !== 'PolicyKind' || !kinds.has(head.name)) return undefined;
  const message = `got the name ${quote(head.name)}, want one that Placet does not read by itself`;
  return violation([...metadataPath(head), 'name'], 'conflict', message);
}
