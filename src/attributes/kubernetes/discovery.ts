import { ApiError, readAnswer } from './answers.ts';
import type { Api } from './client.ts';
import { groupOf, type ResourceKind, resourceName, versionPath } from './resource-kind.ts';

/** Whether the API server has a kind. That it has none is believed only where it is sure. */
export type Existence =
  | { readonly is: 'served' }
  | { readonly is: 'missing'; readonly why: string }
  /** `versions`: those in which it is served, none of which is ours. Of its objects nothing can be known then. */
  | { readonly is: 'unknown'; readonly why: string; readonly versions?: readonly string[] };

const notFound = 404;

/**
 * Asks what the versions of the groups have, and, of what they do not have, whether there is a definition of it: just
 * after a start a server leaves out what it does not serve yet, and policies would be missing with it.
 */
export async function findKinds(
  api: Api,
  kinds: readonly ResourceKind[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<ResourceKind, Existence>> {
  const versions = new Map<string, Promise<ReadonlySet<string> | Error>>();
  for (const kind of kinds) {
    const path = versionPath(kind);
    if (!versions.has(path)) versions.set(path, namesAt(api, path, signal));
  }
  const found = await Promise.all(
    kinds.map(async (kind): Promise<[ResourceKind, Existence]> => {
      const names = (await versions.get(versionPath(kind))) as ReadonlySet<string> | Error;
      if (names instanceof Error) return [kind, { is: 'unknown', why: names.message }];
      if (names.has(kind.plural)) return [kind, { is: 'served' }];
      return [kind, await definitionOf(api, kind, signal)];
    }),
  );
  return new Map(found);
}

interface Definition {
  readonly spec?: { readonly versions?: readonly { readonly name?: string; readonly served?: boolean }[] };
}

async function definitionOf(api: Api, kind: ResourceKind, signal?: AbortSignal): Promise<Existence> {
  const name = resourceName(kind);
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
  const answer = await ask(api, path, signal);
  if (answer === undefined)
    return {
      is: 'missing',
      why: `the API server has no ${name}, want its definition (deploy/crds)`,
    };
  if (answer instanceof Error) return { is: 'unknown', why: answer.message };
  const served = ((answer as Definition).spec?.versions ?? []).flatMap((one) =>
    one.served === true && one.name !== undefined ? [`${groupOf(kind)}/${one.name}`] : [],
  );
  if (served.includes(kind.apiVersion)) return { is: 'unknown', why: `${name} is not served yet` };
  return {
    is: 'unknown',
    why: `the API server has ${name} in ${served.join(', ') || 'no version'}, want ${kind.apiVersion}`,
    versions: served,
  };
}

async function namesAt(api: Api, path: string, signal?: AbortSignal): Promise<ReadonlySet<string> | Error> {
  const answer = await ask(api, path, signal);
  if (answer instanceof Error) return answer;
  const { resources } = (answer ?? {}) as { readonly resources?: readonly { readonly name?: string }[] };
  return new Set((resources ?? []).flatMap(({ name }) => name ?? []));
}

/** Undefined: there is no such thing. */
async function ask(api: Api, path: string, signal?: AbortSignal): Promise<unknown> {
  try {
    return await readAnswer(await api.send(path, signal === undefined ? {} : { signal }));
  } catch (error) {
    if (error instanceof ApiError && error.status === notFound) return undefined;
    return error instanceof Error ? error : new Error(String(error));
  }
}
