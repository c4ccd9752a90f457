import type {
  BackendRef,
  Dataplane,
  Gateway,
  Inbound,
  Mesh,
  Outbound,
  Protocol,
} from '../../pdp/model/inventory.ts';
import { type DataplaneSpec, type InboundSpec, type OutboundSpec, protocolTag } from '../kinds/dataplane.ts';
import { type Head, labelNames, ownNamespace } from '../kinds/head.ts';
import type { MeshSpec } from '../kinds/mesh.ts';

/** Meshes and dataplanes as the inventory has them. */

/** `document`: the one that describes it. */
export function meshOf(name: string, spec: MeshSpec, document?: number): Mesh {
  return {
    name,
    certificates: spec.certificates ?? 'spiffe',
    accessPolicies: spec.accessPolicies ?? 'denies',
    trustDomains: spec.trustDomains ?? [],
    ...(document === undefined ? {} : { document }),
  };
}

export function dataplaneOf(head: Head, spec: DataplaneSpec): Dataplane {
  const labels = new Map(Object.entries(head.labels));
  const namespace = ownNamespace(head);
  if (namespace !== '') labels.set(labelNames.namespace, namespace);
  const gateway = spec.networking?.gateway;
  const outbounds = spec.outbounds ?? spec.networking?.outbound ?? [];
  const inbounds = spec.inbounds ?? (spec.networking?.inbound ?? []).filter((one) => one.state !== 'Ignored');
  return {
    mesh: head.mesh,
    name: head.name,
    labels,
    inbounds: inbounds.map(inboundOf),
    ...(outbounds.length === 0 ? {} : { outbounds: outbounds.map(outboundOf) }),
    ...(gateway === undefined ? {} : { gateway: gatewayOf(gateway) }),
    document: head.document,
  };
}

function outboundOf({ address, port, tags, backendRef }: OutboundSpec): Outbound {
  return {
    ...(address === undefined ? {} : { address }),
    ...(port === undefined ? {} : { port }),
    tags: tagMap(tags),
    ...(backendRef === undefined ? {} : { backendRef: given(backendRef) }),
  };
}

function gatewayOf({
  type,
  tags,
}: NonNullable<NonNullable<DataplaneSpec['networking']>['gateway']>): Gateway {
  return { type: type === 'BUILTIN' ? 'builtin' : 'delegated', tags: tagMap(tags) };
}

function tagMap(tags: Readonly<Record<string, string>> | undefined): Inbound['tags'] {
  return new Map(Object.entries(tags ?? {}).map(([tag, value]) => [tag, [value]] as const));
}

/** Without the fields that were not written. */
function given(ref: NonNullable<OutboundSpec['backendRef']>): BackendRef {
  return Object.fromEntries(
    Object.entries(ref).filter(([, value]) => value !== undefined),
  ) as unknown as BackendRef;
}

function inboundOf(spec: InboundSpec): Inbound {
  const tags = tagMap(spec.tags);
  const written = spec.protocol ?? tags.get(protocolTag)?.[0];
  const protocol = written === undefined ? undefined : protocols[written];
  return {
    ...(spec.name === undefined ? {} : { name: spec.name }),
    port: spec.port,
    ...(protocol === undefined ? {} : { protocol }),
    tags,
  };
}

/** What a policy can see of the traffic: requests, or connections alone (SPEC DST6). */
const protocols: Readonly<Record<string, Protocol>> = {
  http: 'http',
  http2: 'http',
  grpc: 'http',
  tcp: 'tcp',
  tls: 'tcp',
  kafka: 'tcp',
};
