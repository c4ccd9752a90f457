import { type JsonObject, typed } from './json.ts';
import { refused } from './refused.ts';
import { tagFilterNames, tagShadowPrefix } from './render.ts';
import type { Exported, Filter, FilterKind, Reliance } from './types.ts';
import type { Address, Wiring } from './wiring.ts';

/** A listener that has all that its filters rely on. */

const cluster = 'upstream';

/** What is peculiar to a listener, whatever decides in it. */
export interface Inside {
  readonly filter: FilterKind;
  /** As they stand in their chain. */
  readonly filters: readonly JsonObject[];
  /** What of their verdict the access log tells. */
  readonly verdict: JsonObject;
  /** Whose bundles vouch for clients. */
  readonly trustDomains: readonly string[];
}

export function insideOf({ filters, report }: Exported): Inside {
  return {
    filter: report.filter,
    filters: filters.map(inChain),
    verdict: verdictOfRbac(
      report.filter,
      filters.some(({ name }) => name === tagFilterNames[0]),
    ),
    trustDomains: relied(report.relies_on, 'trust-bundles')?.trust_domains ?? [],
  };
}

export function listenerOf(exported: Exported, wiring: Wiring): JsonObject {
  return listenerAround(insideOf(exported), wiring);
}

export function listenerAround(inside: Inside, wiring: Wiring): JsonObject {
  const http = inside.filter === 'http';
  const chain = http ? [connectionManager(inside, wiring)] : [...inside.filters, tcpProxy(inside, wiring)];
  return {
    name: 'placet',
    address: addressOf(wiring.listen),
    listener_filters: [
      {
        name: 'envoy.filters.listener.tls_inspector',
        typed_config: typed('envoy.extensions.filters.listener.tls_inspector.v3.TlsInspector'),
      },
    ],
    // Network filters leave what they found with the connection, which only the listener's log sees.
    ...(http ? {} : { access_log: [accessLog(inside, wiring)] }),
    filter_chains: [{ transport_socket: tls(inside, wiring), filters: chain }],
  };
}

export function addressOf({ host, port }: Address): JsonObject {
  return { socket_address: { address: host, port_value: port } };
}

function inChain({ name, typed_config }: Filter): JsonObject {
  return { name, typed_config };
}

function connectionManager(inside: Inside, wiring: Wiring): JsonObject {
  return {
    name: 'envoy.filters.network.http_connection_manager',
    typed_config: typed('envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager', {
      stat_prefix: 'placet',
      normalize_path: true,
      merge_slashes: true,
      access_log: [accessLog(inside, wiring)],
      route_config: {
        name: 'placet',
        virtual_hosts: [
          { name: 'all', domains: ['*'], routes: [{ match: { prefix: '/' }, route: { cluster } }] },
        ],
      },
      http_filters: [
        ...inside.filters,
        {
          name: 'envoy.filters.http.router',
          typed_config: typed('envoy.extensions.filters.http.router.v3.Router'),
        },
      ],
    }),
  };
}

function tcpProxy(inside: Inside, wiring: Wiring): JsonObject {
  return {
    name: 'envoy.filters.network.tcp_proxy',
    typed_config: typed('envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy', {
      stat_prefix: 'placet',
      cluster,
      access_log: [accessLog(inside, wiring)],
    }),
  };
}

/** A certificate is required, and each bundle vouches for its own trust domain only. */
function tls({ trustDomains }: Inside, { certificate, key, bundle }: Wiring): JsonObject {
  if (trustDomains.length === 0)
    throw refused(
      'trust-domains',
      'got no trust domain whose clients could be let in, want at least one',
      'name them in the Mesh: trustDomains: [trust-domain.mesh]',
    );
  return {
    name: 'envoy.transport_sockets.tls',
    typed_config: typed('envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext', {
      require_client_certificate: true,
      // Of a resumed session Envoy looks at no certificate: one whose time is over would go on.
      disable_stateless_session_resumption: true,
      disable_stateful_session_resumption: true,
      common_tls_context: {
        tls_certificates: [{ certificate_chain: { filename: certificate }, private_key: { filename: key } }],
        validation_context: {
          custom_validator_config: {
            name: 'envoy.tls.cert_validator.spiffe',
            typed_config: typed('envoy.extensions.transport_sockets.tls.v3.SPIFFECertValidatorConfig', {
              trust_domains: trustDomains.map((name) => ({ name, trust_bundle: { filename: bundle(name) } })),
            }),
          },
        },
      },
    }),
  };
}

function relied<K extends Reliance['on']>(
  all: readonly Reliance[],
  on: K,
): Extract<Reliance, { on: K }> | undefined {
  return all.find((one): one is Extract<Reliance, { on: K }> => one.on === on);
}

/** What RBAC leaves of both verdicts, and whose they are. */
function verdictOfRbac(filter: FilterKind, tags: boolean): JsonObject {
  const prefix = tags ? tagShadowPrefix : '';
  const of = (key: string) => `%DYNAMIC_METADATA(envoy.filters.${filter}.rbac:${key})%`;
  return {
    // Filters of connections leave nothing of what is enforced.
    ...(filter === 'http'
      ? { enforced: of('enforced_engine_result'), policy: of('enforced_effective_policy_id') }
      : {}),
    shadow: of(`${prefix}shadow_engine_result`),
    shadow_policy: of(`${prefix}shadow_effective_policy_id`),
  };
}

/** One JSON object a request or connection. */
function accessLog({ filter, verdict }: Inside, { accessLog: path }: Wiring): JsonObject {
  const format: JsonObject = {
    time: '%START_TIME%',
    peer: '%DOWNSTREAM_PEER_URI_SAN%',
    sni: '%REQUESTED_SERVER_NAME%',
    ...verdict,
    ...(filter === 'http'
      ? {
          method: '%REQ(:METHOD)%',
          path: '%REQ(:PATH)%',
          status: '%RESPONSE_CODE%',
          details: '%RESPONSE_CODE_DETAILS%',
        }
      : { details: '%CONNECTION_TERMINATION_DETAILS%' }),
  };
  const log = { log_format: { json_format: format } };
  return path === undefined
    ? {
        name: 'envoy.access_loggers.stdout',
        typed_config: typed('envoy.extensions.access_loggers.stream.v3.StdoutAccessLog', log),
      }
    : {
        name: 'envoy.access_loggers.file',
        typed_config: typed('envoy.extensions.access_loggers.file.v3.FileAccessLog', { path, ...log }),
      };
}

/** A bootstrap whose certificates are elsewhere. */
export function withoutTls(bootstrap: JsonObject): JsonObject {
  return JSON.parse(
    JSON.stringify(bootstrap, (key, value) => (key === 'transport_socket' ? undefined : value)),
  ) as JsonObject;
}
