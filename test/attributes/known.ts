import { type Cluster, identify, type Known, type Proof } from '../../src/attributes/identify.ts';
import { podOf } from '../../src/attributes/kubernetes/pod.ts';
import { Pods } from '../../src/attributes/kubernetes/pods.ts';
import { Templates } from '../../src/pdp/model/facts.ts';
import type { Site, Workload } from '../../src/pdp/model/inventory.ts';
import { idsOfSite } from '../../src/pdp/model/of-site.ts';
import { SpiffeId } from '../../src/pdp/model/spiffe-id.ts';

/** A site with a cluster of a few pods, and what evidence says there. */

export const id = (text: string): SpiffeId => {
  const parsed = SpiffeId.parse(text);
  if (!parsed.ok) throw new Error(parsed.fault.message);
  return parsed.value;
};

interface Shape {
  readonly labels?: Record<string, string>;
  readonly ip?: string;
  readonly account?: string;
  readonly namespace?: string;
  readonly hostNetwork?: boolean;
}
export function cluster(shapes: Record<string, Shape>): Cluster {
  const pods = new Pods();
  for (const [name, shape] of Object.entries(shapes)) {
    const pod = podOf({
      metadata: {
        uid: `uid-${name}`,
        namespace: shape.namespace ?? 'shop',
        name,
        resourceVersion: '1',
        labels: shape.labels ?? {},
      },
      spec: {
        serviceAccountName: shape.account ?? 'web',
        hostNetwork: shape.hostNetwork,
        containers: [{ name: 'app', image: 'web:1' }],
      },
      status: { phase: 'Running', podIP: shape.ip ?? '10.0.0.1' },
    });
    if (pod !== undefined) pods.set(pod);
  }
  return {
    byUid: (uid) => pods.byUid(uid),
    ofAccount: (namespace, name) => pods.ofAccount(namespace, name),
    ofAddress: (address) => pods.ofAddress(address),
    ownerOf: () => 'Deployment/web',
    freshAt: 1_000,
  };
}

const local: Site = {
  name: 'eu-1',
  attributes: new Map([['site:name', 'eu-1']]),
  ownTrustDomains: ['td'],
  trustDomains: ['td', 'peer'].map((name) => ({ name, template: '/ns/{k8s:ns}/sa/{k8s:sa}' })),
  floor: 'reported',
  hierarchical: [],
  attributeRules: [],
};
/** `changes`: of the site; `workloads`: what documents say of them. */
export function known(
  shapes?: Record<string, Shape>,
  changes: Partial<Site> = {},
  workloads: readonly Workload[] = [],
): Known {
  const site = { ...local, ...changes };
  return {
    templates: new Templates(site, new Map()),
    own: new Set(site.ownTrustDomains),
    isHere: idsOfSite({ site, workloads }),
    site: site.attributes,
    ...(shapes === undefined ? {} : { cluster: cluster(shapes) }),
  };
}
export const web = id('spiffe://td/ns/shop/sa/web');
export const say = (proof: Proof, about: Known) => {
  const { values, complete, conflicts } = identify(proof, about);
  const said = values.map(({ key, value, trust }) => [key, value === undefined ? '?' : `${value} ${trust}`]);
  return { said: Object.fromEntries(said), complete, conflicts: conflicts.map(({ key }) => key) };
};
