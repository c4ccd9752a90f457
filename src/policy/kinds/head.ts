import type { KindName } from './registry.ts';

export type Path = readonly (string | number)[];

/** What every document says of itself, whichever shape it is written in. */
export interface Head {
  readonly kind: KindName;
  readonly apiVersion: string;
  readonly name: string;
  readonly namespace: string | undefined;
  /** For kinds of a mesh. */
  readonly mesh: string;
  readonly labels: Labels;
  /** Which document. */
  readonly document: number;
  /** Where in the document it starts: below `items` of a Kubernetes list, else the root. */
  readonly root: Path;
  /** Where its own fields stand. */
  readonly specPath: Path;
}

export type Labels = Readonly<Record<string, string>>;
export const noLabels: Labels = Object.freeze(Object.create(null));

export const labelNames = {
  mesh: 'kuma.io/mesh',
  zone: 'kuma.io/zone',
  origin: 'kuma.io/origin',
  effect: 'kuma.io/effect',
  displayName: 'kuma.io/display-name',
  namespace: 'k8s.kuma.io/namespace',
} as const;

/** The name as its owner knows it; a synchronised copy has another one in its metadata. */
export function displayName(head: Head): string {
  return head.labels[labelNames.displayName] ?? head.name;
}

/** The namespace that a policy or a dataplane belongs to; a synchronised copy lies in another one. */
export function ownNamespace(head: Head): string {
  return head.labels[labelNames.namespace] ?? head.namespace ?? '';
}

export function zoneOf(head: Head): string {
  return head.labels[labelNames.zone] ?? '';
}

/** The key-resource identifier of a MeshTrafficPermission; `<kind>/<namespace>/<name>` for kinds without. */
export function kriOf(head: Head): string {
  if (head.kind === 'MeshTrafficPermission')
    return ['kri', 'mtp', head.mesh, zoneOf(head), ownNamespace(head), displayName(head), ''].join('_');
  return [head.kind, head.namespace ?? '', head.name].join('/');
}
