import { readFileSync, writeFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { connect } from '../../../src/attributes/kubernetes/client.ts';
import { KubernetesDocuments } from '../../../src/attributes/kubernetes/documents.ts';
import { standInFor } from '../../../src/policy/crds/stand-in.ts';
import type { Document } from '../../../src/policy/document.ts';
import { shippedKinds } from '../../../src/policy/files.ts';
import { load } from '../../../src/policy/load.ts';
import type { Rule } from '../../../tools/rbac-file.ts';
import { digest } from '../../policy/loading.ts';
import { temporary } from '../../support/envoy/temporary.ts';
import { openCluster, type TestCluster } from '../../support/kubernetes/cluster.ts';
import { namespace } from '../../support/kubernetes/objects.ts';
import { definitions, install, resources } from './resources.ts';

/** A cluster with our definitions, and the service account of deploy/rbac.yaml, which is followed as by nobody else. */

export const rolePath = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const bindingPath = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
const accountPath = '/api/v1/namespaces/placet/serviceaccounts';
const manifest = parseAllDocuments(readFileSync('deploy/rbac.yaml', 'utf8')).map((one) => one.toJS());
export const [home, account, role, binding] = manifest as [
  object,
  object,
  { rules: readonly Rule[] },
  object,
];

export const clusterLinks = definitions.filter(({ spec }) => spec.group === 'clusterlink.net');
/** One is missing throughout. */
const ours = definitions.filter(
  (one) => !clusterLinks.includes(one) && one.metadata.name !== 'upstreamtimeouts.kuma.io',
);

export interface Account {
  readonly cluster: TestCluster;
  readonly kubeconfig: string;
  token(spec: object): Promise<string>;
  follow(lookAgain?: number): Promise<Followed>;
  /** Whatever was followed. */
  leave(): void;
  stop(): Promise<void>;
}

export interface Followed {
  readonly source: KubernetesDocuments;
  /** Whether all was seen, and the documents, each time that there was news. */
  readonly told: readonly string[];
}

export async function openAccount(): Promise<Account> {
  const cluster = await openCluster();
  const folder = temporary();
  const running: KubernetesDocuments[] = [];
  const { api } = cluster;
  await install(api, ours);
  await namespace(api, 'shop');
  await api.post('/api/v1/namespaces', home);
  await api.post(accountPath, account);
  await api.post(rolePath, role);
  await api.post(bindingPath, binding);
  const token = async (spec: object) =>
    (await api.post<{ status: { token: string } }>(`${accountPath}/placet/token`, { spec })).status.token;
  const config = JSON.parse(readFileSync(cluster.kubeconfig('admin'), 'utf8'));
  config.users[0].user.token = await token({ expirationSeconds: 3600 });
  const kubeconfig = `${folder.path}/kubeconfig`;
  writeFileSync(kubeconfig, JSON.stringify(config), { mode: 0o600 });
  const leave = () => {
    for (const one of running.splice(0)) one.close();
  };
  return {
    cluster,
    kubeconfig,
    token,
    async follow(lookAgain = 200) {
      const told: string[] = [];
      const source: KubernetesDocuments = new KubernetesDocuments(await connect({ kubeconfig }), resources, {
        check,
        standIn: standInFor,
        lookAgain,
        onChange: () => {
          told.push(JSON.stringify([source.synced, source.documents()]));
        },
      });
      running.push(source);
      void source.run();
      return { source, told };
    },
    leave,
    async stop() {
      leave();
      await cluster.stop();
      folder.remove();
    },
  };
}

export const check = (documents: readonly Document[]) => load(documents, digest, shippedKinds).violations;

export function whys({ source }: Pick<Followed, 'source'>): readonly string[] {
  return source.status.kinds.flatMap(({ why }) => why ?? []);
}

export const within = { timeout: 20_000, interval: 50 };
export const patient = { timeout: 60_000, interval: 50 };
