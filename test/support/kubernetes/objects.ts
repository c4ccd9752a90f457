import type { KubeObject, TestClient } from './client.ts';

/** A namespace in which pods can be made at once: nobody here makes its default account. */
export async function namespace(api: TestClient, name: string, labels: object = {}): Promise<void> {
  await api.post('/api/v1/namespaces', { metadata: { name, labels } });
  await serviceAccount(api, name, 'default');
}

export async function serviceAccount(api: TestClient, namespace: string, name: string): Promise<void> {
  await api.post(`/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name } });
}

export interface PodShape {
  readonly name: string;
  readonly serviceAccountName?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly images?: Readonly<Record<string, string>>;
  readonly hostNetwork?: boolean;
  /** Where it runs: then it goes only when somebody says that it has ended. */
  readonly nodeName?: string;
  readonly owner?: { readonly kind: string; readonly name: string; readonly uid: string };
}

export function podBody(shape: PodShape): object {
  const { name, serviceAccountName = 'default', labels = {}, images = { main: 'registry/app:1' } } = shape;
  const { hostNetwork, nodeName, owner } = shape;
  return {
    metadata: {
      name,
      labels,
      ...(owner === undefined
        ? {}
        : { ownerReferences: [{ ...owner, apiVersion: 'apps/v1', controller: true }] }),
    },
    spec: {
      serviceAccountName,
      automountServiceAccountToken: false,
      containers: Object.entries(images).map(([container, image]) => ({ name: container, image })),
      ...(hostNetwork === true ? { hostNetwork } : {}),
      ...(nodeName === undefined ? {} : { nodeName }),
    },
  };
}

export const podPath = (namespace: string, name = '') =>
  `/api/v1/namespaces/${namespace}/pods${name === '' ? '' : `/${name}`}`;

export function createPod(api: TestClient, namespace: string, shape: PodShape): Promise<KubeObject> {
  return api.post(podPath(namespace), podBody(shape));
}

/** What a kubelet would say of it. */
export function runPod(
  api: TestClient,
  namespace: string,
  name: string,
  ips: readonly string[],
  phase = 'Running',
): Promise<KubeObject> {
  const status = { phase, podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) };
  return api.patch(`${podPath(namespace, name)}/status`, { status });
}

/** Of a Deployment, if one is named. */
export function createReplicaSet(
  api: TestClient,
  namespace: string,
  name: string,
  deployment?: string,
): Promise<KubeObject> {
  const labels = { app: name };
  const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: deployment, uid: 'd-1', controller: true };
  return api.post(`/apis/apps/v1/namespaces/${namespace}/replicasets`, {
    metadata: { name, labels, ...(deployment === undefined ? {} : { ownerReferences: [owner] }) },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'registry/app:1' }] } },
    },
  });
}

export function deletePod(
  api: TestClient,
  namespace: string,
  name: string,
  gracePeriodSeconds = 0,
): Promise<void> {
  return api.delete(podPath(namespace, name), { gracePeriodSeconds });
}

export interface RbacRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

const rbac = '/apis/rbac.authorization.k8s.io/v1';

/** What a user may do everywhere, in place of what it could before. */
export async function allow(api: TestClient, user: string, rules: readonly RbacRule[]): Promise<void> {
  const metadata = { name: `test-${user}` };
  const known = await api.get<{ items: KubeObject[] }>(`${rbac}/clusterroles`);
  if (known.items.some((one) => one.metadata.name === metadata.name)) {
    await api.put(`${rbac}/clusterroles/${metadata.name}`, { metadata, rules });
    return;
  }
  await api.post(`${rbac}/clusterroles`, { metadata, rules });
  await api.post(`${rbac}/clusterrolebindings`, {
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: metadata.name },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  });
}

/** What following pods and their owners takes. */
export const followerRules: readonly RbacRule[] = [
  { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'] },
  { apiGroups: ['apps'], resources: ['replicasets'], verbs: ['list', 'watch'] },
];
