import type { Condition } from '../../pdp/model/rule.ts';
import { quote } from '../../pdp/model/words.ts';
import type { Document } from '../document.ts';
import type { Loaded, PolicyInfo } from '../load.ts';
import { destinationOf, keyOf } from './ground.ts';
import type { Inbounds } from './inbounds.ts';
import type { Plan } from './outcome.ts';

/**
 * What would be written must be read as it was meant, beside all that stays, and be for the same inbounds as what it
 * replaces: whatever gap there is between what was worked out and what is read, it is told and nothing is written.
 */
export function checked(
  plan: Plan,
  loaded: Loaded,
  inbounds: Inbounds,
  documents: readonly Document[],
  reload: (documents: readonly Document[]) => Loaded,
): Plan {
  const written = plan.meshes.flatMap(({ policies }) => policies.filter((policy) => policy.written));
  const replaced = new Map<number, Set<string>>();
  for (const { info } of written) {
    const root = JSON.stringify(info.path.at(-1) === 'spec' ? info.path.slice(0, -1) : info.path);
    const set = replaced.get(info.document);
    if (set === undefined) replaced.set(info.document, new Set([root]));
    else set.add(root);
  }
  const kept = documents.map((document, index) => without(document, replaced.get(index)));
  const made = written.flatMap(({ info, documents: own }) => own.map((value) => ({ info, value })));
  const read = reload([...kept, ...made.map(({ value }) => ({ value, place: () => undefined }))]);
  const reason = faultOf(read) ?? strayed();
  if (reason === undefined) return plan;
  const meshes = plan.meshes.map((mesh) => ({
    ...mesh,
    policies: mesh.policies.map((policy) =>
      policy.written ? { ...policy, written: false, reasons: [...policy.reasons, reason] } : policy,
    ),
  }));
  return { ...plan, meshes };

  function strayed(): string | undefined {
    const byDocument = new Map(read.policies.map((info) => [info.document, info]));
    const stray = made.find(({ info }, at) => {
      const now = byDocument.get(kept.length + at);
      const is = now && destination(read, now);
      if (is === undefined) return true;
      const was = destinationOf(loaded.rules[info.first]!);
      return keyOf(is) !== keyOf(was) && !inbounds.selectsSame(is, was);
    });
    return stray && `what would be written for ${quote(stray.info.name)} selects other inbounds`;
  }
}

function faultOf({ violations: [first] }: Loaded): string | undefined {
  return first && `what would be written is not read: ${first.message}`;
}

function destination({ rules }: Loaded, { first, count }: PolicyInfo): readonly Condition[] | undefined {
  return count === 0 ? undefined : destinationOf(rules[first]!);
}

function without(document: Document, roots: ReadonlySet<string> | undefined): Document {
  if (roots === undefined) return document;
  if (roots.has('[]')) return { value: null, place: () => undefined };
  const list = document.value as { readonly items: readonly unknown[] };
  const items = list.items.filter((_, index) => !roots.has(JSON.stringify(['items', index])));
  return { value: { ...list, items }, place: () => undefined };
}
