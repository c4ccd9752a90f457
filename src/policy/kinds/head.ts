import { namespaceLabel } from '../../pdp/model/inventory.ts';
import type { Path } from '../../pdp/model/violation.ts';
import { quote } from '../../pdp/model/words.ts';

/** What every document says of itself, whichever shape it is written in. */
export interface Head {
  /** One of the code's own, or one that a document describes. */
  readonly kind: string;
  /** What its identifier begins with, for kinds that have one. */
  readonly shortName?: string;
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
  /** Where name, namespace and labels stand, if below the root. */
  readonly metadataPath?: Path;
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
  namespace: namespaceLabel,
  role: 'kuma.io/policy-role',
} as const;

/** Where the operator of the mesh keeps what is for all of it, and where synchronised copies lie. */
export const systemNamespace = 'kuma-system';

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

/** Of the operator of the mesh, rather than of the owner of a namespace (SPEC MTP7, NS1). */
export function isSystem(head: Head): boolean {
  const namespace = ownNamespace(head);
  return namespace === '' || namespace === systemNamespace;
}

/** The key-resource identifier, for kinds with a short name; `<kind>/<namespace>/<name>` for others. */
export function kriOf(head: Head): string {
  if (head.shortName !== undefined)
    return ['kri', head.shortName, head.mesh, zoneOf(head), ownNamespace(head), displayName(head), ''].join(
      '_',
    );
  return [head.kind, head.namespace ?? '', head.name].join('/');
}

export function metadataPath(head: Head): Path {
  return head.metadataPath ?? head.root;
}

/** As its owner would find it. */
export function named({ name, namespace, mesh }: Head): string {
  const inMesh = mesh === '' ? '' : ` in the mesh ${quote(mesh)}`;
  return `${quote(name)}${namespace === undefined ? '' : ` in the namespace ${quote(namespace)}`}${inMesh}`;
}
