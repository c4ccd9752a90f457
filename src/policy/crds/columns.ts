import { placet } from '../kinds/groups.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Json } from './structural.ts';

/** What `kubectl get` shows beside the name, and how long a name one has to type. */

const column = (name: string, jsonPath: string, type = 'string'): Json => ({ name, type, jsonPath });
const age = column('Age', '.metadata.creationTimestamp', 'date');
const mesh = column('Mesh', ".metadata.labels['kuma\\.io/mesh']");
const target = [
  column('TargetRef Kind', '.spec.targetRef.kind'),
  column('TargetRef Name', '.spec.targetRef.name'),
];
const action = [column('Action', '.spec.action')];

const own: Readonly<Record<string, readonly Json[]>> = {
  AccessPolicy: action,
  PrivilegedAccessPolicy: action,
  Mesh: [column('Certificates', '.spec.certificates'), column('Access policies', '.spec.accessPolicies')],
  Workload: [column('Service account', '.spec.serviceAccount'), column('SPIFFE ID', '.spec.spiffeId')],
  Site: [
    column('Local', '.spec.local', 'boolean'),
    column('Location', '.spec.location'),
    column('Floor', '.spec.floor'),
  ],
  Peer: [column('Gateway', '.spec.gateway'), column('Trust up to', '.spec.trustUpTo')],
};

export function columnsOf({ name, mesh: ofMesh, described }: Kind): readonly Json[] {
  const policy = described !== undefined || name === 'MeshTrafficPermission';
  return [...(own[name] ?? []), ...(policy ? target : []), ...(ofMesh ? [mesh] : []), age];
}

/** Kuma's own for its group; in ours none that another kind could be called. */
const shortNames: Readonly<Record<string, string>> = {
  AccessPolicy: 'plap',
  PrivilegedAccessPolicy: 'plpap',
  Mesh: 'plmesh',
  Dataplane: 'pldp',
  Service: 'plsvc',
  Workload: 'plwl',
  Site: 'plsite',
  Peer: 'plpeer',
  Zone: 'plzone',
};

export function shortNamesOf({ name, shortName }: Kind, apiVersion: string): readonly string[] {
  const short = apiVersion === placet ? shortNames[name] : shortName;
  return short === undefined ? [] : [short];
}
