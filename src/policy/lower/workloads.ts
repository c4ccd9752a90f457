import type { Service, Workload } from '../../pdp/model/inventory.ts';
import { keys } from '../../pdp/model/rule.ts';
import { encodeImages } from '../images.ts';
import type { Head } from '../kinds/head.ts';
import type { ServiceSpec } from '../kinds/service.ts';
import type { ContainerSpec, WorkloadSpec } from '../kinds/workload.ts';

/** Services and workloads as the inventory has them. */

export function serviceOf(head: Head, spec: ServiceSpec | undefined): Service {
  const namespace = head.namespace ?? 'default';
  const attributes = new Map([
    ['service:name', head.name],
    [keys.k8sNamespace, namespace],
    ...labelsOf(head),
    ...Object.entries(spec?.attributes ?? {}),
  ]);
  return { namespace, name: head.name, attributes, document: head.document };
}

export function workloadOf(head: Head, spec: WorkloadSpec): Workload {
  const namespace = head.namespace ?? 'default';
  const attributes = new Map([[keys.k8sNamespace, namespace], ['k8s:pod', head.name], ...labelsOf(head)]);
  if (spec.serviceAccount !== undefined) attributes.set(keys.k8sServiceAccount, spec.serviceAccount);
  if (spec.owner !== undefined) attributes.set('k8s:owner', spec.owner);
  addImages(attributes, 'k8s:container-image', spec.images, spec.containers);
  addImages(attributes, 'k8s:init-container-image', spec.initImages, spec.initContainers);
  for (const [key, value] of Object.entries(spec.attributes ?? {})) attributes.set(key, value);
  return {
    namespace,
    name: head.name,
    ...(spec.spiffeId === undefined ? {} : { spiffeId: spec.spiffeId }),
    attributes,
    document: head.document,
  };
}

function labelsOf(head: Head): [string, string][] {
  return Object.entries(head.labels).map(([label, value]) => [keys.k8sLabel + label, value]);
}

/** All images as one value, and one a container, so that a sidecar does not change what a policy asks for. */
function addImages(
  attributes: Map<string, string>,
  key: string,
  images: readonly string[] | undefined,
  containers: readonly ContainerSpec[] | undefined,
): void {
  const all = images ?? containers?.map((one) => one.image) ?? [];
  if (all.length > 0) attributes.set(key, encodeImages(all));
  const digests: string[] = [];
  for (const { name, image, digest } of containers ?? []) {
    attributes.set(`${key}:${name}`, image);
    if (digest === undefined) continue;
    attributes.set(`${key}-digest:${name}`, digest);
    digests.push(digest);
  }
  if (digests.length > 0 && digests.length === all.length)
    attributes.set(`${key}-digest`, encodeImages(digests));
}
