/** A kind of objects as the API server has it. */
export interface ResourceKind {
  /** `placet.dev/v1alpha1`; `v1` for what Kubernetes itself has. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

export function groupOf({ apiVersion }: Pick<ResourceKind, 'apiVersion'>): string {
  const slash = apiVersion.indexOf('/');
  return slash === -1 ? '' : apiVersion.slice(0, slash);
}

/** Where a group and version say what they have. */
export function versionPath({ apiVersion }: Pick<ResourceKind, 'apiVersion'>): string {
  return apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

/** Where all objects of the kind are. */
export function pathOf(kind: ResourceKind): string {
  return `${versionPath(kind)}/${kind.plural}`;
}

/** `accesspolicies.placet.dev`, which is also the name of its definition. */
export function resourceName(kind: ResourceKind): string {
  const group = groupOf(kind);
  return group === '' ? kind.plural : `${kind.plural}.${group}`;
}
