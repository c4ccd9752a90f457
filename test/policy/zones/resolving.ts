import { referencesOf, referred } from '../../../src/policy/zones/references.ts';
import { type Folder, labelsOf, type Value } from './syncing.ts';

/** A plain reading of what references lead to in a folder, apart from the code that rewrites them. */

/** Who a document is, wherever it lies: kind, mesh, zone, namespace and name as its owner knows them. */
export function who(value: Value, folder: Folder): string {
  const labels = labelsOf(value);
  const copy = labels['kuma.io/display-name'] !== undefined;
  const zone = copy ? (labels['kuma.io/zone'] ?? '') : (folder.side.zone ?? '');
  const namespace = labels['k8s.kuma.io/namespace'] ?? (copy ? '' : placeOf(value));
  return [
    kindOf(value),
    meshOf(value),
    zone,
    namespace,
    labels['kuma.io/display-name'] ?? nameOf(value),
  ].join(' ');
}

/** What each reference of each document leads to, by name and, unless only names are asked for, by labels. */
export function leads(folder: Folder, only?: 'names'): Map<string, string[]> {
  const all = folder.documents().map(({ value }) => value as Value);
  const found = new Map<string, string[]>();
  for (const value of all) {
    const to = referencesOf({ value }).flatMap(({ kind, at, ref }): string[] => {
      const target = referred(kind);
      if (only === 'names' && ref['name'] === undefined) return [];
      if (['Mesh', 'MeshSubset'].includes(kind) || (at === 'top' && target === 'MeshService')) return [];
      const hits = all.filter(
        (one) => kindOf(one) === target && meshOf(one) === meshOf(value) && hit(ref, one, value, folder),
      );
      const found = hits.map((one) => who(one, folder)).sort();
      return [
        found.length === 0 ? `${at} ${kind} ${JSON.stringify(ref)} leads nowhere` : found.join(' and '),
      ];
    });
    if (to.length > 0) found.set(who(value, folder), to);
  }
  return found;
}

function hit(ref: Value, value: Value, by: Value, folder: Folder): boolean {
  if (ref.name === undefined) {
    const labels = {
      'kuma.io/display-name': nameOf(value),
      'k8s.kuma.io/namespace': placeOf(value),
      'kuma.io/zone': folder.side.zone,
      ...labelsOf(value),
    } as Record<string, string | undefined>;
    return Object.entries(ref.labels ?? {}).every(([label, wanted]) => labels[label] === wanted);
  }
  const system = (namespace: string) => (namespace === folder.side.systemNamespace ? '' : namespace);
  const wanted = ref.namespace ?? placeOf(by);
  return ref.name === nameOf(value) && (isCluster(value) || system(wanted) === system(placeOf(value)));
}

const isCluster = (value: Value) => ['MeshGateway', 'MeshGatewayRoute'].includes(kindOf(value));
const kindOf = (value: Value): string => value.kind ?? value.type;
const nameOf = (value: Value): string => value.metadata?.name ?? value.name;
const placeOf = (value: Value): string => value.metadata?.namespace ?? value.namespace ?? '';
const meshOf = (value: Value): string => value.mesh ?? labelsOf(value)['kuma.io/mesh'] ?? 'default';
