import { tagCertificate } from '../pdp/model/certified.ts';
import { type Derived, type Fact, factsOf, type Templates } from '../pdp/model/facts.ts';
import type { Workload } from '../pdp/model/inventory.ts';
import { sitePrefixes } from '../pdp/model/of-site.ts';
import type { RequestSource, Stated } from '../pdp/model/request.ts';
import { keys } from '../pdp/model/rule.ts';
import type { SpiffeId } from '../pdp/model/spiffe-id.ts';
import type { TagIdentity } from '../pdp/model/tag-certificate.ts';
import type { Trust } from '../pdp/model/trust.ts';
import { Findings, type Identified, type Seen } from './findings.ts';
import type { ServiceAccount } from './jwt/service-account.ts';
import { attributesOf, type Pod } from './kubernetes/pod.ts';
import type { AddressOwner } from './kubernetes/pods.ts';

export type { Identified, Seen } from './findings.ts';

/** What was proved of a client, each part verified by itself, and what goes with it unproved. */
export interface Proof {
  readonly spiffeId?: SpiffeId;
  /** Of a tag mesh's certificate. */
  readonly tags?: TagIdentity;
  readonly account?: ServiceAccount;
  /** Where it calls from: anybody on the way may have written it. */
  readonly address?: string;
  /** Whom a caller says it to be. It gives nothing, and binds what an address gives as an identity that was proved does. */
  readonly said?: Said;
}

/** By an ID, or by what names no pod: tags, or what is no ID of a workload. */
export type Said = SpiffeId | 'no-pod';

/** The cluster as far as it is known. */
export interface Cluster {
  byUid(uid: string): Pod | undefined;
  /** The same array for as long as nothing of these pods and of what owns them has changed. */
  ofAccount(namespace: string, serviceAccount: string): readonly Pod[];
  ofAddress(address: string): AddressOwner;
  /** `Deployment/web`; undefined if it has none, null if nobody knows yet. */
  ownerOf(pod: Pod): string | undefined | null;
  /** When all of it was last known to be so, in milliseconds since the epoch. */
  readonly freshAt: number;
}

export interface Known {
  readonly templates: Templates;
  /** Trust domains of this site, whose IDs are those of pods of its cluster. */
  readonly own: ReadonlySet<string>;
  /** Whether an ID is of this site and of no other. */
  readonly isHere: (id: string) => boolean;
  /** The attributes of this site. */
  readonly site: ReadonlyMap<string, string>;
  /** Not given: there is none, or what is known of it is too old. */
  readonly cluster?: Cluster;
}

export function identify(proof: Proof, known: Known): Identified {
  const found = new Findings();
  const { spiffeId, account, tags } = proof;
  const named = spiffeId === undefined ? undefined : readSpiffeId(spiffeId, known, found);
  if (account !== undefined) readAccount(account, found);
  // Such a certificate says all there is to say of tags, and that there is no SPIFFE ID.
  if (tags !== undefined)
    for (const [prefix, trust] of Object.entries(tagCertificate)) found.complete(prefix, trust);
  const said = saidAccount(proof, known);
  const called = calledOf(proof, named ?? said, known.cluster);
  if (called !== undefined && said !== undefined) readSaid(said, found);
  if (known.cluster !== undefined) readCluster(proof, named, called, known.cluster, found);
  const here = ofThisSite(proof, called, known);
  if (here !== undefined) readSite(here, known, found);
  return {
    ...(spiffeId === undefined ? {} : { spiffeId: spiffeId.toString() }),
    ...(tags === undefined ? {} : { tags }),
    ...found.result(),
  };
}

/** How well it is known that a client is of this site; undefined: it may be of any. */
function ofThisSite(
  { spiffeId, account }: Proof,
  called: Pod | undefined,
  { isHere }: Known,
): Trust | undefined {
  if (spiffeId !== undefined && isHere(spiffeId.toString())) return 'configured';
  // The API server that vouches for it is that of this site's cluster.
  if (account !== undefined) return 'configured';
  return called === undefined ? undefined : 'reported';
}

function readSite(trust: Trust, { site }: Known, found: Findings): void {
  for (const [key, value] of site) found.add({ key, value, trust, source: 'this site' });
  if (site.size > 0) for (const prefix of sitePrefixes) found.complete(prefix, trust);
}

function readAccount({ namespace, name, pod }: ServiceAccount, found: Findings): void {
  const said = [
    [keys.k8sNamespace, namespace],
    [keys.k8sServiceAccount, name],
    ...(pod === undefined ? [] : [[keys.k8sPod, pod.name] as const]),
  ] as const;
  for (const [key, value] of said) found.add({ key, value, trust: 'attested', source: fromToken });
}

const fromToken = 'service account token';

interface Account {
  readonly namespace: string;
  readonly name: string;
}

/** The account that an ID of this site names; of others only the ID itself is known. */
function readSpiffeId(id: SpiffeId, known: Known, found: Findings): Account | undefined {
  const trustDomain = id.trustDomain.name;
  found.add({ key: keys.spiffeId, value: id.toString(), trust: 'attested', source: 'SPIFFE ID' });
  found.add({ key: keys.trustDomain, value: trustDomain, trust: 'attested', source: 'SPIFFE ID' });
  found.complete('spiffe:', 'attested');
  const read = known.templates.values(id.toString());
  for (const [key, value] of read ?? [])
    found.add({ key, value, trust: 'attested', source: `template of ${trustDomain}` });
  return accountIn(id, read, known);
}

function accountIn(
  { trustDomain }: SpiffeId,
  read: Derived | undefined,
  { own }: Known,
): Account | undefined {
  const namespace = read?.get(keys.k8sNamespace);
  const name = read?.get(keys.k8sServiceAccount);
  if (!own.has(trustDomain.name) || namespace === undefined || name === undefined) return undefined;
  return { namespace, name };
}

/** Who has proved who it is is that, whatever is said of it. */
function saidAccount({ spiffeId, tags, said }: Proof, known: Known): Account | undefined {
  if (spiffeId !== undefined || tags !== undefined || said === undefined || said === 'no-pod')
    return undefined;
  return accountIn(said, known.templates.values(said.toString()), known);
}

/** Beside a pod that has the address: if it is of another account they contradict each other (SPEC WHO4). */
function readSaid({ namespace, name }: Account, found: Findings): void {
  const source = 'what the caller states';
  found.add({ key: keys.k8sNamespace, value: namespace, trust: 'asserted', source });
  found.add({ key: keys.k8sServiceAccount, value: name, trust: 'asserted', source });
}

/**
 * The pod that has the address. Beside an identity it only picks one of the pods that this names: who is none of them
 * comes through somebody whose address it is.
 */
function calledOf(
  { address, spiffeId, tags, said }: Proof,
  named: Account | undefined,
  cluster: Cluster | undefined,
): Pod | undefined {
  const identified = (spiffeId ?? tags ?? said) !== undefined;
  if (address === undefined || (identified && named === undefined)) return undefined;
  const owner = cluster?.ofAddress(address);
  return owner?.kind === 'pod' ? owner.pod : undefined;
}

/** By the strongest handle there is: the UID in a token, then the identity, then the address (SPEC WHO2, WHO3). */
function readCluster(
  proof: Proof,
  named: Account | undefined,
  called: Pod | undefined,
  cluster: Cluster,
  found: Findings,
): void {
  const since = cluster.freshAt;
  const bound = proof.account?.pod;
  if (bound !== undefined) {
    found.pod(bound.uid, { key: keys.k8sPod, value: bound.name, trust: 'attested', source: fromToken });
    const pod = cluster.byUid(bound.uid);
    if (pod?.live === true) addPod(pod, cluster, found, 'observed', 'pod of the token', since);
  }
  const account = named ?? (bound === undefined ? proof.account : undefined);
  if (account !== undefined) {
    const pods = cluster.ofAccount(account.namespace, account.name);
    if (pods.length > 0) addShared(pods, called, cluster, found, since);
  }
  if (called !== undefined) {
    const source = `pod at ${proof.address}`;
    found.pod(called.uid, { key: keys.k8sPod, value: called.name, trust: 'reported', source, since });
    addPod(called, cluster, found, 'reported', source, since);
  }
}

function addPod(
  pod: Pod,
  cluster: Cluster,
  found: Findings,
  trust: Trust,
  source: string,
  since: number,
): void {
  const owner = cluster.ownerOf(pod);
  for (const [key, value] of attributesOf(pod, owner ?? undefined))
    found.add({ key, value, trust, source, since });
  if (owner === null) found.add({ key: keys.k8sOwner, trust, source, since });
  found.complete('k8s:', trust);
}

/** What all pods of an account agree in is known of each; what they differ in is known of none by that alone. */
function addShared(
  pods: readonly Pod[],
  called: Pod | undefined,
  cluster: Cluster,
  found: Findings,
  since: number,
): void {
  const [only] = pods;
  const source =
    pods.length === 1 ? `pod ${only?.namespace}/${only?.name}` : `${pods.length} pods of the account`;
  const own = isOneOf(pods, called) ? workloadOf(called, cluster).attributes : undefined;
  const { facts, owned } = sharedBy(pods, cluster);
  if (!owned) found.add({ key: keys.k8sOwner, trust: 'observed', source, since });
  let complete: Trust = 'observed';
  for (const [key, fact] of facts) {
    if (fact.kind === 'agreed') found.add({ key, value: fact.value, trust: 'observed', source, since });
    else if (own === undefined) found.add(differing(key, fact, source, since));
    // That it lacks what others of the account have is known by its address alone.
    else if (!own.has(key)) complete = 'reported';
  }
  found.complete('k8s:', complete);
}

/** All live pods of an account are given, and only live ones have an address. */
function isOneOf([first]: readonly Pod[], pod: Pod | undefined): pod is Pod {
  return pod?.namespace === first?.namespace && pod?.serviceAccount === first?.serviceAccount;
}

interface Shared {
  readonly facts: ReadonlyMap<string, Fact>;
  /** Whether what owns each of them is known. */
  readonly owned: boolean;
}

/** An account may have thousands of pods: what they share is found once, not at every request. */
const shared = new WeakMap<readonly Pod[], Shared>();

function sharedBy(pods: readonly Pod[], cluster: Cluster): Shared {
  const known = shared.get(pods);
  if (known !== undefined) return known;
  const made = {
    facts: factsOf(pods.map((pod) => workloadOf(pod, cluster))),
    owned: pods.every((pod) => cluster.ownerOf(pod) !== null),
  };
  shared.set(pods, made);
  return made;
}

const mostNamed = 8;

function differing(
  key: string,
  { pods }: Extract<Fact, { kind: 'shared' }>,
  source: string,
  since: number,
): Seen {
  return { key, pods: pods.slice(0, mostNamed), trust: 'observed', source, since };
}

function workloadOf(pod: Pod, cluster: Cluster): Workload {
  return {
    namespace: pod.namespace,
    name: pod.name,
    attributes: attributesOf(pod, cluster.ownerOf(pod) ?? undefined),
  };
}

/** As `decide` takes it. */
export function requestSource({ spiffeId, tags, values, complete }: Identified): RequestSource {
  const attributes: [string, Stated][] = values.map(({ key, value, pods, trust, since }) => [
    key,
    value === undefined
      ? pods === undefined
        ? { unknown: 'not-known' }
        : { unknown: 'shared-identity', pods }
      : { value, trust, ...(since === undefined ? {} : { since }) },
  ]);
  return {
    ...(spiffeId === undefined ? {} : { spiffeId }),
    ...tags,
    attributes: Object.fromEntries(attributes),
    complete,
  };
}
