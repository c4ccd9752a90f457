import { clusterLink, core, isKubernetesGroup, kuma, placet } from '../kinds/groups.ts';
import { kinds } from '../kinds/registry.ts';
import { longestLabel, longestName } from './suffix.ts';

/** Which kinds go where (SPEC ZON6, ZON7). What is not listed is a policy. */

export interface Travel {
  /** Zone to Global. */
  readonly up: boolean;
  /** Global's own, to all zones. */
  readonly down: boolean;
  /** A zone's, through Global, to the other zones. For policies their role decides. */
  readonly across: 'yes' | 'no' | 'by-role';
  /** Of no namespace, in Kubernetes too. */
  readonly cluster?: boolean;
  /** Of no mesh. */
  readonly meshless?: boolean;
  /** Keeps its name: others refer to it by name from everywhere. */
  readonly named?: boolean;
  /** Its fields stand beside the name, in the short form. */
  readonly inline?: boolean;
  /** The longest name it may have. */
  readonly longest: number;
}

const policy: Travel = { up: true, down: true, across: 'by-role', longest: longestName };
const resource: Travel = { up: true, down: true, across: 'no', longest: longestName };
const seen: Travel = { up: true, down: false, across: 'no', longest: longestName };
const legacy = { cluster: true, inline: true } as const;

const travels: ReadonlyMap<string, Travel> = new Map<string, Travel>([
  ['Mesh', { ...resource, ...legacy, up: false, meshless: true, named: true }],
  ['Dataplane', { ...seen, inline: true }],
  ['DataplaneInsight', { ...seen, inline: true }],
  ['Workload', seen],
  ['ZoneIngress', { ...seen, inline: true, meshless: true, across: 'yes' }],
  ['ZoneIngressInsight', { ...seen, inline: true, meshless: true }],
  ['ZoneEgress', { ...seen, inline: true, meshless: true, across: 'yes' }],
  ['ZoneEgressInsight', { ...seen, inline: true, meshless: true }],
  ['MeshZoneAddress', { ...seen, across: 'yes' }],
  ['MeshService', { ...seen, across: 'yes', longest: longestLabel }],
  ['MeshMultiZoneService', { ...resource, up: false, longest: longestLabel }],
  ['MeshExternalService', { ...resource, longest: longestLabel }],
  ['MeshGateway', { ...resource, ...legacy }],
  ['MeshGatewayRoute', { ...resource, ...legacy }],
  ['HostnameGenerator', { ...resource, meshless: true }],
  ['MeshIdentity', resource],
  ['MeshTrust', resource],
  ['ExternalService', { ...resource, ...legacy, up: false }],
  ['VirtualOutbound', { ...resource, ...legacy, up: false }],
]);

/** Of one place: secrets, what a control plane works out for itself, and what only Kubernetes has. */
const staying: ReadonlySet<string> = new Set([
  'AccessAudit',
  'AccessRole',
  'AccessRoleBinding',
  'Config',
  'ContainerPatch',
  'GlobalSecret',
  'MeshGatewayConfig',
  'MeshGatewayInstance',
  'MeshInsight',
  'Secret',
  'ServiceInsight',
  'Zone',
  'ZoneInsight',
]);

/** How documents of a kind travel; undefined: not at all. `apiVersion` is undefined for the short form. */
export function travelOf(kind: string, apiVersion: string | undefined): Travel | undefined {
  const readings = kinds.get(kind)?.readings.map((reading) => reading.apiVersion);
  // A kind of Placet's own is about one place; one that Kuma has too is Kuma's, in whatever group it is written.
  if (readings !== undefined && !readings.includes(kuma)) return undefined;
  const read = apiVersion === undefined || readings?.includes(apiVersion) === true;
  if (!read && isElsewhere(apiVersion)) return undefined;
  return staying.has(kind) ? undefined : (travels.get(kind) ?? policy);
}

/** Groups without a kind of a mesh. Others are Kuma's, or those of kinds that a document describes. */
function isElsewhere(apiVersion: string): boolean {
  return [placet, clusterLink, core].includes(apiVersion) || isKubernetesGroup(apiVersion);
}
