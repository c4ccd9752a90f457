import { readAnswer } from './answers.ts';
import type { Api } from './client.ts';
import { groupOf, type ResourceKind, resourceName } from './resource-kind.ts';

/** Something that the API server has to let us do, in all namespaces. */
export interface Permission {
  readonly verb: 'list' | 'watch' | 'get' | 'create';
  /** Empty: that of Kubernetes itself. */
  readonly group: string;
  readonly resource: string;
  /** Only the object of this name. */
  readonly name?: string;
}

/** What it takes to follow these kinds and the pods, and to review tokens; nothing else is ever asked of the server. */
export function permissionsFor(kinds: readonly ResourceKind[]): readonly Permission[] {
  const definitions = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' };
  return [
    ...follow('', 'pods'),
    ...follow('apps', 'replicasets'),
    ...kinds.flatMap((kind) => follow(groupOf(kind), kind.plural)),
    ...kinds
      .filter((kind) => groupOf(kind) !== '')
      .map((kind) => ({ verb: 'get', ...definitions, name: resourceName(kind) }) as const),
    { verb: 'create', group: 'authentication.k8s.io', resource: 'tokenreviews' },
  ];
}

function follow(group: string, resource: string): readonly Permission[] {
  return (['list', 'watch'] as const).map((verb) => ({ verb, group, resource }));
}

/** `list accesspolicies.placet.dev` */
export function permissionText({ verb, group, resource, name }: Permission): string {
  return `${verb} ${resource}${group === '' ? '' : `.${group}`}${name === undefined ? '' : ` ${name}`}`;
}

/** Whether the server would let us. Throws where it does not say. */
export async function isAllowed(api: Api, permission: Permission): Promise<boolean> {
  const body = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: permission },
  };
  const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  const answer = (await readAnswer(await api.send(path, { method: 'POST', body }))) as {
    readonly status?: { readonly allowed?: unknown };
  };
  return answer.status?.allowed === true;
}
