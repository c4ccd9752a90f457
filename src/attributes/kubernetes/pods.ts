import { normalAddress } from './address.ts';
import type { Pod } from './pod.ts';

/** Who has an address. That nobody is known to have it is not that somebody has no attributes. */
export type AddressOwner =
  | { readonly kind: 'pod'; readonly pod: Pod }
  /** Of a node: pods on its network cannot be told apart, and none of them is believed to be the one. */
  | { readonly kind: 'host'; readonly pods: readonly Pod[] }
  | { readonly kind: 'unknown' };

const unknown: AddressOwner = { kind: 'unknown' };

/** Who has something, and what was answered of it last, until it changes. */
interface Entry<T> {
  readonly uids: Set<string>;
  answer: T | undefined;
}

/** Of a deleted pod its UID is remembered, so that an event that comes late does not bring it back. */
const mostForgotten = 100_000;

/** Pods by UID, and by what identifies them: address, service account, name. Events may come late or twice. */
export class Pods {
  readonly #byUid = new Map<string, Pod>();
  readonly #byAddress = new Map<string, Entry<AddressOwner>>();
  readonly #byAccount = new Map<string, Entry<readonly Pod[]>>();
  readonly #gone = new Set<string>();
  /** Counts changes of what is known. */
  #version = 0;

  get size(): number {
    return this.#byUid.size;
  }

  get version(): number {
    return this.#version;
  }

  /** All that there is, after a list: what is not in it does not exist, however new it was. */
  replace(pods: Iterable<Pod>): void {
    const kept = new Set<string>();
    this.#gone.clear();
    for (const pod of pods) {
      kept.add(pod.uid);
      // Of the same version or not: after a store was put back, versions come again with other contents.
      this.#put(pod);
    }
    for (const uid of this.#byUid.keys()) if (!kept.has(uid)) this.#remove(uid);
  }

  /** One that is new or changed. */
  set(pod: Pod): void {
    if (this.#gone.has(pod.uid)) return;
    const known = this.#byUid.get(pod.uid);
    if (known !== undefined && !isNewer(pod.resourceVersion, known.resourceVersion)) return;
    this.#put(pod);
  }

  delete(uid: string): void {
    this.#remove(uid);
    this.#gone.add(uid);
    if (this.#gone.size <= mostForgotten) return;
    const [oldest] = this.#gone;
    this.#gone.delete(oldest as string);
  }

  byUid(uid: string): Pod | undefined {
    return this.#byUid.get(uid);
  }

  /** The live pods of a service account, in the order of their names; the same array until one of them changes. */
  ofAccount(namespace: string, serviceAccount: string): readonly Pod[] {
    const entry = this.#byAccount.get(accountKey(namespace, serviceAccount));
    if (entry === undefined) return [];
    entry.answer ??= this.#all(entry.uids).sort((a, b) =>
      a.name < b.name ? -1 : a.name > b.name ? 1 : a.uid < b.uid ? -1 : 1,
    );
    return entry.answer;
  }

  /** What owns pods is known otherwise than before, so nothing that was made of them holds. */
  ownersChanged(): void {
    for (const entry of this.#byAccount.values()) entry.answer = undefined;
  }

  ofAddress(address: string): AddressOwner {
    // Most come in normal form, by which they are known.
    const entry = this.#byAddress.get(address) ?? this.#byAddress.get(normalAddress(address) ?? '');
    if (entry === undefined) return unknown;
    entry.answer ??= this.#ownerOf(this.#all(entry.uids));
    return entry.answer;
  }

  #ownerOf(pods: readonly Pod[]): AddressOwner {
    const hosts = pods.filter(({ hostNetwork }) => hostNetwork);
    if (hosts.length > 0) return { kind: 'host', pods: hosts };
    const last = Math.max(...pods.map(({ created }) => created));
    const [newest, another] = pods.filter(({ created }) => created === last);
    return newest === undefined || another !== undefined ? unknown : { kind: 'pod', pod: newest };
  }

  [Symbol.iterator](): Iterator<Pod> {
    return this.#byUid.values();
  }

  #all(uids: ReadonlySet<string>): Pod[] {
    return [...uids].map((uid) => this.#byUid.get(uid) as Pod);
  }

  #put(pod: Pod): void {
    const known = this.#byUid.get(pod.uid);
    if (known !== undefined) this.#unlink(known);
    this.#byUid.set(pod.uid, pod);
    this.#version++;
    if (!pod.live) return;
    for (const address of pod.addresses) link(this.#byAddress, address, pod.uid);
    link(this.#byAccount, accountKey(pod.namespace, pod.serviceAccount), pod.uid);
  }

  #remove(uid: string): void {
    const known = this.#byUid.get(uid);
    if (known === undefined) return;
    this.#unlink(known);
    this.#byUid.delete(uid);
    this.#version++;
  }

  #unlink(pod: Pod): void {
    for (const address of pod.addresses) unlink(this.#byAddress, address, pod.uid);
    unlink(this.#byAccount, accountKey(pod.namespace, pod.serviceAccount), pod.uid);
  }
}

function link<T>(index: Map<string, Entry<T>>, key: string, uid: string): void {
  const entry = index.get(key);
  if (entry === undefined) {
    index.set(key, { uids: new Set([uid]), answer: undefined });
    return;
  }
  entry.uids.add(uid);
  entry.answer = undefined;
}

function unlink<T>(index: Map<string, Entry<T>>, key: string, uid: string): void {
  const entry = index.get(key);
  if (entry === undefined) return;
  entry.answer = undefined;
  entry.uids.delete(uid);
  if (entry.uids.size === 0) index.delete(key);
}

/** Names of Kubernetes have no slash. */
function accountKey(namespace: string, serviceAccount: string): string {
  return `${namespace}/${serviceAccount}`;
}

/** Versions are numbers that grow (Kubernetes 1.35 says so); what is none is taken as it comes. */
function isNewer(a: string, b: string): boolean {
  if (!/^\d+$/.test(a) || !/^\d+$/.test(b)) return true;
  return a.length === b.length ? a > b : a.length > b.length;
}
