import { keys } from './rule.ts';

/** On these, sources that differ contradict each other; on all others the better one counts. */
export const identityKeys: ReadonlySet<string> = new Set([
  keys.spiffeId,
  keys.trustDomain,
  keys.k8sNamespace,
  keys.k8sServiceAccount,
  keys.k8sPod,
  keys.siteName,
]);
