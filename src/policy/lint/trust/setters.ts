import { type AttributeRule, coversKey } from '../../../pdp/model/inventory.ts';
import { type Condition, effectOf, keys, type Rule } from '../../../pdp/model/rule.ts';
import { type Ground, some } from '../finding.ts';

/**
 * A condition on a key that only some namespaces may set, in a rule about none of these: there a value is unknown, so
 * that no allow holds and each deny does (SPEC SRC8, UNK1). That there is no value is known as ever.
 */
export function setters(ground: Ground): void {
  const { rules, inventory } = ground.loaded;
  const { attributeRules } = inventory.site;
  if (attributeRules.length === 0) return;
  const said = new Set<string>();
  for (const rule of rules)
    for (const condition of rule.when) {
      const { side, key } = condition;
      const effect = effectOn(rule, condition);
      if (side !== 'source' || key === keys.k8sNamespace || effect === undefined) continue;
      const about = attributeRules.filter((one) => one.keys.some((pattern) => coversKey(pattern, key)));
      if (about.length === 0) continue;
      const may = whoMay(about, rule.when);
      const { document, path } = rule.origin;
      const name = `${document} ${path.join('/')} ${key}`;
      if (may.some((namespace) => meets(rule.when, namespace)) || said.has(name)) continue;
      said.add(name);
      ground.report(document, path, { code: 'nobody-may-set', ...words(effect, key, may) });
    }
}

/** What comes of a condition on a value that counts as unknown; undefined where that is what it asks for. */
function effectOn({ tier, shadow }: Rule, { op }: Condition): string | undefined {
  if (effectOf(tier ?? shadow) === 'allow') {
    if (op === 'notExists') return undefined;
    return op === 'notIn' ? 'it allows only who is known to have none' : 'it allows nobody';
  }
  if (op === 'exists') return undefined;
  return op === 'in' ? 'it denies everybody who has one' : 'it denies everybody whom it is about';
}

function words(effect: string, key: string, may: readonly string[]): { message: string; hint: string } {
  const quoted = JSON.stringify(key);
  if (may.length === 0)
    return {
      message: `reads ${quoted}, which no namespace may set there: ${effect}`,
      hint: `let the attributeRules of the Site about ${quoted} have a namespace and a site in common with it`,
    };
  return {
    message: `reads ${quoted} of workloads in namespaces that may not set it: ${effect}`,
    hint: `ask for ${may.length === 1 ? 'the namespace' : 'one of the namespaces'} ${some(may)}, or name the policy's in the attributeRules of the Site`,
  };
}

/** Namespaces that every rule names, for a site that the conditions leave open. */
function whoMay(about: readonly AttributeRule[], when: readonly Condition[]): readonly string[] {
  const each = about.map(
    ({ from }) => new Set(from.flatMap(({ site, namespaces }) => (excluded(site, when) ? [] : namespaces))),
  );
  const [first = new Set<string>(), ...rest] = each;
  return [...first].filter((namespace) => rest.every((names) => names.has(namespace))).sort();
}

/** Whether the conditions name other values for a key of the site than the selector does, so that both never hold. */
function excluded(site: readonly Condition[], when: readonly Condition[]): boolean {
  return site.some((wanted) =>
    when.some(
      (one) =>
        one.side === 'source' &&
        one.key === wanted.key &&
        isExact(one) &&
        isExact(wanted) &&
        apart(one, wanted),
    ),
  );
}

function isExact({ op, values }: Condition): boolean {
  return op === 'in' && values.every(({ match }) => match === 'exact');
}

function apart({ values: some }: Condition, { values: others }: Condition): boolean {
  return !some.some(({ value }) => others.some((other) => other.value === value));
}

function meets(when: readonly Condition[], namespace: string): boolean {
  return when.every(({ side, key, op, values }) => {
    if (side !== 'source' || key !== keys.k8sNamespace || (op !== 'in' && op !== 'notIn')) return true;
    return values.some(({ value }) => value === namespace) === (op === 'in');
  });
}
