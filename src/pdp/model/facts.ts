import { defaultTemplate, type Inventory, type Site, type Workload } from './inventory.ts';
import { pushTo } from './lists.ts';

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

/** What the template of an ID's trust domain reads off its path (SPEC SRC5). */
export class Templates {
  readonly #byTrustDomain = new Map<string, readonly string[]>();

  constructor(site: Site, meshes: Inventory['meshes']) {
    for (const { trustDomains } of meshes.values()) {
      for (const name of trustDomains) this.#byTrustDomain.set(name, defaultTemplate.split('/'));
    }
    for (const { name, template } of site.trustDomains) this.#byTrustDomain.set(name, template.split('/'));
  }

  get empty(): boolean {
    return this.#byTrustDomain.size === 0;
  }

  /** Undefined if the trust domain is none of ours, or the path is not of the template's form. */
  values(spiffeId: string): ReadonlyMap<string, string> | undefined {
    const [, , trustDomain = '', ...path] = spiffeId.split('/');
    const template = this.#byTrustDomain.get(trustDomain);
    if (template === undefined || template.length !== path.length + 1) return undefined;
    const values = new Map<string, string>();
    for (const [i, part] of path.entries()) {
      const wanted = template[i + 1] as string;
      if (wanted.startsWith('{')) values.set(wanted.slice(1, -1), part);
      else if (wanted !== part) return undefined;
    }
    return values;
  }
}
