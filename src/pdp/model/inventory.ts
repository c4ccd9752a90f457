import type { Condition } from './rule.ts';
import type { Trust } from './trust.ts';

/** What is known of meshes, proxies, services, workloads and this site. Filled from documents or from Kubernetes. */

export type Protocol = 'http' | 'tcp';

export interface Inbound {
  readonly name?: string;
  readonly port: number;
  /** Undefined: shows what the request shows. */
  readonly protocol?: Protocol;
  readonly tags: ReadonlyMap<string, readonly string[]>;
}

/** What a proxy calls: a service by its tags, or a reference to one. */
export interface Outbound {
  readonly address?: string;
  readonly port?: number;
  readonly tags: ReadonlyMap<string, readonly string[]>;
  readonly backendRef?: BackendRef;
}

export interface BackendRef {
  readonly kind: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly port?: number;
  readonly labels?: Readonly<Record<string, string>>;
}

/** A proxy that lets traffic into the mesh; of a built-in one documents say what it does, it has no inbounds. */
export interface Gateway {
  readonly type: 'builtin' | 'delegated';
  readonly tags: ReadonlyMap<string, readonly string[]>;
}

export interface Dataplane {
  readonly mesh: string;
  /** As requests, nodes and commands call it: its own name, with its namespace where others have that too (SPEC DST9). */
  readonly name: string;
  /** As policies call it, where that is another name. */
  readonly ownName?: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly inbounds: readonly Inbound[];
  readonly outbounds?: readonly Outbound[];
  readonly gateway?: Gateway;
  readonly document?: number;
}

export function ownNameOf({ name, ownName = name }: Dataplane): string {
  return ownName;
}

/** Says the namespace of a dataplane, also where its document is a copy that lies in another. */
export const namespaceLabel = 'k8s.kuma.io/namespace';

export function namespaceOf({ labels }: Dataplane): string | undefined {
  return labels.get(namespaceLabel);
}

/** What one may be called besides its name. */
export function otherNameOf(dataplane: Dataplane): string | undefined {
  const namespace = namespaceOf(dataplane);
  if (namespace === undefined || dataplane.ownName !== undefined) return undefined;
  return nameWith(namespace, dataplane.name);
}

export function nameWith(namespace: string, name: string): string {
  return `${name}.${namespace}`;
}

/** By what it is called, or by a name that says the namespace apart (SPEC DST9). */
export function findDataplane(
  inventory: Pick<Inventory, 'dataplanes'>,
  mesh: string,
  name: string,
  namespace?: string,
): Dataplane | undefined {
  const found = called(inventory, mesh, name);
  if (found !== undefined || namespace === undefined) return found;
  return called(inventory, mesh, nameWith(namespace, name));
}

function called(
  { dataplanes }: Pick<Inventory, 'dataplanes'>,
  mesh: string,
  name: string,
): Dataplane | undefined {
  const found = dataplanes.get(`${mesh}/${name}`);
  if (found !== undefined) return found;
  const dot = name.lastIndexOf('.');
  const other = dot < 0 ? undefined : dataplanes.get(`${mesh}/${name.slice(0, dot)}`);
  return other !== undefined && otherNameOf(other) === name ? other : undefined;
}

/** SPEC TAG5 */
export function proxyTypeOf({ gateway }: Dataplane): 'Sidecar' | 'Gateway' {
  return gateway === undefined ? 'Sidecar' : 'Gateway';
}

/** Tags that Kuma gives a workload by its labels: where an inbound does not write them, the labels say (SPEC DST7). */
const labelTags: readonly string[] = [namespaceLabel, 'kuma.io/zone'];

/** All tags of an inbound of a dataplane; without one, those of its gateway and of its labels. */
export function tagsOf(
  { labels, gateway }: Dataplane,
  inbound?: Inbound,
): ReadonlyMap<string, readonly string[]> {
  const tags = new Map((inbound ?? gateway)?.tags);
  for (const tag of labelTags) {
    const label = labels.get(tag);
    if (label !== undefined && !tags.has(tag)) tags.set(tag, [label]);
  }
  return tags;
}

export interface Mesh {
  readonly name: string;
  readonly certificates: 'spiffe' | 'tags';
  /** `full`: AccessPolicies allow at this mesh's inbounds too; else only their denies count there. */
  readonly accessPolicies: 'full' | 'denies';
  readonly trustDomains: readonly string[];
  readonly document?: number;
}

export interface Service {
  readonly namespace: string;
  readonly name: string;
  /** `service:name`, `k8s:ns`, `k8s:label:*`, `cl:service:*`. Site attributes are added from the site. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly document?: number;
}

export interface Workload {
  readonly namespace: string;
  readonly name: string;
  /** The ID its certificate carries, if it has one. */
  readonly spiffeId?: string;
  /** `k8s:ns`, `k8s:sa`, `k8s:pod`, `k8s:label:*`, images, … A workload is complete for `k8s:`. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly document?: number;
}

/** For values of `keys`, whose namespaces on which sites may set them; elsewhere they count as unknown. */
export interface AttributeRule {
  /** Keys, or key prefixes ending in `*`. */
  readonly keys: readonly string[];
  readonly from: readonly { readonly site: readonly Condition[]; readonly namespaces: readonly string[] }[];
}

/** Where an SVID has namespace and service account, unless its trust domain says otherwise. */
export const defaultTemplate = '/ns/{k8s:ns}/sa/{k8s:sa}';

/** Whether a key is among those that are written so: `*` at the end stands for the rest. */
export function coversKey(pattern: string, key: string): boolean {
  return pattern.endsWith('*') ? key.startsWith(pattern.slice(0, -1)) : key === pattern;
}

export interface Site {
  readonly name?: string;
  /** The SPIFFE ID of its gateway: whom the tokens of peers are for. */
  readonly gateway?: string;
  /** `site:name`, `site:location`, `cl:site:*`, `cl:fabric`. */
  readonly attributes: ReadonlyMap<string, string>;
  /** Of the trust domains those of this site itself, whose SVIDs name workloads of its cluster. */
  readonly ownTrustDomains: readonly string[];
  /** Of these such as other sites or peers have too: of which site their IDs are, they do not tell. Not given: none. */
  readonly sharedTrustDomains?: readonly string[];
  /** Trust domains whose SVIDs carry namespace and service account, and where in the path. */
  readonly trustDomains: readonly { readonly name: string; readonly template: string }[];
  /** The floor of allows that name none. */
  readonly floor: Trust;
  readonly hierarchical: readonly string[];
  readonly attributeRules: readonly AttributeRule[];
}

/** A public key as a JWK has it, for ES256 (`EC`) or EdDSA (`OKP`). */
export interface PeerKey {
  readonly kty: 'EC' | 'OKP';
  readonly crv: string;
  readonly kid: string;
  readonly x: string;
  readonly y?: string;
}

/** Another site, as far as its gateway is believed here (SPEC XCH3). */
export interface Peer {
  readonly name: string;
  /** The SPIFFE ID of its certificate, and the issuer of its tokens. */
  readonly gateway: string;
  /** Of the workloads that it speaks for. */
  readonly trustDomains: readonly string[];
  readonly keys: readonly PeerKey[];
  /** The most that its word counts for. */
  readonly trustUpTo: Trust;
  /** Of its site, as this one's operator knows it. */
  readonly attributes: ReadonlyMap<string, string>;
}

export interface Inventory {
  readonly meshes: ReadonlyMap<string, Mesh>;
  /** By `mesh/name`. */
  readonly dataplanes: ReadonlyMap<string, Dataplane>;
  /** By `namespace/name`. */
  readonly services: ReadonlyMap<string, Service>;
  readonly workloads: readonly Workload[];
  readonly site: Site;
  /** By name. Not given: there are none. */
  readonly peers?: ReadonlyMap<string, Peer>;
}
