import { byText } from '../../pdp/model/text.ts';
import { formatPath, type Path, type Place } from '../../pdp/model/violation.ts';
import type { Document } from '../../policy/document.ts';
import { displayName, kriOf } from '../../policy/kinds/head.ts';
import { lintByDocument } from '../../policy/lint/lint.ts';
import type { Loaded } from '../../policy/load.ts';
import { isShadowOnly } from '../../policy/lower/policy.ts';
import { type Selected, selectedBy } from './selected.ts';

/** One policy: what it selects, what of it does not count and why, and what there is to say of it. */
export interface PolicyStatus {
  readonly kri: string;
  readonly kind: string;
  /** As its owner knows it. */
  readonly name: string;
  readonly mesh?: string;
  readonly namespace?: string;
  readonly place?: Place;
  /** Never enforced. */
  readonly shadow: boolean;
  /** Of kinds that decide. */
  readonly rules?: number;
  readonly selects: Selected;
  readonly ignored: readonly { readonly field: string; readonly why: string; readonly place?: Place }[];
  readonly statuses: readonly Told[];
}

/** What is wrong with it, or worth saying of it. */
export interface Told {
  readonly severity: 'error' | 'warning' | 'note';
  readonly code: string;
  readonly field: string;
  readonly message: string;
  readonly hint?: string;
  readonly place?: Place;
}

/** Of a sound set, in the order of identifiers. */
export function policyStatuses(loaded: Loaded, documents: readonly Document[]): readonly PolicyStatus[] {
  const selected = selectedBy(loaded);
  const ignored = Map.groupBy(loaded.ignored, ({ document }) => document);
  const told = toldOf(loaded, documents);
  const made = new Map<string, PolicyStatus>();
  const add = (one: Named, rules?: number): void => {
    const place = documents[one.document]?.place(one.path);
    made.set(one.kri, {
      kri: one.kri,
      kind: one.kind,
      name: one.name,
      ...(one.mesh === '' ? {} : { mesh: one.mesh }),
      ...(one.namespace === undefined ? {} : { namespace: one.namespace }),
      ...(place === undefined ? {} : { place }),
      shadow: one.shadow,
      ...(rules === undefined ? {} : { rules }),
      selects: selected.get(one.kri)!,
      ignored: (ignored.get(one.document) ?? [])
        .filter(({ kind }) => kind === one.kind)
        .map(({ path, place }) => ({
          field: formatPath(path),
          why: 'Placet does not use it',
          ...(place === undefined ? {} : { place }),
        })),
      statuses: told.get(one.document) ?? [],
    });
  };
  for (const { head } of loaded.targeted)
    add({
      ...head,
      kri: kriOf(head),
      name: displayName(head),
      path: head.specPath,
      shadow: isShadowOnly(head),
    });
  for (const policy of loaded.policies) add(policy, policy.count);
  return [...made.values()].sort((a, b) => byText(a.kri, b.kri));
}

interface Named {
  readonly kri: string;
  readonly kind: string;
  readonly name: string;
  readonly mesh: string;
  readonly namespace: string | undefined;
  readonly document: number;
  readonly path: Path;
  readonly shadow: boolean;
}

/** By document. */
function toldOf(loaded: Loaded, documents: readonly Document[]): ReadonlyMap<number, readonly Told[]> {
  const all = [
    ...loaded.statuses.map((status) => ({
      document: status.document,
      told: toldOne('warning', status),
    })),
    ...lintByDocument(loaded, documents).map(({ document, finding }) => ({
      document,
      told: toldOne(finding.severity, finding),
    })),
  ];
  const byDocument = Map.groupBy(all, ({ document }) => document);
  return new Map([...byDocument].map(([document, list]) => [document, list.map(({ told }) => told)]));
}

export function toldOne(
  severity: Told['severity'],
  found: {
    readonly code: string;
    readonly path: Path;
    readonly message: string;
    readonly hint?: string;
    readonly place?: Place;
  },
): Told {
  const { code, path, message, hint, place } = found;
  return {
    severity,
    code,
    field: formatPath(path),
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(place === undefined ? {} : { place }),
  };
}
