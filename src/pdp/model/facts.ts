import { defaultTemplate, type Inventory, type Site, type Workload } from './inventory.ts';
import { pushTo } from './lists.ts';
import { keys } from './rule.ts';
import { schemeLength, trustDomainOf } from './spiffe-id.ts';

/**
 * What the inventory says of whoever carries a SPIFFE ID (SPEC SRC7): a key on which all workloads with that ID
 * agree has a value, one on which they differ has none, and the workloads are named. A key that all lack is not here.
 */
export type Fact =
  | { readonly kind: 'agreed'; readonly value: string }
  | { readonly kind: 'shared'; readonly pods: readonly string[] };

export function factsBySpiffeId(inventory: Inventory): ReadonlyMap<string, ReadonlyMap<string, Fact>> {
  const carriers = new Map<string, Workload[]>();
  for (const workload of inventory.workloads) {
    if (workload.spiffeId === undefined) continue;
    pushTo(carriers, workload.spiffeId, workload);
  }
  const facts = new Map<string, ReadonlyMap<string, Fact>>();
  for (const [spiffeId, workloads] of carriers) facts.set(spiffeId, factsOf(workloads));
  return facts;
}

export function factsOf(workloads: readonly Workload[]): ReadonlyMap<string, Fact> {
  const facts = new Map<string, Fact>();
  const pods = workloads.map(({ namespace, name }) => `${namespace}/${name}`).sort();
  for (const key of new Set(workloads.flatMap(({ attributes }) => [...attributes.keys()]))) {
    const value = workloads[0]?.attributes.get(key);
    const agreed = value !== undefined && workloads.every(({ attributes }) => attributes.get(key) === value);
    facts.set(key, agreed ? { kind: 'agreed', value } : { kind: 'shared', pods });
  }
  return facts;
}

/** What an ID itself says of its workload. */
export class Derived {
  readonly #namespace: string | undefined;
  readonly #serviceAccount: string | undefined;

  constructor(namespace: string | undefined, serviceAccount: string | undefined) {
    this.#namespace = namespace;
    this.#serviceAccount = serviceAccount;
  }

  get(key: string): string | undefined {
    if (key === keys.k8sNamespace) return this.#namespace;
    return key === keys.k8sServiceAccount ? this.#serviceAccount : undefined;
  }

  *[Symbol.iterator](): Generator<readonly [key: string, value: string]> {
    for (const key of [keys.k8sNamespace, keys.k8sServiceAccount]) {
      const value = this.get(key);
      if (value !== undefined) yield [key, value];
    }
  }
}

/** What the template of an ID's trust domain reads off its path (SPEC SRC5). */
export class Templates {
  readonly #byTrustDomain = new Map<string, readonly string[]>();
  /** How an ID of the trust domain that was asked for last begins: most are of the same. */
  #begin = '';
  #segments: readonly string[] | undefined;

  constructor(site: Site, meshes: Inventory['meshes']) {
    for (const { trustDomains } of meshes.values()) {
      for (const name of trustDomains) this.#byTrustDomain.set(name, segmentsOf(defaultTemplate));
    }
    for (const { name, template } of site.trustDomains) this.#byTrustDomain.set(name, segmentsOf(template));
  }

  get empty(): boolean {
    return this.#byTrustDomain.size === 0;
  }

  /**
   * Undefined if the trust domain is none of ours, or the path is not of the template's form. Runs for many requests,
   * so it goes through the path once.
   */
  values(spiffeId: string): Derived | undefined {
    const segments = this.#segmentsFor(spiffeId);
    if (segments === undefined) return undefined;
    let namespace: string | undefined;
    let serviceAccount: string | undefined;
    let slash = spiffeId.indexOf('/', schemeLength);
    for (const segment of segments) {
      if (slash < 0) return undefined;
      const from = slash + 1;
      slash = spiffeId.indexOf('/', from);
      const end = slash < 0 ? spiffeId.length : slash;
      if (segment === namespaceHere) namespace = spiffeId.slice(from, end);
      else if (segment === serviceAccountHere) serviceAccount = spiffeId.slice(from, end);
      else if (end - from !== segment.length || !spiffeId.startsWith(segment, from)) return undefined;
    }
    return slash < 0 ? new Derived(namespace, serviceAccount) : undefined;
  }

  #segmentsFor(spiffeId: string): readonly string[] | undefined {
    if (this.#begin === '' || !spiffeId.startsWith(this.#begin)) {
      const trustDomain = trustDomainOf(spiffeId);
      this.#segments = this.#byTrustDomain.get(trustDomain);
      this.#begin = `${spiffeId.slice(0, schemeLength)}${trustDomain}/`;
    }
    return this.#segments;
  }
}

/** The segments of a template that are not themselves. */
const namespaceHere = `{${keys.k8sNamespace}}`;
const serviceAccountHere = `{${keys.k8sServiceAccount}}`;

function segmentsOf(template: string): readonly string[] {
  return template.split('/').slice(1);
}
