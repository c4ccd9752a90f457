import { setTimeout as wait } from 'node:timers/promises';
import { parse } from 'yaml';
import { type Resource, resourcesOf } from '../../../src/policy/crds/resources.ts';
import { shippedKinds } from '../../../src/policy/files.ts';
import { descriptionsIn } from '../../../src/policy/kinds/descriptions.ts';
import { systemNamespace } from '../../../src/policy/kinds/head.ts';
import { withDescribed } from '../../../src/policy/kinds/registry.ts';
import { crdFiles } from '../../../tools/crds-files.ts';
import { Refused, type TestClient } from '../../support/kubernetes/client.ts';

/** Documents as objects of the API server, and the definitions that it needs for them. */

export const kinds = withDescribed(descriptionsIn(shippedKinds(), []).values());
export const resources = resourcesOf(kinds);

type Fields = { readonly [key: string]: unknown };

export interface Definition {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly group: string };
  readonly status?: { readonly conditions?: readonly { type: string; status: string; message?: string }[] };
}

export const definitions = [...crdFiles().values()].map((text) => parse(text) as Definition);
export const definitionsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Until the server serves them. */
export async function install(api: TestClient, some: readonly Definition[] = definitions): Promise<void> {
  for (const one of some) await api.post(definitionsPath, one);
  for (const one of some) await established(api, one.metadata.name);
  const paths = resources.filter(({ plural, apiVersion }) =>
    some.some(({ metadata }) => metadata.name === `${plural}.${apiVersion.split('/')[0]}`),
  );
  // A list may be refused for a moment after that.
  for (const one of paths) await eventually(() => api.get(pathOf(one)));
}

async function established(api: TestClient, name: string): Promise<void> {
  await eventually(async () => {
    const { status } = (await api.get(`${definitionsPath}/${name}`)) as unknown as Definition;
    if (!status?.conditions?.some((one) => one.type === 'Established' && one.status === 'True'))
      throw new Error(`${name} is not served`);
  });
}

/** What a server refuses just after a start, or a change of its own rules, it does a moment later. */
export async function eventually(tried: () => Promise<unknown>): Promise<void> {
  const until = performance.now() + 20_000;
  for (;;)
    try {
      await tried();
      return;
    } catch (error) {
      if (performance.now() > until) throw error;
      await wait(50);
    }
}

export function pathOf({ apiVersion, plural }: Resource, namespace?: string, name?: string): string {
  const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const within = namespace === undefined ? '' : `/namespaces/${namespace}`;
  return `${group}${within}/${plural}${name === undefined ? '' : `/${name}`}`;
}

export interface Placed {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly body: Fields;
}

const shortFields = ['type', 'name', 'namespace', 'mesh', 'labels', 'annotations', 'spec', '$schema', 'kri'];

/** Undefined: of a kind that is no resource, or named as no object may be. */
export function placed(value: unknown): Placed | undefined {
  const fields = value as Fields;
  const kubernetes = fields['apiVersion'] !== undefined;
  const kind = (fields['kind'] ?? fields['type']) as string;
  const resource = resources.find(
    (one) => one.kind === kind && (!kubernetes || one.apiVersion === fields['apiVersion']),
  );
  const metadata = (kubernetes ? fields['metadata'] : fields) as Fields | undefined;
  const name = metadata?.['name'];
  if (resource === undefined || typeof name !== 'string' || !isObjectName(name)) return undefined;
  // What is of no namespace in files is the operator's.
  const home = kinds.get(kind)?.namespace === 'optional' ? systemNamespace : 'default';
  const namespace = resource.namespaced ? String(metadata?.['namespace'] ?? home) : undefined;
  const rest = Object.fromEntries(Object.entries(fields).filter(([key]) => !shortFields.includes(key)));
  const { status: _, ...spec } = rest;
  return {
    resource,
    namespace,
    name,
    body: {
      apiVersion: resource.apiVersion,
      kind,
      metadata: {
        name,
        ...(namespace === undefined ? {} : { namespace }),
        ...(metadata?.['labels'] === undefined ? {} : { labels: metadata['labels'] }),
      },
      ...(fields['mesh'] === undefined ? {} : { mesh: fields['mesh'] }),
      spec: fields['spec'] ?? (kubernetes ? {} : spec),
    },
  };
}

function isObjectName(name: string): boolean {
  return /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(name);
}

/** As `kubectl apply` asks for it: unknown fields are refused. */
export async function store(api: TestClient, one: Placed): Promise<unknown> {
  const { resource, namespace, body } = one;
  const path = `${pathOf(resource, namespace)}?fieldValidation=Strict`;
  try {
    return await api.post(path, body);
  } catch (error) {
    const isHomeless = error instanceof Refused && error.message.includes('namespaces "');
    if (!isHomeless || error.status !== 404 || namespace === undefined) throw error;
    await api.post('/api/v1/namespaces', { metadata: { name: namespace } });
    return await api.post(path, body);
  }
}

export async function remove(api: TestClient, { resource, namespace, name }: Placed): Promise<void> {
  await api.delete(pathOf(resource, namespace, name));
}

/** In place of what is there. */
export async function put(api: TestClient, { resource, namespace, name, body }: Placed): Promise<void> {
  const path = pathOf(resource, namespace, name);
  const { metadata } = await api.get(path);
  const { resourceVersion } = metadata;
  await api.put(path, { ...body, metadata: { ...(body['metadata'] as object), resourceVersion } });
}
