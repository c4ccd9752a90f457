/** Groups and kinds of others: known, so that files as users have them are no error, and not used. */

export const placet = 'placet.dev/v1alpha1';
export const kuma = 'kuma.io/v1alpha1';
export const clusterLink = 'clusterlink.net/v1alpha1';
export const core = 'v1';

/** Kuma is named kind by kind: a misspelt permission must not pass for a kind that is merely ignored. */
export const kumaKinds: readonly string[] = [
  'AccessAudit',
  'AccessRole',
  'AccessRoleBinding',
  'CircuitBreaker',
  'Config',
  'ContainerPatch',
  'DataplaneInsight',
  'ExternalService',
  'FaultInjection',
  'GlobalSecret',
  'HealthCheck',
  'HostnameGenerator',
  'MeshAccessLog',
  'MeshCircuitBreaker',
  'MeshFaultInjection',
  'MeshGatewayConfig',
  'MeshGatewayInstance',
  'MeshGlobalRateLimit',
  'MeshHealthCheck',
  'MeshIdentity',
  'MeshInsight',
  'MeshLoadBalancingStrategy',
  'MeshMetric',
  'MeshOPA',
  'MeshPassthrough',
  'MeshProxyPatch',
  'MeshRateLimit',
  'MeshRetry',
  'MeshTLS',
  'MeshTimeout',
  'MeshTrace',
  'MeshTrust',
  'MeshZoneAddress',
  'OPAPolicy',
  'ProxyTemplate',
  'RateLimit',
  'Retry',
  'Secret',
  'ServiceInsight',
  'Timeout',
  'TrafficLog',
  'TrafficPermission',
  'TrafficRoute',
  'TrafficTrace',
  'VirtualOutbound',
  'ZoneEgress',
  'ZoneEgressInsight',
  'ZoneIngress',
  'ZoneIngressInsight',
  'ZoneInsight',
];

const coreKinds: readonly string[] = [
  'Binding',
  'ComponentStatus',
  'ConfigMap',
  'Endpoints',
  'Event',
  'LimitRange',
  'Namespace',
  'Node',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'Pod',
  'PodTemplate',
  'ReplicationController',
  'ResourceQuota',
  'Secret',
  'ServiceAccount',
];

/** By group and version, the kinds that are ignored there. */
export const ignoredKinds: ReadonlyMap<string, readonly string[]> = new Map([
  [kuma, [...kumaKinds, 'Workload']],
  [core, coreKinds],
  [clusterLink, ['Export', 'Import', 'Instance', 'Peer']],
]);

const kubernetesGroups = new Set(['apps', 'autoscaling', 'batch', 'extensions', 'policy']);

/** Groups of Kubernetes itself hold nothing that decides here, whatever the kind. */
export function isKubernetesGroup(apiVersion: string): boolean {
  const slash = apiVersion.indexOf('/');
  if (slash === -1) return false;
  const group = apiVersion.slice(0, slash);
  return kubernetesGroups.has(group) || group.endsWith('.k8s.io');
}
