import { valueAt } from '../../pdp/model/fields.ts';
import type { Path } from '../../pdp/model/violation.ts';
import type { Ground } from './finding.ts';

export type Direction = 'from' | 'to';

/** A condition of an AccessPolicy as it is written. */
export interface Written {
  readonly document: number;
  readonly direction: Direction;
  readonly key: string;
  readonly path: Path;
  readonly values: readonly { readonly value: string; readonly path: Path }[];
}

/** Of all AccessPolicies, in the order of documents. */
export function* writtenConditions({ loaded, documents }: Ground): Generator<Written> {
  for (const { kind, document, path } of loaded.policies) {
    if (kind === 'MeshTrafficPermission') continue;
    for (const direction of ['from', 'to'] as const) {
      const entries = valueAt(documents[document]?.value, [...path, direction]);
      if (!Array.isArray(entries)) continue;
      for (const [i, entry] of entries.entries())
        for (const one of ofSelector(entry, [...path, direction, i, 'workloadSelector']))
          yield { document, direction, ...one };
    }
  }
}

type OfSelector = Pick<Written, 'key' | 'path' | 'values'>;

function ofSelector(entry: unknown, base: Path): OfSelector[] {
  const labels = Object.entries(Object(valueAt(entry, ['workloadSelector', 'matchLabels'])));
  const found = labels.map(([key, value]): OfSelector => {
    const path = [...base, 'matchLabels', key];
    return { key, path, values: [{ value: value as string, path }] };
  });
  const expressions = valueAt(entry, ['workloadSelector', 'matchExpressions']);
  if (!Array.isArray(expressions)) return found;
  for (const [i, { key, values = [] }] of expressions.entries()) {
    const path = [...base, 'matchExpressions', i];
    const several = (values as readonly string[]).map((value, j) => ({
      value,
      path: [...path, 'values', j],
    }));
    found.push({ key, path: [...path, 'key'], values: several });
  }
  return found;
}
