import type { Authority, Certificate } from '../certificates/index.ts';

type Json = Readonly<Record<string, unknown>>;

const inline = (text: string) => ({ inline_string: text });
const url = (name: string) => `type.googleapis.com/${name}`;

/** One bundle for each trust domain: an ID counts only if the bundle of its own trust domain vouches for it. */
export function spiffeBundles(...authorities: readonly Authority[]): Json {
  return {
    custom_validator_config: {
      name: 'envoy.tls.cert_validator.spiffe',
      typed_config: {
        '@type': url('envoy.extensions.transport_sockets.tls.v3.SPIFFECertValidatorConfig'),
        trust_domains: authorities.map(({ trustDomain, bundle }) => ({
          name: trustDomain,
          trust_bundle: inline(bundle),
        })),
      },
    },
  };
}

/** Whoever one of them signed, whatever name it bears. */
export function trustedCa(...authorities: readonly Authority[]): Json {
  return { trusted_ca: inline(authorities.map(({ bundle }) => bundle).join('')) };
}

/** Whatever is presented is let through, and its validity only noted. */
export function acceptUntrusted(...authorities: readonly Authority[]): Json {
  return { ...trustedCa(...authorities), trust_chain_verification: 'ACCEPT_UNTRUSTED' };
}

export function downstreamTls(own: Certificate, validation: Json, required: boolean, resumes = false): Json {
  return {
    name: 'envoy.transport_sockets.tls',
    typed_config: {
      '@type': url('envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext'),
      require_client_certificate: required,
      disable_stateless_session_resumption: !resumes,
      disable_stateful_session_resumption: !resumes,
      common_tls_context: {
        tls_certificates: [{ certificate_chain: inline(own.chain), private_key: inline(own.key) }],
        validation_context: validation,
      },
    },
  };
}
