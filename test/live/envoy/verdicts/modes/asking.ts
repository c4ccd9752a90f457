import type { FilterKind } from '../../../../../src/envoy/export/types.ts';
import type { Asked } from '../../../../../src/pdp/governing.ts';
import { toldHeaders } from '../../../../../src/pdp/model/proxies.ts';
import type { Filter, ListenerSpec } from '../../../../support/envoy/listeners.ts';

/** Filters that ask Placet in the place of those that an export has. */

const type = (name: string) => `type.googleapis.com/${name}`;

/** What a proxy's configuration says that its requests are for. */
function saying(asked: Asked, route: string | undefined): [string, string][] {
  const said =
    'service' in asked
      ? { service: asked.service }
      : { mesh: asked.mesh, dataplane: asked.dataplane, inbound: asked.inbound, route };
  return Object.entries(said).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]]));
}

/** Which of the many sets is asked stands in the metadata of the call too. */
export function askingByGrpc(
  kind: FilterKind,
  world: string,
  asked: Asked,
  route: string | undefined,
): Filter {
  const named = saying(asked, route).map(([key, value]) => ({ key: `x-placet-${key}`, value }));
  return {
    name: `envoy.filters.${kind}.ext_authz`,
    typed_config: {
      '@type': type(`envoy.extensions.filters.${kind}.ext_authz.v3.ExtAuthz`),
      ...(kind === 'network' ? { stat_prefix: 'placet' } : {}),
      transport_api_version: 'V3',
      include_peer_certificate: true,
      include_tls_session: true,
      grpc_service: {
        envoy_grpc: { cluster_name: 'placet' },
        timeout: '30s',
        initial_metadata: [{ key: 'x-world', value: world }, ...named],
      },
    },
  };
}

export function askingByHttp(cluster: string, asked: Asked, route: string | undefined): Filter {
  const destination = saying(asked, route).map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
  return {
    name: 'envoy.filters.http.ext_authz',
    typed_config: {
      '@type': type('envoy.extensions.filters.http.ext_authz.v3.ExtAuthz'),
      transport_api_version: 'V3',
      allowed_headers: { patterns: [{ exact: 'x-forwarded-client-cert' }] },
      http_service: {
        server_uri: { uri: 'http://placet', cluster, timeout: '30s' },
        path_prefix: `/ext_authz/${destination.join(';')}`,
        authorization_response: {
          // By it the decision is found again, whose shadow is told to no Envoy by HTTP.
          allowed_client_headers_on_success: { patterns: [{ exact: toldHeaders.id }] },
        },
      },
    },
  };
}

const details = [
  { cert: true },
  { chain: true },
  { cert: true, uri: true },
  { chain: true, uri: true },
  { uri: true },
] as const;

export interface Forwarding {
  readonly manager: NonNullable<ListenerSpec['manager']>;
  readonly xfcc: 'only' | 'last';
  readonly name: string;
}

/** In whose words the client stands in `x-forwarded-client-cert`: alone, or behind what the client sent there. */
export function forwardingOf(seed: number): Forwarding {
  const set_current_client_cert_details = details[seed % details.length]!;
  const append = Math.floor(seed / details.length) % 2 === 1;
  return {
    manager: {
      forward_client_cert_details: append ? 'APPEND_FORWARD' : 'SANITIZE_SET',
      set_current_client_cert_details,
    },
    xfcc: append ? 'last' : 'only',
    name: `${Object.keys(set_current_client_cert_details).join('+')} ${append ? 'appended' : 'alone'}`,
  };
}
