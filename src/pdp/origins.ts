import { type Derived, type Fact, factsBySpiffeId, Templates } from './model/facts.ts';
import { type AttributeRule, coversKey, type Inventory } from './model/inventory.ts';
import { idsOfSite, isSiteKey } from './model/of-site.ts';
import { type Condition, keys } from './model/rule.ts';
import { trustRank } from './model/trust.ts';

/** A value and the rank of its trust. */
export interface Evidence {
  readonly value: string;
  readonly trust: number;
}

/** What the inventory says of a key. Without a value it knows that there is none. */
export interface Word {
  readonly value?: string;
  /** Its rank. */
  readonly trust: number;
}

const { observed, configured } = trustRank;
const none: Readonly<Record<'workloads' | 'site', Word>> = {
  workloads: { trust: observed },
  site: { trust: configured },
};

/** What the inventory says of whoever carries a SPIFFE ID. */
export class Told {
  readonly #facts: ReadonlyMap<string, Fact> | undefined;
  /** Of the site that the ID is of. */
  readonly #site: ReadonlyMap<string, string> | undefined;

  constructor(facts: ReadonlyMap<string, Fact> | undefined, site: ReadonlyMap<string, string> | undefined) {
    this.#facts = facts;
    this.#site = site;
  }

  get(key: string): Word | 'shared' | undefined {
    const ofSite = this.#site?.get(key);
    if (ofSite !== undefined) return { value: ofSite, trust: configured };
    const fact = this.#facts?.get(key);
    if (fact !== undefined) return fact.kind === 'shared' ? 'shared' : { value: fact.value, trust: observed };
    // A workload is complete for what Kubernetes says of it, a site for what sites are.
    if (this.#facts !== undefined && key.startsWith('k8s:')) return none.workloads;
    return this.#site !== undefined && isSiteKey(key) ? none.site : undefined;
  }
}

/** What the inventory adds to, or takes from, the attributes that a request states (SRC5, SRC7, SRC8, SRC14). */
export class Origins {
  readonly #site: ReadonlyMap<string, string>;
  readonly #isHere: (id: string) => boolean;
  readonly #facts: ReadonlyMap<string, ReadonlyMap<string, Fact>>;
  readonly #templates: Templates;
  readonly #rules: readonly AttributeRule[];
  readonly #restricted = new Map<string, readonly AttributeRule[]>();

  constructor(inventory: Inventory) {
    this.#site = inventory.site.attributes;
    this.#isHere = this.#site.size === 0 ? () => false : idsOfSite(inventory);
    this.#facts = factsBySpiffeId(inventory);
    this.#rules = inventory.site.attributeRules;
    this.#templates = new Templates(inventory.site, inventory.meshes);
  }

  /** How well the inventory may know something of an ID, at most. */
  known(spiffeId: string): number {
    if (this.#isHere(spiffeId)) return configured;
    return this.#facts.size > 0 ? observed : 0;
  }

  told(spiffeId: string): Told | undefined {
    const facts = this.#facts.size === 0 ? undefined : this.#facts.get(spiffeId);
    const site = this.#isHere(spiffeId) ? this.#site : undefined;
    return facts === undefined && site === undefined ? undefined : new Told(facts, site);
  }

  template(spiffeId: string): Derived | undefined {
    return this.#templates.empty ? undefined : this.#templates.values(spiffeId);
  }

  /** Whether a template may give this key. */
  derives(key: string): boolean {
    return !this.#templates.empty && (key === keys.k8sNamespace || key === keys.k8sServiceAccount);
  }

  restricts(key: string): boolean {
    return this.#rules.length > 0 && this.#rulesOf(key).length > 0;
  }

  /**
   * How far a value of a key can be believed at most, if a source of which this is known may set it; undefined if it
   * may not. Where it is from is itself only known so well.
   */
  vouched(key: string, known: (key: string) => Evidence | undefined): number | undefined {
    const namespace = known(keys.k8sNamespace);
    if (namespace === undefined) return undefined;
    let least = namespace.trust;
    for (const rule of this.#rulesOf(key)) {
      let best = -1;
      for (const { site, namespaces } of rule.from) {
        if (!namespaces.includes(namespace.value)) continue;
        let trust = namespace.trust;
        for (const condition of site) {
          const seen = known(condition.key);
          trust = holds(condition, seen?.value) ? Math.min(trust, seen?.trust ?? -1) : -1;
        }
        best = Math.max(best, trust);
      }
      if (best < 0) return undefined;
      least = Math.min(least, best);
    }
    return least;
  }

  /** Only keys that rules read are asked for, so this stays as small as the rules are. */
  #rulesOf(key: string): readonly AttributeRule[] {
    let rules = this.#restricted.get(key);
    if (rules === undefined) {
      rules = this.#rules.filter((rule) => rule.keys.some((pattern) => coversKey(pattern, key)));
      this.#restricted.set(key, rules);
    }
    return rules;
  }
}

/** The core's own reading of a condition: not that of model/condition.ts, which it is compared with. */
function holds(condition: Condition, value: string | undefined): boolean {
  const { op, values } = condition;
  if (op === 'exists') return value !== undefined;
  // A site that does not say what it is is not one of those named, nor known to be another.
  if (value === undefined) return false;
  if (op === 'notExists') return false;
  const among = values.some((pattern) => {
    if (pattern.match === 'exact') return value === pattern.value;
    if (pattern.match === 'prefix') return value.startsWith(pattern.value);
    return value === pattern.value || value.startsWith(`${pattern.value}/`);
  });
  return among === (op === 'in');
}
