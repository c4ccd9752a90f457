import { type JsonObject, typed } from './json.ts';
import { addressOf } from './listener.ts';
import type { Address, Wiring } from './wiring.ts';

/** Where Envoy asks Placet. */
export interface Placet {
  readonly at: Address | { readonly path: string };
  /** The SPIFFE ID that it has to show; without one nothing is encrypted. */
  readonly id?: string;
}

const cluster = 'placet';

/** A service of gRPC behind a name that filters and discovery refer to. */
export function clusterOf({ at, id }: Placet, wiring: Wiring): JsonObject {
  const socket = 'path' in at;
  return {
    name: cluster,
    type: socket ? 'STATIC' : 'STRICT_DNS',
    connect_timeout: '1s',
    typed_extension_protocol_options: {
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': typed(
        'envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
        {
          explicit_http_config: {
            // A stream that says nothing for hours is to be told from one whose other end is gone.
            http2_protocol_options: { connection_keepalive: { interval: '30s', timeout: '5s' } },
          },
        },
      ),
    },
    ...(id === undefined ? {} : { transport_socket: tls(id, wiring) }),
    load_assignment: {
      cluster_name: cluster,
      endpoints: [
        {
          lb_endpoints: [
            { endpoint: { address: socket ? { pipe: { path: at.path } } : addressOf(at as Address) } },
          ],
        },
      ],
    },
  };
}

/** Its own trust domain vouches for it, and it is nobody else there. */
function tls(id: string, { certificate, key, bundle }: Wiring): JsonObject {
  const [, , trustDomain = ''] = id.split('/');
  return {
    name: 'envoy.transport_sockets.tls',
    typed_config: typed('envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext', {
      common_tls_context: {
        alpn_protocols: ['h2'],
        tls_params: { tls_minimum_protocol_version: 'TLSv1_2' },
        tls_certificates: [{ certificate_chain: { filename: certificate }, private_key: { filename: key } }],
        validation_context: {
          trusted_ca: { filename: bundle(trustDomain) },
          match_typed_subject_alt_names: [{ san_type: 'URI', matcher: { exact: id } }],
        },
      },
    }),
  };
}

/** A call of gRPC there. */
export function calling(more: JsonObject = {}): JsonObject {
  return { envoy_grpc: { cluster_name: cluster }, ...more };
}

/** A stream of gRPC there, begun again where it ends. Envoy by itself waits for up to 30 s in between. */
export function streaming(to = cluster): JsonObject {
  const retry_back_off = { base_interval: '0.5s', max_interval: '5s' };
  return { envoy_grpc: { cluster_name: to, retry_policy: { retry_back_off } } };
}
