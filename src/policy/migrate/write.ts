import { type Fields, isFields, valueAt } from '../../pdp/model/fields.ts';
import { limits } from '../../pdp/model/limits.ts';
import { byText } from '../../pdp/model/text.ts';
import type { Document } from '../document.ts';
import { labelNames } from '../kinds/head.ts';
import type { PolicyInfo } from '../load.ts';
import type { Clients } from './clients.ts';
import type { List, Marks } from './marks.ts';

/** Permissions in the shape that Kuma ships, with the names and labels of those that they replace (SPEC MIG8). */

export interface Source {
  readonly info: PolicyInfo;
  /** As it was written. */
  readonly document: Fields;
  readonly spec: Fields;
}

export function sourceOf(info: PolicyInfo, documents: readonly Document[]): Source {
  const value = documents[info.document]!.value;
  const root = info.path.at(-1) === 'spec' ? info.path.slice(0, -1) : info.path;
  return {
    info,
    document: valueAt(value, root) as Fields,
    spec: valueAt(value, info.path) as Fields,
  };
}

/** One document, and a second one where something is to hold in the shadow world alone. None where nothing is said. */
export function documentsOf(
  source: Source,
  targetRef: Fields | undefined,
  policy: number,
  marks: Marks,
  clients: Clients,
  isTaken: (source: Source, name: string) => boolean,
): readonly Fields[] {
  const lists = (...named: readonly (readonly [field: string, list: List])[]) =>
    Object.fromEntries(
      named
        .map(([field, list]) => [field, matchersOf(policy, list, marks, clients)] as const)
        .filter(([, matchers]) => matchers.length > 0),
    );
  const shadow = lists(['deny', 'shadowDeny'], ['allow', 'shadowAllow']);
  // A policy that is never enforced says in its own lists what is to hold in the shadow world.
  if (source.info.shadow) return isEmpty(shadow) ? [] : [documentOf(source, targetRef, shadow)];
  const own = lists(['deny', 'deny'], ['allowWithShadowDeny', 'allowWithShadowDeny'], ['allow', 'allow']);
  return [
    ...(isEmpty(own) ? [] : [documentOf(source, targetRef, own)]),
    ...(isEmpty(shadow) ? [] : [shadowOf(source, documentOf(source, targetRef, shadow), isTaken)]),
  ];
}

function matchersOf(
  policy: number,
  list: List,
  marks: Marks,
  { ids, trustDomains }: Clients,
): readonly Fields[] {
  const found: { readonly type: 'Exact' | 'Prefix'; readonly value: string }[] = [];
  const covered = new Set<number>();
  for (const { name, rest, members } of trustDomains) {
    if (!marks.has(policy, list, rest)) continue;
    found.push({ type: 'Prefix', value: `spiffe://${name}/` });
    for (const id of [rest, ...members]) covered.add(id);
  }
  for (const id of marks.of(policy, list))
    if (!covered.has(id)) found.push({ type: 'Exact', value: ids[id]! });
  return found.sort((a, b) => byText(a.value, b.value)).map((spiffeID) => ({ spiffeID }));
}

function documentOf({ document }: Source, targetRef: Fields | undefined, lists: Fields): Fields {
  const spec = { ...(targetRef === undefined ? {} : { targetRef }), rules: [{ default: lists }] };
  const { type, apiVersion, kind, name, mesh, namespace, labels, annotations, metadata } = document;
  if (apiVersion === undefined)
    return { type, name, ...given({ mesh, namespace, labels, annotations }), spec };
  return { apiVersion, kind, metadata: own(metadata as Fields), ...given({ mesh }), spec };
}

/** Without what the API server added, which is not its owner's. */
function own({ name, namespace, labels, annotations }: Fields): Fields {
  const notes = isFields(annotations)
    ? Object.entries(annotations).filter(
        ([key]) => key !== 'kubectl.kubernetes.io/last-applied-configuration',
      )
    : [];
  return {
    name,
    ...given({ namespace, labels, annotations: notes.length === 0 ? undefined : Object.fromEntries(notes) }),
  };
}

function given(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
}

function shadowOf(
  source: Source,
  document: Fields,
  isTaken: (source: Source, name: string) => boolean,
): Fields {
  const metadata = isFields(document['metadata']) ? document['metadata'] : document;
  const written = metadata['name'] as string;
  let name = suffixed(written, '-shadow');
  for (let count = 2; isTaken(source, name); count++) name = suffixed(written, `-shadow-${count}`);
  const labels = { ...(metadata['labels'] as Fields | undefined), [labelNames.effect]: 'shadow' };
  if (Object.hasOwn(labels, labelNames.displayName))
    Object.assign(labels, { [labelNames.displayName]: name });
  const changed = { ...metadata, name, labels };
  if (metadata === document) {
    const { type, name: _, mesh, namespace, labels: __, ...rest } = document;
    return { type, name, ...given({ mesh, namespace }), labels, ...rest };
  }
  return { ...document, metadata: changed };
}

function suffixed(name: string, suffix: string): string {
  return name.slice(0, limits.nameBytes - suffix.length) + suffix;
}

function isEmpty(fields: Fields): boolean {
  return Object.keys(fields).length === 0;
}
