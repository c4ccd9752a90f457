import { join } from 'node:path';
import { streaming } from '../../../src/envoy/export/modes-placet.ts';
import type { Certificate } from '../certificates/index.ts';
import { downstreamTls } from './trust.ts';

type Json = Readonly<Record<string, unknown>>;

/** A server of gRPC that filters ask. */
export function grpcCluster(name: string, port: number): Json {
  const socket_address = { address: '127.0.0.1', port_value: port };
  return {
    name,
    type: 'STATIC',
    connect_timeout: '5s',
    typed_extension_protocol_options: {
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
        '@type': url('envoy.extensions.upstreams.http.v3.HttpProtocolOptions'),
        explicit_http_config: { http2_protocol_options: {} },
      },
    },
    load_assignment: {
      cluster_name: name,
      endpoints: [{ lb_endpoints: [{ endpoint: { address: { socket_address } } }] }],
    },
  };
}

/** A filter as the exporter gives it. */
export interface Filter {
  readonly name: string;
  readonly typed_config: Json;
}

export interface ListenerSpec {
  readonly name: string;
  readonly kind: 'http' | 'network';
  /** Of the kind's sort, before the router or the echo. */
  readonly filters: readonly Filter[];
  /** A validation context; see trust.ts. */
  readonly trust: Json;
  /** Whether a client must present a certificate; true if not given. */
  readonly certificate?: boolean;
  /** Whether sessions are resumed; false if not given. */
  readonly resumes?: boolean;
  /** Fields of the connection manager that are otherwise than here. */
  readonly manager?: Json;
  /** Routes in the place of one that answers 200. */
  readonly routes?: readonly Json[];
  /** Metadata of the listener, by namespaces. */
  readonly metadata?: Json;
}

const url = (name: string) => `type.googleapis.com/${name}`;

/** The paths that policies are matched against: Envoy's normal form. */
const normalised = { normalize_path: true, merge_slashes: true };
const ok = { match: { prefix: '' }, direct_response: { status: 200, body: { inline_string: 'ok' } } };

function fileLog(path: string, json_format: Json): Json {
  return {
    name: 'envoy.access_loggers.file',
    typed_config: {
      '@type': url('envoy.extensions.access_loggers.file.v3.FileAccessLog'),
      path,
      log_format: { json_format },
    },
  };
}

function manager(spec: ListenerSpec, log: string): Json {
  const access = fileLog(log, {
    id: '%REQ(X-PROBE)%',
    details: '%RESPONSE_CODE_DETAILS%',
    path: '%REQ(:PATH)%',
    rbac: '%DYNAMIC_METADATA(envoy.filters.http.rbac)%',
    token: '%REQ(X-PLACET-TOKEN)%',
    decision: '%RESP(X-PLACET-DECISION-ID)%',
    metadata: {
      'envoy.filters.http.jwt_authn': '%DYNAMIC_METADATA(envoy.filters.http.jwt_authn)%',
      'placet.exchange': '%DYNAMIC_METADATA(placet.exchange)%',
      'envoy.filters.http.ext_authz': '%DYNAMIC_METADATA(envoy.filters.http.ext_authz)%',
    },
  });
  return {
    name: 'envoy.filters.network.http_connection_manager',
    typed_config: {
      '@type': url('envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager'),
      stat_prefix: spec.name,
      generate_request_id: false,
      ...normalised,
      access_log: [access],
      http_filters: [
        ...spec.filters,
        { name: 'router', typed_config: { '@type': url('envoy.extensions.filters.http.router.v3.Router') } },
      ],
      route_config: { virtual_hosts: [{ name: 'all', domains: ['*'], routes: spec.routes ?? [ok] }] },
      ...spec.manager,
    },
  };
}

const echo = {
  name: 'echo',
  typed_config: { '@type': url('envoy.extensions.filters.network.echo.v3.Echo') },
};

/** Where an HTTP listener is; those of the network are on ports, by which their log tells connections apart. */
export function socketOf(folder: string, index: number): string {
  return join(folder, `${index}`);
}

export const accessLog = (folder: string) => join(folder, 'access.log');

function listener(spec: ListenerSpec, index: number, folder: string, own: Certificate): Json {
  const isHttp = spec.kind === 'http';
  const log = accessLog(folder);
  const connections = fileLog(log, {
    id: `${spec.name} %DOWNSTREAM_REMOTE_PORT%`,
    details: '%CONNECTION_TERMINATION_DETAILS%',
    rbac: '%DYNAMIC_METADATA(envoy.filters.network.rbac)%',
    metadata: {
      'envoy.filters.network.ext_authz': '%DYNAMIC_METADATA(envoy.filters.network.ext_authz)%',
    },
  });
  return {
    name: spec.name,
    address: isHttp
      ? { pipe: { path: socketOf(folder, index) } }
      : { socket_address: { address: '127.0.0.1', port_value: 0 } },
    listener_filters: [
      {
        name: 'tls_inspector',
        typed_config: { '@type': url('envoy.extensions.filters.listener.tls_inspector.v3.TlsInspector') },
      },
    ],
    ...(isHttp ? {} : { access_log: [connections] }),
    ...(spec.metadata === undefined ? {} : { metadata: { filter_metadata: spec.metadata } }),
    filter_chains: [
      {
        filters: isHttp ? [manager(spec, log)] : [...spec.filters, echo],
        transport_socket: downstreamTls(own, spec.trust, spec.certificate ?? true, spec.resumes),
      },
    ],
  };
}

/** What there is besides listeners. */
export interface Surroundings {
  readonly clusters?: readonly Json[];
  /** Whom it says it is. */
  readonly node?: string;
  readonly cluster?: string;
  /** Metadata of this node. */
  readonly metadata?: Json;
  /** The cluster that it asks for configuration, and in which form. */
  readonly discovery?: { readonly cluster: string; readonly form: 'GRPC' | 'DELTA_GRPC' };
}

function adsOf({ cluster, form }: NonNullable<Surroundings['discovery']>): Json {
  return {
    api_type: form,
    transport_api_version: 'V3',
    grpc_services: [streaming(cluster)],
  };
}

export function bootstrapOf(
  specs: readonly ListenerSpec[],
  folder: string,
  own: Certificate,
  { clusters = [], node = 'lab', cluster = 'lab', metadata = {}, discovery }: Surroundings = {},
): Json {
  return {
    // Without a name it does not discover configuration.
    node: { id: node, cluster, metadata },
    ...(discovery === undefined ? {} : { dynamic_resources: { ads_config: adsOf(discovery) } }),
    static_resources: {
      listeners: specs.map((spec, index) => listener(spec, index, folder, own)),
      ...(clusters.length === 0 ? {} : { clusters }),
    },
  };
}
