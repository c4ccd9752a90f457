import { Templates } from '../../pdp/model/facts.ts';
import {
  type Dataplane,
  type Inventory,
  type Mesh,
  namespaceOf,
  nameWith,
  type Workload,
} from '../../pdp/model/inventory.ts';
import { keys } from '../../pdp/model/rule.ts';
import { byText } from '../../pdp/model/text.ts';
import type { Violation } from '../../pdp/model/violation.ts';
import { quote } from '../../pdp/model/words.ts';
import type { DataplaneSpec } from '../kinds/dataplane.ts';
import type { Head } from '../kinds/head.ts';
import type { MeshSpec } from '../kinds/mesh.ts';
import type { ServiceSpec } from '../kinds/service.ts';
import type { WorkloadSpec } from '../kinds/workload.ts';
import { violation } from '../schema/issues.ts';
import type { Complain } from './complain.ts';
import { type PeerEntry, peersOf } from './peers.ts';
import type { Pool } from './pool.ts';
import { dataplaneOf, meshOf } from './proxies.ts';
import { type SiteEntry, siteOf } from './site.ts';
import { serviceOf, workloadOf } from './workloads.ts';

/** The documents that say what there is, right by themselves. */
export interface Things {
  readonly meshes: readonly { readonly head: Head; readonly spec: MeshSpec }[];
  readonly dataplanes: readonly { readonly head: Head; readonly spec: DataplaneSpec }[];
  readonly services: readonly { readonly head: Head; readonly spec: ServiceSpec | undefined }[];
  readonly workloads: readonly { readonly head: Head; readonly spec: WorkloadSpec }[];
  readonly sites: readonly SiteEntry[];
  readonly peers: readonly PeerEntry[];
}

/** All maps are in the order of their keys, whatever the order of documents. */
export function inventoryOf(
  things: Things,
  policyMeshes: Iterable<string>,
  pool: Pool,
  complain: Complain,
): Inventory {
  const { site, violations } = siteOf(
    sorted(things.sites),
    pool,
    things.peers.flatMap(({ spec }) => spec.trustDomains),
  );
  for (const found of violations) complain(found.document, found.violation);
  const meshes = meshesOf(things, policyMeshes);
  return {
    meshes,
    dataplanes: dataplanesOf(things.dataplanes, complain),
    services: new Map(
      sorted(things.services)
        .map(({ head, spec }) => serviceOf(head, spec))
        .map((service) => [`${service.namespace}/${service.name}`, service]),
    ),
    workloads: workloadsOf(things.workloads, new Templates(site, meshes), complain),
    site,
    peers: peersOf(sorted(things.peers), things.sites, site.name, complain),
  };
}

/** A mesh that is only named has the defaults. */
function meshesOf(things: Things, policyMeshes: Iterable<string>): ReadonlyMap<string, Mesh> {
  const meshes = new Map<string, Mesh>();
  for (const name of policyMeshes) meshes.set(name, meshOf(name, {}));
  for (const { head } of things.dataplanes) meshes.set(head.mesh, meshOf(head.mesh, {}));
  for (const { head, spec } of things.meshes) meshes.set(head.name, meshOf(head.name, spec, head.document));
  return new Map([...meshes].sort(([a], [b]) => byText(a, b)));
}

/** Where several of a mesh have a name, those in a namespace are called with it (SPEC DST9). */
function dataplanesOf(entries: Things['dataplanes'], complain: Complain): Inventory['dataplanes'] {
  const all = sorted(entries).map(({ head, spec }) => ({ head, dataplane: dataplaneOf(head, spec) }));
  const ofName = Map.groupBy(all, ({ head }) => `${head.mesh}/${head.name}`);
  const found = new Map<string, Dataplane>();
  for (const { head, dataplane } of all) {
    const namespace = namespaceOf(dataplane);
    const isOnly = ofName.get(`${head.mesh}/${head.name}`)?.length === 1;
    const called =
      isOnly || namespace === undefined
        ? dataplane
        : { ...dataplane, name: nameWith(namespace, head.name), ownName: head.name };
    const key = `${head.mesh}/${called.name}`;
    if (!found.has(key)) found.set(key, called);
    else {
      const message = `got a second dataplane that is called ${quote(called.name)} in the mesh ${quote(head.mesh)}, want names that differ within a mesh`;
      complain(head.document, violation(head.root, 'duplicate-document', message));
    }
  }
  return found;
}

function workloadsOf(
  entries: Things['workloads'],
  templates: Templates,
  complain: Complain,
): readonly Workload[] {
  return sorted(entries).map(({ head, spec }) => {
    const foreign = foreignId(head, spec.spiffeId, templates);
    if (foreign !== undefined) complain(head.document, foreign);
    return workloadOf(head, spec);
  });
}

/** In Kubernetes a namespace has an owner, who does not speak for the IDs of another (SPEC INV1). */
function foreignId(head: Head, id: string | undefined, templates: Templates): Violation | undefined {
  if (id === undefined || head.metadataPath === undefined) return undefined;
  const namespace = templates.values(id)?.get(keys.k8sNamespace);
  if (namespace === undefined || namespace === head.namespace) return undefined;
  const message = `got ${quote(id)}, which is of the namespace ${quote(namespace)}, want an ID of its own namespace ${quote(head.namespace ?? 'default')}`;
  return violation([...head.specPath, 'spiffeId'], 'conflict', message);
}

function sorted<T extends { readonly head: Head }>(entries: readonly T[]): readonly T[] {
  return [...entries].sort(
    ({ head: a }, { head: b }) =>
      byText(a.mesh, b.mesh) || byText(a.namespace ?? '', b.namespace ?? '') || byText(a.name, b.name),
  );
}
