import type { z } from 'zod';
import { accessPolicy, clusterLinkAccessPolicy } from './access-policy.ts';
import { dataplane } from './dataplane.ts';
import { clusterLink, core, kuma, placet } from './groups.ts';
import { mesh } from './mesh.ts';
import { meshTrafficPermission } from './mesh-traffic-permission.ts';
import { coreService, service } from './service.ts';
import { site } from './site.ts';
import { workload } from './workload.ts';

/** The kinds that are read, each with the groups it is read in and the schema of its fields there. */

export type KindName =
  | 'MeshTrafficPermission'
  | 'AccessPolicy'
  | 'PrivilegedAccessPolicy'
  | 'Mesh'
  | 'Dataplane'
  | 'Service'
  | 'Workload'
  | 'Site';

export interface Reading {
  readonly apiVersion: string;
  readonly schema: z.ZodType;
  /** Only metadata is used; all other top-level fields are listed as ignored. */
  readonly metadataOnly?: boolean;
}

export interface Kind {
  readonly name: KindName;
  /** The name of its JSON Schema's file. */
  readonly file: string;
  readonly namespace: 'default' | 'optional' | 'none';
  readonly mesh: boolean;
  /** The first one is also that of the short form. */
  readonly readings: readonly [Reading, ...Reading[]];
}

const list: readonly Kind[] = [
  {
    name: 'MeshTrafficPermission',
    file: 'mesh-traffic-permission',
    namespace: 'optional',
    mesh: true,
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
];

export const kinds: ReadonlyMap<string, Kind> = new Map(list.map((kind) => [kind.name, kind]));
