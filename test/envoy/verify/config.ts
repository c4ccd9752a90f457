import * as b from '../interpreter/build.ts';

/** Whole listeners around filters, right in all that verdicts rely on; each part may be given otherwise. */

type Json = Readonly<Record<string, unknown>>;

const tlsTypes = 'envoy.extensions.transport_sockets.tls.v3';

export const bundles = (...names: string[]): Json => ({
  custom_validator_config: b.extension(`${tlsTypes}.SPIFFECertValidatorConfig`, {
    trust_domains: names.map((name) => ({ name, trust_bundle: { filename: `${name}.pem` } })),
  }),
});

export interface Parts {
  readonly name?: string;
  readonly port?: number;
  readonly validation?: Json;
  readonly common?: Json;
  readonly tls?: Json | null;
  readonly manager?: Json;
  readonly before?: readonly Json[];
  readonly filters: readonly Json[];
  readonly routes?: readonly Json[];
  readonly host?: Json;
  readonly listener?: Json;
}

function transportSocket({ tls, validation = bundles('td', 'partner'), common = {} }: Parts): Json {
  if (tls === null) return {};
  return {
    transport_socket: b.extension(`${tlsTypes}.DownstreamTlsContext`, {
      require_client_certificate: true,
      disable_stateless_session_resumption: true,
      disable_stateful_session_resumption: true,
      common_tls_context: { validation_context: validation, ...common },
      ...tls,
    }),
  };
}

export const inspector = b.extension('envoy.extensions.filters.listener.tls_inspector.v3.TlsInspector');
export const router = b.extension('envoy.extensions.filters.http.router.v3.Router');

export function listener(parts: Parts, filters: readonly Json[]): Json {
  return {
    name: parts.name ?? 'inbound',
    address: { socket_address: { address: '0.0.0.0', port_value: parts.port ?? 8080 } },
    listener_filters: [inspector],
    filter_chains: [{ ...transportSocket(parts), filters }],
    ...parts.listener,
  };
}

export function http(parts: Parts): Json {
  const routes = parts.routes ?? [{ match: { prefix: '/' }, direct_response: { status: 200 } }];
  return listener(parts, [
    b.extension('envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager', {
      normalize_path: true,
      merge_slashes: true,
      route_config: { virtual_hosts: [{ name: 'all', domains: ['*'], routes, ...parts.host }] },
      http_filters: [...(parts.before ?? []), ...parts.filters, router],
      ...parts.manager,
    }),
  ]);
}

export const tcp = (parts: Parts): Json =>
  listener(parts, [
    ...(parts.before ?? []),
    ...parts.filters,
    b.extension('envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy', { cluster: 'app' }),
  ]);
