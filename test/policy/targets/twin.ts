import type { Policy } from './random.ts';

/** Papers 002 and 003 over again, slow and straight from the documents: roles, order, selection. */

const isSystem = ({ namespace }: Policy) => namespace === undefined || namespace === 'kuma-system';

function toOf({ spec }: Policy) {
  const conf = spec.conf as Policy['spec'] | undefined;
  return spec.to ?? conf?.to;
}

export function slowRole(policy: Policy): string {
  const to = toOf(policy);
  if (isSystem(policy)) return 'system';
  if (to === undefined) return 'workload-owner';
  const own = to.map(
    ({ targetRef: { kind, namespace } }) =>
      kind !== 'Mesh' && (namespace ?? policy.namespace) === policy.namespace,
  );
  return own.length > 0 && own.every(Boolean) ? 'producer' : 'consumer';
}

/** What is refused is left to itself. */
export function isRight(policy: Policy): boolean {
  if (isSystem(policy)) return true;
  if (policy.labels['kuma.io/origin'] === 'global') return false;
  const own = (toOf(policy) ?? []).map(
    ({ targetRef: { kind, namespace } }) =>
      kind !== 'Mesh' && (namespace ?? policy.namespace) === policy.namespace,
  );
  if (new Set(own).size > 1) return false;
  if (slowRole(policy) === 'producer') return true;
  const tags = (policy.spec.targetRef?.['tags'] ?? {}) as Record<string, string>;
  const zone = policy.labels['kuma.io/zone'];
  return (
    (tags['k8s.kuma.io/namespace'] ?? policy.namespace) === policy.namespace &&
    (zone === undefined || (tags['kuma.io/zone'] ?? zone) === zone)
  );
}

const widestFirst = ['Mesh', 'MeshSubset', 'MeshGateway', 'MeshService', 'MeshServiceSubset', 'Dataplane'];
const kinds: Record<string, string> = {
  Proxy: 'Dataplane',
  Service: 'MeshService',
  ServiceSubset: 'MeshServiceSubset',
};

function isBound(policy: Policy): boolean {
  return ['consumer', 'workload-owner'].includes(slowRole(policy));
}

/** Of the operator of a zone. */
function isOfZone(policy: Policy): boolean {
  return slowRole(policy) === 'system' && policy.labels['kuma.io/origin'] !== 'global';
}

function kindOf(policy: Policy): number {
  const { kind: given = 'Mesh', tags = {} } = policy.spec.targetRef ?? {};
  const kind = kinds[String(given)] ?? String(given);
  const others = Object.entries(tags as Record<string, string>).filter(
    ([tag, value]) => !(isOfZone(policy) && tag === 'kuma.io/zone' && value === policy.labels[tag]),
  );
  const isZoneOnly =
    isOfZone(policy) &&
    policy.labels['kuma.io/zone'] !== undefined &&
    kind.endsWith('Subset') &&
    others.length === 0;
  const rank = widestFirst.indexOf(isZoneOnly ? (kind === 'MeshSubset' ? 'Mesh' : 'MeshService') : kind);
  const narrower = isBound(policy) && (kind === 'Mesh' || kind === 'MeshService') ? 1 : 0;
  return rank + narrower + (policy.spec.targetRef?.['sectionName'] === undefined ? 0 : 0.5);
}

/** The stronger one has the larger key, part by part. */
export function slowStronger(a: Policy, b: Policy): boolean {
  const parts: readonly ((policy: Policy) => number)[] = [
    kindOf,
    ({ labels }) => ({ global: 0, zone: 2 })[labels['kuma.io/origin'] ?? ''] ?? 1,
    (policy) => ['system', 'producer', 'consumer', 'workload-owner'].indexOf(slowRole(policy)),
    ({ spec }) => (spec.conf === undefined ? 1 : 0),
  ];
  for (const part of parts) if (part(a) !== part(b)) return part(a) > part(b);
  if (a.name !== b.name) return a.spec.conf === undefined ? a.name < b.name : a.name > b.name;
  const own = (policy: Policy) => policy.namespace ?? '';
  if (own(a) !== own(b)) return own(a) > own(b);
  return (a.labels['kuma.io/zone'] ?? '') > (b.labels['kuma.io/zone'] ?? '');
}

interface Proxy {
  readonly name: string;
  readonly namespace?: string;
  readonly labels: Readonly<Record<string, string | undefined>>;
}

/** Of an inbound, or, where there is none, of the proxy alone. */
export function slowSelects(
  policy: Policy,
  proxy: Proxy,
  inbound: { readonly port?: number; readonly tags: Readonly<Record<string, string>> },
): boolean {
  const ref = (policy.spec.targetRef ?? {}) as Readonly<Record<string, unknown>>;
  const labels: Record<string, string | undefined> = {
    ...proxy.labels,
    'k8s.kuma.io/namespace': proxy.namespace,
  };
  const value = (tag: string) =>
    inbound.tags[tag] ??
    (tag === 'k8s.kuma.io/namespace' || tag === 'kuma.io/zone' ? labels[tag] : undefined);
  const tagged = Object.entries((ref['tags'] ?? {}) as Record<string, string>).every(([tag, wanted]) =>
    wanted.startsWith('!') ? value(tag) !== wanted.slice(1) : value(tag) === wanted,
  );
  const kind = kinds[String(ref['kind'])] ?? ref['kind'] ?? 'Mesh';
  const zone = policy.labels['kuma.io/zone'];
  const own = {
    'k8s.kuma.io/namespace': isBound(policy) ? policy.namespace : undefined,
    'kuma.io/zone': isBound(policy) || isOfZone(policy) ? zone : undefined,
  };
  const bound = Object.entries(own).every(
    ([key, wanted]) => wanted === undefined || (kind === 'Dataplane' ? labels[key] : value(key)) === wanted,
  );
  if (!bound) return false;
  if (kind === 'Mesh') return true;
  if (kind === 'MeshSubset') return tagged;
  if (kind === 'MeshService' || kind === 'MeshServiceSubset')
    return value('kuma.io/service') === ref['name'] && tagged;
  return (
    (ref['name'] === undefined || ref['name'] === proxy.name) &&
    Object.entries((ref['labels'] ?? {}) as Record<string, string>).every(
      ([key, text]) => labels[key] === text,
    ) &&
    (ref['sectionName'] === undefined || String(inbound.port) === String(ref['sectionName']))
  );
}
