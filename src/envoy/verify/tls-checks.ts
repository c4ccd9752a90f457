import type { Chain } from './chains.ts';
import { type Check, type CheckId, fails, holds, type Needs, notShown } from './check.ts';
import type { Tls } from './tls.ts';

export function tlsChecks(chain: Chain, tls: Tls | undefined, needs: Needs): Check[] {
  const resumption = needs.readsValidation ? (['session-resumption'] as const) : [];
  const ids = ['client-certificate', 'certificate-verification', 'trust-bundles', ...resumption] as const;
  if (chain.listener === undefined) {
    return ids.map((id) => notShown(id, 'the listener is not in the configuration'));
  }
  if (tls === undefined) {
    return ids.map((id) =>
      fails(id, 'the chain is not TLS, so that clients have no identity', 'use a DownstreamTlsContext'),
    );
  }
  return [
    tls.requiresCertificate
      ? holds('client-certificate', 'clients must present a certificate')
      : fails(
          'client-certificate',
          'clients may come without a certificate',
          'set require_client_certificate: true',
        ),
    verification(tls),
    bundles(tls, needs.trustDomains),
    ...resumption.map((id) => sessions(id, tls)),
  ];
}

/** What no configuration can show. */
export function authorityChecks({ tags, trustDomains }: Needs): Check[] {
  if (!tags) return [];
  const message = `that the CA of ${trustDomains.join(', ')} gives every client one mesh, its services and its tags`;
  return [notShown('tag-certificates', message)];
}

function sessions(id: CheckId, { resumesSessions }: Tls): Check {
  if (!resumesSessions) return holds(id, 'every client is verified anew');
  return fails(
    id,
    'a client that resumes a session counts as not verified, and is denied',
    'set disable_stateless_session_resumption: true',
  );
}

function verification(tls: Tls): Check {
  if (tls.missingSecret !== undefined) {
    return notShown(
      'certificate-verification',
      `the secret ${tls.missingSecret} is not in the configuration`,
    );
  }
  if (tls.verifies) return holds('certificate-verification', 'certificates must lead to a CA that is named');
  const hint = 'name a trusted CA, and leave trust_chain_verification as it is';
  return fails('certificate-verification', 'certificates are accepted from any CA', hint);
}

function bundles({ trustDomains, missingSecret }: Tls, wanted: readonly string[]): Check {
  const hint = 'use the validator envoy.tls.cert_validator.spiffe with one bundle per trust domain';
  if (trustDomains === undefined) {
    if (missingSecret !== undefined) {
      return notShown('trust-bundles', `the secret ${missingSecret} is not in the configuration`);
    }
    return fails('trust-bundles', 'one CA vouches for the identities of every trust domain', hint);
  }
  const lacking = wanted.filter((domain) => !trustDomains.includes(domain));
  if (lacking.length > 0) return fails('trust-bundles', `no bundle for ${lacking.join(', ')}`, hint);
  return holds('trust-bundles', `one bundle for each of ${trustDomains.join(', ')}`);
}
