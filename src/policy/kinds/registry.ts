import type { z } from 'zod';
import type { PolicyKind } from '../targets/policy-kind.ts';
import { accessPolicy, clusterLinkAccessPolicy } from './access-policy.ts';
import { dataplane } from './dataplane.ts';
import { describedKind } from './described.ts';
import { clusterLink, core, kuma, placet } from './groups.ts';
import type { Kind, Kinds, ResourceKind } from './kind.ts';
import { mesh } from './mesh.ts';
import { externalService, meshGateway, meshService, multiZoneService, zone } from './mesh-resources.ts';
import { meshTrafficPermission } from './mesh-traffic-permission.ts';
import { peer } from './peer.ts';
import { policyKind } from './policy-kind.ts';
import { gatewayRoute, meshRoute } from './route.ts';
import { coreService, service } from './service.ts';
import { site } from './site.ts';
import { workload } from './workload.ts';

const list: readonly Kind[] = [
  {
    name: 'MeshTrafficPermission',
    file: 'mesh-traffic-permission',
    namespace: 'optional',
    mesh: true,
    shortName: 'mtp',
    readings: [{ apiVersion: kuma, schema: meshTrafficPermission }],
  },
  {
    name: 'AccessPolicy',
    file: 'access-policy',
    namespace: 'default',
    mesh: false,
    readings: [
      { apiVersion: placet, schema: accessPolicy },
      { apiVersion: clusterLink, schema: clusterLinkAccessPolicy },
    ],
  },
  {
    name: 'PrivilegedAccessPolicy',
    file: 'privileged-access-policy',
    namespace: 'none',
    mesh: false,
    readings: [
      { apiVersion: placet, schema: accessPolicy },
      { apiVersion: clusterLink, schema: clusterLinkAccessPolicy },
    ],
  },
  {
    name: 'Mesh',
    file: 'mesh',
    namespace: 'none',
    mesh: false,
    readings: [
      { apiVersion: placet, schema: mesh },
      { apiVersion: kuma, schema: mesh },
    ],
  },
  {
    name: 'Dataplane',
    file: 'dataplane',
    namespace: 'optional',
    mesh: true,
    shortName: 'dp',
    readings: [
      { apiVersion: placet, schema: dataplane },
      { apiVersion: kuma, schema: dataplane },
    ],
  },
  {
    name: 'Service',
    file: 'service',
    namespace: 'default',
    mesh: false,
    readings: [
      { apiVersion: placet, schema: service },
      { apiVersion: core, schema: coreService, metadataOnly: true },
    ],
  },
  {
    name: 'Workload',
    file: 'workload',
    namespace: 'default',
    mesh: false,
    readings: [{ apiVersion: placet, schema: workload }],
  },
  {
    name: 'Site',
    file: 'site',
    namespace: 'none',
    mesh: false,
    readings: [{ apiVersion: placet, schema: site }],
  },
  {
    name: 'Peer',
    file: 'peer',
    namespace: 'none',
    mesh: false,
    readings: [{ apiVersion: placet, schema: peer }],
  },
  {
    name: 'PolicyKind',
    file: 'policy-kind',
    namespace: 'none',
    mesh: false,
    readings: [{ apiVersion: placet, schema: policyKind }],
  },
  resource('MeshService', 'mesh-service', 'msvc', meshService),
  resource('MeshMultiZoneService', 'mesh-multi-zone-service', 'mzsvc', multiZoneService),
  resource('MeshExternalService', 'mesh-external-service', 'extsvc', externalService),
  resource('MeshGateway', 'mesh-gateway', 'mgw', meshGateway),
  resource('MeshGatewayRoute', 'mesh-gateway-route', 'mgwr', gatewayRoute),
  resource('MeshHTTPRoute', 'mesh-http-route', 'mhttpr', meshRoute),
  { ...resource('MeshHTTPRoute', 'http-route', 'mhttpr', meshRoute), name: 'HTTPRoute' },
  resource('MeshTCPRoute', 'mesh-tcp-route', 'mtcpr', meshRoute),
  {
    name: 'Zone',
    file: 'zone',
    namespace: 'none',
    mesh: false,
    resource: 'Zone',
    readings: [
      { apiVersion: placet, schema: zone },
      { apiVersion: kuma, schema: zone },
    ],
  },
];

function resource(kind: ResourceKind, file: string, shortName: string, schema: z.ZodType): Kind {
  const readings = [{ apiVersion: kuma, schema }] as const;
  return { name: kind, file, namespace: 'optional', mesh: true, shortName, resource: kind, readings };
}

/** The kinds of the code. */
export const kinds: Kinds = new Map(list.map((kind) => [kind.name, kind]));

/** With those that documents describe. */
export function withDescribed(described: Iterable<PolicyKind>): Kinds {
  const all = new Map(kinds);
  for (const kind of described) if (!kinds.has(kind.name)) all.set(kind.name, describedKind(kind));
  return all;
}
