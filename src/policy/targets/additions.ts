import { isFields, valueAt } from '../../pdp/model/fields.ts';
import type { Path } from '../../pdp/model/violation.ts';
import { explicit } from './explicit.ts';
import type { TargetRef } from './target-ref.ts';
import type { Targeted } from './targeted.ts';

/** What a document would say besides, were it written in full (SPEC NS5). */

export interface Addition {
  /** From the document's root. */
  readonly path: Path;
  readonly value: unknown;
}

export function additionsOf(value: unknown, policy: Targeted, zone?: string): readonly Addition[] {
  const full = explicit(policy, zone);
  const top = [...policy.head.specPath, 'targetRef'];
  const additions = refAdditions(valueAt(value, top), policy.targetRef, full.targetRef!, top);
  for (const field of ['to', 'from'] as const)
    for (const [index, item] of (policy[field] ?? []).entries()) {
      // Items of `rules` have no field for it.
      if (item.path.at(-2) === 'rules') continue;
      const path = [...item.path, 'targetRef'];
      const written = valueAt(value, path);
      const got = isMeant(written) ? item.targetRef : undefined;
      additions.push(...refAdditions(written, got, full[field]![index]!.targetRef, path));
    }
  return additions;
}

/** The document in full, as plain data. */
export function explicitDocument(value: unknown, policy: Targeted, zone?: string): unknown {
  return additionsOf(value, policy, zone).reduce(
    (document, { path, value }) => put(document, path, value),
    value,
  );
}

function refAdditions(written: unknown, got: TargetRef | undefined, full: TargetRef, path: Path): Addition[] {
  const wanted = writable(full);
  if (got === undefined || !isMeant(written)) return [{ path, value: { ...asObject(written), ...wanted } }];
  const before = new Map<string, unknown>(Object.entries(got));
  return Object.entries(wanted).flatMap(([field, value]) => {
    const known = before.get(field);
    if (known === undefined || known === value)
      return known === value ? [] : [{ path: [...path, field], value }];
    if (!isFields(known) || !isFields(value))
      return field === 'kind' ? [{ path: [...path, field], value }] : [];
    return Object.entries(value)
      .filter(([key]) => !Object.hasOwn(known, key))
      .map(([key, text]) => ({ path: [...path, field, key], value: text }));
  });
}

/** A proxy that is named has no labels beside its name: its zone stays that of the policy's label, as for routes. */
function writable({ labels, within: _, ...ref }: TargetRef): TargetRef {
  return labels === undefined || ref.name !== undefined ? ref : { ...ref, labels };
}

function isMeant(written: unknown): boolean {
  return isFields(written) && written['kind'] !== undefined;
}

function asObject(value: unknown): object {
  return isFields(value) ? value : {};
}

/** A copy with the value at the path; a `targetRef` that is new stands before what it is about. */
function put(here: unknown, [part, ...rest]: Path, value: unknown): unknown {
  if (part === undefined) return value;
  if (Array.isArray(here)) return here.map((one, index) => (index === part ? put(one, rest, value) : one));
  const fields = asObject(here);
  const inner = put(valueAt(here, [part]), rest, value);
  if (part !== 'targetRef' || Object.hasOwn(fields, part)) return { ...fields, [part]: inner };
  const entries = Object.entries(fields);
  const first = Math.max(
    0,
    entries.findIndex(([key]) => bodies.includes(key)),
  );
  return Object.fromEntries([...entries.slice(0, first), [part, inner], ...entries.slice(first)]);
}

const bodies: readonly string[] = ['to', 'from', 'rules', 'conf', 'default'];
