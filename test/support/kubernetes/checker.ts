import type { ClusterSource } from '../../../src/attributes/kubernetes/cluster.ts';
import { attributesOf } from '../../../src/attributes/kubernetes/pod.ts';
import { addImages, type ContainerImage, imageKeys } from '../../../src/pdp/model/images.ts';
import type { TestClient } from './client.ts';

/** What of an object the API server lists is of interest here. */
interface Listed {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly creationTimestamp: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { kind: string; name: string; controller?: boolean }[];
  };
  readonly spec: {
    readonly serviceAccountName: string;
    readonly hostNetwork?: boolean;
    readonly containers: readonly ContainerImage[];
  };
  readonly status: { readonly phase: string; readonly podIPs?: readonly { readonly ip: string }[] };
}

export interface Checker {
  /** In what the source differs from a list made now; a few in words, and how many there are. */
  differences(): Promise<readonly string[]>;
}

const mostTold = 5;

/**
 * Compares a source with a list of everything at once, by a way of its own that keeps no index: each pod, the owner
 * of each address and the pods of each account; of those seen before too, that they are no longer there.
 */
export function checker(source: ClusterSource, api: TestClient): Checker {
  const seen = { uids: new Set<string>(), addresses: new Set<string>(), accounts: new Set<string>() };
  return {
    async differences() {
      const { items: pods } = await api.get<{ items: Listed[] }>('/api/v1/pods');
      const { items: replicaSets } = await api.get<{ items: Listed[] }>('/apis/apps/v1/replicasets');
      const cluster = source.view();
      if (cluster === undefined) return [`the source has no view: ${JSON.stringify(source.status)}`];
      const found: string[] = [];
      const compare = (what: string, got: unknown, want: unknown) => {
        const texts = [got, want].map((value) => JSON.stringify(value));
        if (texts[0] !== texts[1]) found.push(`${what}: got ${texts[0]}, want ${texts[1]}`);
      };

      const above = new Map(replicaSets.map((one) => [key(one), controllerOf(one)]));
      const byAddress = new Map<string, Listed[]>();
      const byAccount = new Map<string, Listed[]>();
      for (const pod of pods) {
        seen.uids.add(pod.metadata.uid);
        const account = `${pod.metadata.namespace}/${pod.spec.serviceAccountName}`;
        seen.accounts.add(account);
        for (const { ip } of pod.status.podIPs ?? []) seen.addresses.add(ip);
        if (!isLive(pod)) continue;
        byAccount.set(account, [...(byAccount.get(account) ?? []), pod]);
        for (const { ip } of pod.status.podIPs ?? []) byAddress.set(ip, [...(byAddress.get(ip) ?? []), pod]);
      }

      compare('number of pods', source.pods.size, pods.length);
      const listed = new Map(pods.map((pod) => [pod.metadata.uid, pod]));
      for (const uid of seen.uids) {
        const pod = cluster.byUid(uid);
        const want = listed.get(uid);
        const got = pod && [pod.resourceVersion, pod.live, pod.hostNetwork, pod.addresses];
        const wanted = want && [
          want.metadata.resourceVersion,
          isLive(want),
          want.spec.hostNetwork === true,
          (want.status.podIPs ?? []).map(({ ip }) => ip),
        ];
        compare(`pod ${want === undefined ? uid : key(want)}`, got, wanted);
        if (pod === undefined || want === undefined) continue;
        const owner = cluster.ownerOf(pod);
        compare(`owner of ${key(want)}`, owner, ownerOf(want, above));
        compare(
          `attributes of ${key(want)}`,
          [...attributesOf(pod, owner ?? undefined)].sort(),
          [...attributesWanted(want, above)].sort(),
        );
      }
      for (const address of seen.addresses) {
        const owner = cluster.ofAddress(address);
        const got =
          owner.kind === 'pod'
            ? owner.pod.uid
            : owner.kind === 'host'
              ? owner.pods.map(({ uid }) => uid).sort()
              : null;
        compare(`address ${address}`, got, addressWanted(byAddress.get(address) ?? []));
      }
      for (const account of seen.accounts) {
        const [namespace = '', name = ''] = account.split('/');
        const want = (byAccount.get(account) ?? []).map(({ metadata }) => metadata.name).sort();
        compare(
          `account ${account}`,
          cluster.ofAccount(namespace, name).map((pod) => pod.name),
          want,
        );
      }
      return found.length <= mostTold ? found : [...found.slice(0, mostTold), `${found.length} differences`];
    },
  };
}

function key({ metadata }: Listed): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function isLive({ metadata, status }: Listed): boolean {
  return metadata.deletionTimestamp === undefined && !['Succeeded', 'Failed'].includes(status.phase);
}

function controllerOf({ metadata }: Listed): { kind: string; name: string } | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

function ownerOf(pod: Listed, above: ReadonlyMap<string, ReturnType<typeof controllerOf>>) {
  const own = controllerOf(pod);
  if (own === undefined) return undefined;
  const replicaSet = `${pod.metadata.namespace}/${own.name}`;
  if (own.kind === 'ReplicaSet' && !above.has(replicaSet)) return null;
  const last = (own.kind === 'ReplicaSet' ? above.get(replicaSet) : undefined) ?? own;
  return `${last.kind}/${last.name}`;
}

function attributesWanted(pod: Listed, above: Parameters<typeof ownerOf>[1]): Map<string, string> {
  const { metadata, spec } = pod;
  const owner = ownerOf(pod, above);
  const attributes = new Map([
    ['k8s:ns', metadata.namespace],
    ['k8s:sa', spec.serviceAccountName],
    ['k8s:pod', metadata.name],
    ...(typeof owner === 'string' ? [['k8s:owner', owner] as const] : []),
    ...Object.entries(metadata.labels ?? {}).map(([label, value]) => [`k8s:label:${label}`, value] as const),
  ]);
  addImages(attributes, imageKeys.containers, spec.containers);
  return attributes;
}

/** The UID of the pod that has it; of a node those of all on it. */
function addressWanted(pods: readonly Listed[]): string | readonly string[] | null {
  const hosts = pods.filter(({ spec }) => spec.hostNetwork === true);
  if (hosts.length > 0) return hosts.map(({ metadata }) => metadata.uid).sort();
  const times = pods.map(({ metadata }) => Date.parse(metadata.creationTimestamp));
  const newest = pods.filter((_, at) => times[at] === Math.max(...times));
  return newest.length === 1 ? newest[0]!.metadata.uid : null;
}
