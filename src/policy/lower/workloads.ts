import { addImages, imageKeys } from '../../pdp/model/images.ts';
import type { Service, Workload } from '../../pdp/model/inventory.ts';
import { keys } from '../../pdp/model/rule.ts';
import type { Head } from '../kinds/head.ts';
import type { ServiceSpec } from '../kinds/service.ts';
import type { WorkloadSpec } from '../kinds/workload.ts';

/** Services and workloads as the inventory has them. */

export function serviceOf(head: Head, spec: ServiceSpec | undefined): Service {
  const namespace = head.namespace ?? 'default';
  const attributes = new Map([
    [keys.serviceName, head.name],
    [keys.k8sNamespace, namespace],
    ...labelsOf(head),
    ...Object.entries(spec?.attributes ?? {}),
  ]);
  return { namespace, name: head.name, attributes, document: head.document };
}

export function workloadOf(head: Head, spec: WorkloadSpec): Workload {
  const namespace = head.namespace ?? 'default';
  const attributes = new Map([[keys.k8sNamespace, namespace], [keys.k8sPod, head.name], ...labelsOf(head)]);
  if (spec.serviceAccount !== undefined) attributes.set(keys.k8sServiceAccount, spec.serviceAccount);
  if (spec.owner !== undefined) attributes.set(keys.k8sOwner, spec.owner);
  addImages(attributes, imageKeys.containers, spec.containers ?? [], spec.images);
  addImages(attributes, imageKeys.initContainers, spec.initContainers ?? [], spec.initImages);
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
