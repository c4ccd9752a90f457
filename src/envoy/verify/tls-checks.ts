import type { Chain } from './chains.ts';
import { type Check, type CheckId, fails, holds, type Needs, notShown } from './check.ts';
import type { Tls } from './tls.ts';

export function tlsChecks(chain: Chain, tls: Tls | undefined, needs: Needs): Check[] {
  const ids = [
    'client-certificate',
    'certificate-verification',
    'trust-bundles',
    'session-resumption',
  ] as const;
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
    sessions(tls, needs),
  ];
}

/** What no configuration can show. */
export function authorityChecks({ tags, trustDomains }: Needs): Check[] {
  if (!tags) return [];
  const message = `that the CA of ${trustDomains.join(', ')} gives every client one mesh, its services and its tags`;
  return [notShown('tag-certificates', message)];
}

function sessions({ resumesSessions }: Tls, { readsValidation }: Needs): Check {
  const id = 'session-resumption';
  if (!resumesSessions) return holds(id, 'every client is verified anew');
  return fails(
    id,
    readsValidation
      ? 'a client that resumes a session counts as not verified, and is denied'
      : 'a client that resumes a session is let in when the time of its certificate is over',
    'set disable_stateless_session_resumption: true and disable_stateful_session_resumption: true',
  );
}

function verification(tls: Tls): Check {
  const id = 'certificate-verification';
  const secret = tls.missingSecret;
  if (tls.allowsExpired) {
    const hint = 'leave out allow_expired_certificate';
    return fails(id, 'certificates are accepted whose time is over', hint);
  }
  if (!tls.acceptsAny && secret !== undefined) return missing(id, secret);
  if (tls.verifies) return holds(id, 'certificates must lead to a CA that is named');
  const hint = 'name a trusted CA, and leave trust_chain_verification as it is';
  return fails(id, 'certificates are accepted from any CA', hint);
}

function bundles({ trustDomains, sharing, missingSecret }: Tls, wanted: readonly string[]): Check {
  const id = 'trust-bundles';
  const hint = 'use the validator envoy.tls.cert_validator.spiffe with one bundle per trust domain';
  if (trustDomains === undefined && missingSecret === undefined)
    return fails(id, 'one CA vouches for the identities of every trust domain', hint);
  const lacking = wanted.filter((domain) => trustDomains?.includes(domain) === false);
  if (lacking.length > 0) return fails(id, `no bundle for ${lacking.join(', ')}`, hint);
  if (sharing.length > 0)
    return fails(id, `${sharing.join(' and ')}: one CA vouches for the identities of each`, hint);
  // It may have another validator, which would take the place of the one that is here.
  if (missingSecret !== undefined) return missing(id, missingSecret);
  return holds(id, `one bundle for each of ${trustDomains?.join(', ') ?? ''}`);
}

function missing(id: CheckId, secret: string): Check {
  return notShown(id, `the secret ${secret} is not in the configuration`);
}
