import { ownScopes } from '../pdp/model/rule.ts';

/** What attribute keys belong to, and who can say them: evidence of a client, or documents by their kind. */

export interface KeyKind {
  readonly scope: string;
  readonly sources: string;
}

const workload = 'Kubernetes, Workload, token of a peer';
const identity: KeyKind = { scope: 'workload', sources: 'certificate, token, Workload' };
const site: KeyKind = { scope: 'site', sources: 'Site, Workload' };
const image: KeyKind = { scope: 'workload', sources: workload };

const exact: Readonly<Record<string, KeyKind>> = {
  'spiffe:id': identity,
  'spiffe:trust-domain': identity,
  'k8s:ns': {
    scope: 'workload, service, inbound',
    sources: `SPIFFE ID (by template), ${workload}, Service, Dataplane`,
  },
  'k8s:sa': { scope: 'workload', sources: `SPIFFE ID (by template), ${workload}` },
  'k8s:pod': { scope: 'workload', sources: workload },
  'k8s:owner': { scope: 'workload', sources: workload },
  'service:name': { scope: 'service, inbound', sources: 'Kubernetes, Service, Dataplane' },
  // Of a peer without a Site here its name is known; its certificate is not asked what its site is like.
  'site:name': { scope: 'site', sources: 'Site, Peer, Workload' },
  'cl:fabric': site,
};

const prefixes: readonly (readonly [string, KeyKind])[] = [
  ['k8s:label:', { scope: 'workload, service, inbound', sources: `${workload}, Service, Dataplane` }],
  ['k8s:container-image', image],
  ['k8s:init-container-image', image],
  ['cl:site:', site],
  ['cl:service:', { scope: 'service', sources: 'Service' }],
  ['site:', site],
  ['kuma:tag:', { scope: 'workload, inbound', sources: 'certificate of a tag mesh, Dataplane' }],
];

/** Keys that Placet gives itself are how policies select, and no attributes. */
export function isAttribute(key: string): boolean {
  return key.startsWith('kuma:tag:') || !ownScopes.some((scope) => key.startsWith(scope));
}

export function kindOfKey(key: string): KeyKind {
  if (Object.hasOwn(exact, key)) return exact[key]!;
  const found = prefixes.find(([prefix]) => key.startsWith(prefix));
  return (
    found?.[1] ?? {
      scope: key.includes(':') ? 'unknown' : 'none',
      sources: 'Workload, Service, Site, whoever asks',
    }
  );
}
