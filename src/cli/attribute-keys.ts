import { ownScopes } from '../pdp/model/rule.ts';

/** What attribute keys belong to, and who can say them. */

export interface KeyKind {
  readonly scope: string;
  readonly sources: string;
}

const certificate = 'certificate';
const kubernetes = 'Kubernetes';
const site = 'site configuration, certificate of a peer';

const exact: Readonly<Record<string, KeyKind>> = {
  'spiffe:id': { scope: 'workload', sources: certificate },
  'spiffe:trust-domain': { scope: 'workload', sources: certificate },
  'k8s:ns': { scope: 'workload, service', sources: `${certificate} (by template), ${kubernetes}` },
  'k8s:sa': { scope: 'workload', sources: `${certificate} (by template), ${kubernetes}` },
  'k8s:pod': { scope: 'workload', sources: kubernetes },
  'k8s:owner': { scope: 'workload', sources: kubernetes },
  'service:name': { scope: 'service', sources: `${kubernetes}, export` },
  'cl:fabric': { scope: 'site', sources: 'certificate authority' },
};

const prefixes: readonly (readonly [string, KeyKind])[] = [
  ['k8s:label:', { scope: 'workload, service', sources: kubernetes }],
  ['k8s:container-image', { scope: 'workload', sources: kubernetes }],
  ['k8s:init-container-image', { scope: 'workload', sources: kubernetes }],
  ['cl:site:', { scope: 'site', sources: site }],
  ['cl:service:', { scope: 'service', sources: 'export' }],
  ['site:', { scope: 'site', sources: site }],
  ['kuma:tag:', { scope: 'workload, inbound', sources: 'certificate (tag form)' }],
];

/** Keys that Placet gives itself are how policies select, and no attributes. */
export function isAttribute(key: string): boolean {
  return key.startsWith('kuma:tag:') || !ownScopes.some((scope) => key.startsWith(scope));
}

export function kindOfKey(key: string): KeyKind {
  if (Object.hasOwn(exact, key)) return exact[key]!;
  const found = prefixes.find(([prefix]) => key.startsWith(prefix));
  return found?.[1] ?? { scope: key.includes(':') ? 'unknown' : 'none', sources: 'whoever asks' };
}
