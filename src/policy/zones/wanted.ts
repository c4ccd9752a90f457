import type { Fields } from '../../pdp/model/fields.ts';
import type { Document } from '../document.ts';
import { violation } from '../schema/issues.ts';
import { copyOf } from './copy.ts';
import { Names } from './names.ts';
import type { Outcome } from './outcome.ts';
import { called, type Resource } from './resource.ts';
import type { Side } from './side.ts';
import type { Digest, Identity } from './suffix.ts';
import { verdictOn } from './verdict.ts';

/** A copy that is to be. */
export interface Wanted {
  readonly source: Resource;
  /** Whose copy it is; the source may be one itself. */
  readonly of: Identity;
  readonly value: Fields;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly reason: string;
}

/** By kind and name, since all copies lie in one namespace. */
export function keyOf({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return `${kind} ${name}`;
}

/** What one side has for the other. Two documents with one copy are refused, however unlikely that is (SPEC ZON2). */
export function wantedOf(
  resources: readonly Resource[],
  documents: readonly Document[],
  from: Side,
  to: Side,
  digest: Digest,
  outcome: Outcome,
): ReadonlyMap<string, Wanted> {
  const names = new Names(resources, from, to, digest);
  const wanted = new Map<string, Wanted>();
  for (const source of resources) {
    const { goes, reason, role } = verdictOn(source, names, from, to);
    if (!goes) {
      outcome.act('skip', source, documents, reason);
      continue;
    }
    const { name, namespace } = names.spot(source);
    const key = keyOf({ kind: source.kind, name });
    const first = wanted.get(key)?.source;
    if (first === undefined) {
      const value = copyOf(source, names, from, to, role);
      wanted.set(key, { source, of: names.identity(source), value, name, namespace, reason });
      continue;
    }
    const place = documents[first.document]?.place(first.root);
    const where =
      place === undefined ? `document ${first.document}` : `${place.file}:${place.line}:${place.column}`;
    const message = `got a ${called(source)} that has the same copy as the ${called(first)} at ${where}`;
    outcome.refuse(documents[source.document], violation(source.root, 'duplicate-document', message));
  }
  return wanted;
}
