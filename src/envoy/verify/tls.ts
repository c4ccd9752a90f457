import type { Peer } from '../interpreter/evidence.ts';
import { bundlesOf, sharing } from './bundles.ts';
import { enumOf, field, mayBeTrue, textOf, typeOf } from './json.ts';
import { unknownFields } from './known-fields.ts';
import type { Resources } from './resources.ts';

/** What a listener asks of its clients before any filter sees them. */
export interface Tls {
  readonly requiresCertificate: boolean;
  /** Whether a chain must lead to a CA that is named. */
  readonly verifies: boolean;
  /** Whether it need not, whatever a secret adds. */
  readonly acceptsAny: boolean;
  /** Trust domains with a bundle of their own; undefined where one CA vouches for whatever it signs. */
  readonly trustDomains: readonly string[] | undefined;
  /** Those of them that have an authority in common. */
  readonly sharing: readonly string[];
  /** Whether a certificate counts whose time is over. */
  readonly allowsExpired: boolean;
  /** Nobody looks at the certificate of a client that resumes a session. */
  readonly resumesSessions: boolean;
  /** A secret with the CA that nobody has delivered. */
  readonly missingSecret: string | undefined;
  /** What is not known how to follow, with its place. */
  readonly unknown: readonly string[];
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
  const bundles = typeOf(validator) === spiffe ? bundlesOf(validator) : undefined;
  // A secret is merged into what is there by default, where a value that is zero replaces none.
  const acceptsAny = contexts.some(
    (one) => enumOf(field(one, 'trust_chain_verification'), ['VERIFY_TRUST_CHAIN']) === undefined,
  );
  const verifier = validator === undefined ? first('trusted_ca') : bundles;
  return {
    requiresCertificate: field(config, 'require_client_certificate') === true,
    verifies: !acceptsAny && verifier !== undefined,
    acceptsAny,
    trustDomains: bundles?.map(({ trustDomain }) => trustDomain),
    sharing: sharing(bundles ?? []),
    allowsExpired: contexts.some((one) => mayBeTrue(field(one, 'allow_expired_certificate'))),
    resumesSessions: ['disable_stateless_session_resumption', 'disable_stateful_session_resumption'].some(
      (name) => field(config, name) !== true,
    ),
    missingSecret: secret !== undefined && delivered === undefined ? secret : undefined,
    unknown: [
      ...unknownFields('the TLS context', config).map((one) => `the TLS context has ${one}`),
      ...unknownFields('common_tls_context', common).map((one) => `common_tls_context has ${one}`),
      ...contexts.flatMap((context) =>
        unknownFields('the validation context', context).map((one) => `the validation context has ${one}`),
      ),
      ...(bundles === undefined ? [] : unknownFields('the SPIFFE validator', validator)).map(
        (one) => `the SPIFFE validator has ${one}`,
      ),
    ],
  };
}

/** What is assumed of a listener that is not shown: all that an export relies on. */
export const assumedTls: Tls = {
  requiresCertificate: true,
  verifies: true,
  acceptsAny: false,
  trustDomains: undefined,
  sharing: [],
  allowsExpired: false,
  resumesSessions: false,
  missingSecret: undefined,
  unknown: [],
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
