import type { Document } from '../document.ts';
import type { Loaded } from '../load.ts';
import type { Plan } from './outcome.ts';

/** What would be written must be read as it was meant, beside all that stays. */
export function checked(
  plan: Plan,
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
  const made = written.flatMap((policy) =>
    policy.documents.map((value) => ({ value, place: () => undefined })),
  );
  const { violations } = reload([...kept, ...made]);
  if (violations.length === 0) return plan;
  const [{ message }] = violations as [(typeof violations)[number]];
  const reason = `what would be written is not read: ${message}`;
  const meshes = plan.meshes.map((mesh) => ({
    ...mesh,
    policies: mesh.policies.map((policy) =>
      policy.written ? { ...policy, written: false, reasons: [...policy.reasons, reason] } : policy,
    ),
  }));
  return { ...plan, meshes };
}

function without(document: Document, roots: ReadonlySet<string> | undefined): Document {
  if (roots === undefined) return document;
  if (roots.has('[]')) return { value: null, place: () => undefined };
  const list = document.value as { readonly items: readonly unknown[] };
  const items = list.items.filter((_, index) => !roots.has(JSON.stringify(['items', index])));
  return { value: { ...list, items }, place: () => undefined };
}
