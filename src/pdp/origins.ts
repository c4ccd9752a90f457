import { type Derived, type Fact, factsBySpiffeId, Templates } from './model/facts.ts';
import { type AttributeRule, coversKey, type Inventory } from './model/inventory.ts';
import { type Condition, keys } from './model/rule.ts';

/** A value and the rank of its trust. */
export interface Evidence {
  readonly value: string;
  readonly trust: number;
}

/** What the inventory adds to, or takes from, the attributes that a request states (SRC5, SRC7, SRC8). */
export class Origins {
  readonly #facts: ReadonlyMap<string, ReadonlyMap<string, Fact>>;
  readonly #templates: Templates;
  readonly #rules: readonly AttributeRule[];
  readonly #restricted = new Map<string, readonly AttributeRule[]>();

  constructor(inventory: Inventory) {
    this.#facts = factsBySpiffeId(inventory);
    this.#rules = inventory.site.attributeRules;
    this.#templates = new Templates(inventory.site, inventory.meshes);
  }

  get hasFacts(): boolean {
    return this.#facts.size > 0;
  }

  facts(spiffeId: string): ReadonlyMap<string, Fact> | undefined {
    return this.#facts.size === 0 ? undefined : this.#facts.get(spiffeId);
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
