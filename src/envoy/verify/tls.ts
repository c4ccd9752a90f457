import type { Peer } from '../interpreter/evidence.ts';
import { field, items, textOf, typeOf } from './json.ts';
import type { Resources } from './resources.ts';

/** What a listener asks of its clients before any filter sees them. */
export interface Tls {
  readonly requiresCertificate: boolean;
  /** Whether a chain must lead to a CA that is named. */
  readonly verifies: boolean;
  /** Trust domains with a bundle of their own; undefined where one CA vouches for whatever it signs. */
  readonly trustDomains: readonly string[] | undefined;
  /** A client that resumes a session has no verified certificate, to Envoy's mind. */
  readonly resumesSessions: boolean;
  /** A secret with the CA that nobody has delivered. */
  readonly missingSecret: string | undefined;
}

const downstream = 'envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext';
const spiffe = 'envoy.extensions.transport_sockets.tls.v3.SPIFFECertValidatorConfig';

/** Undefined where connections are not TLS. */
export function tlsOf(transportSocket: unknown, resources: Resources): Tls | undefined {
  const config = field(transportSocket, 'typed_config');
  if (typeOf(config) !== downstream) return undefined;
  const common = field(config, 'common_tls_context');
  const combined = field(common, 'combined_validation_context');
  const secret = textOf(
    field(common, 'validation_context_sds_secret_config', 'name') ??
      field(combined, 'validation_context_sds_secret_config', 'name'),
  );
  const delivered = secret === undefined ? undefined : resources.secrets.get(secret);
  const contexts = [
    field(delivered, 'validation_context'),
    field(combined, 'default_validation_context'),
    field(common, 'validation_context'),
  ].filter((one) => one !== undefined);
  const first = (...names: string[]) =>
    contexts.map((one) => field(one, ...names)).find((one) => one !== undefined);
  const validator = first('custom_validator_config', 'typed_config');
  const domains =
    typeOf(validator) === spiffe
      ? items(field(validator, 'trust_domains')).flatMap((one) => textOf(field(one, 'name')) ?? [])
      : undefined;
  return {
    requiresCertificate: field(config, 'require_client_certificate') === true,
    verifies:
      first('trust_chain_verification') !== 'ACCEPT_UNTRUSTED' &&
      (domains !== undefined || first('trusted_ca') !== undefined),
    trustDomains: domains,
    resumesSessions: field(config, 'disable_stateless_session_resumption') !== true,
    missingSecret: secret !== undefined && delivered === undefined ? secret : undefined,
  };
}

/** What is assumed of a listener that is not shown: all that an export relies on. */
export const assumedTls: Tls = {
  requiresCertificate: true,
  verifies: true,
  trustDomains: undefined,
  resumesSessions: false,
  missingSecret: undefined,
};

/** Whether a peer gets as far as the filters. In doubt it does. */
export function admits(tls: Tls, peer: Peer): boolean {
  if (!peer.presented) return !tls.requiresCertificate;
  if (!peer.validated) return !tls.verifies;
  if (tls.trustDomains === undefined) return true;
  // The validator looks for the bundle of a URI name's trust domain, and refuses a certificate without one.
  return peer.uriSans.some((uri) => tls.trustDomains?.some((domain) => isOf(uri, domain)));
}

function isOf(uri: string, domain: string): boolean {
  return uri === `spiffe://${domain}` || uri.startsWith(`spiffe://${domain}/`);
}
