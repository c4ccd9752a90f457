import { coversKey, defaultTemplate, type Site } from '../../pdp/model/inventory.ts';
import { effectOf, keys, type Pattern, type Rule } from '../../pdp/model/rule.ts';
import type { Ground } from './finding.ts';

/**
 * An allow by a label of the client that does not say whose label: whoever may start pods in any namespace, on any
 * site, can set it (paper 004: labels of workloads in other namespaces are not trusted).
 */
export function labelsAcrossNamespaces(ground: Ground): void {
  const { site } = ground.loaded.inventory;
  const restricted = site.attributeRules.flatMap((rule) => rule.keys);
  const seen = new Set<string>();
  for (const rule of ground.loaded.rules) {
    if (effectOf(rule.tier ?? rule.shadow) !== 'allow' || bound(rule, site)) continue;
    const label = rule.when.find(
      ({ side, key, op }) =>
        side === 'source' && key.startsWith(keys.k8sLabel) && (op === 'in' || op === 'exists'),
    );
    if (label === undefined || restricted.some((pattern) => coversKey(pattern, label.key))) continue;
    const name = `${rule.origin.document} ${rule.origin.path.join('/')}`;
    if (seen.has(name)) continue;
    seen.add(name);
    ground.report(rule.origin.document, rule.origin.path, {
      code: 'labels-across-namespaces',
      message: `allows by ${JSON.stringify(label.key)} in any namespace: whoever may start pods anywhere can set it`,
      hint: `ask for ${rule.origin.kind === 'MeshTrafficPermission' ? 'a spiffeId of certain namespaces' : '"k8s:ns"'} too, or name in the attributeRules of the Site the namespaces that may set ${JSON.stringify(label.key)}`,
    });
  }
}

/** Whether the client is also held to namespaces or identities. */
function bound(rule: Rule, { trustDomains }: Site): boolean {
  return rule.when.some(
    ({ side, key, op, values }) =>
      side === 'source' &&
      op === 'in' &&
      (key === keys.k8sNamespace || (key === keys.spiffeId && values.every(says))),
  );

  /** A beginning of IDs that those of all namespaces have holds the client to nothing. */
  function says({ match, value }: Pattern): boolean {
    if (match === 'exact') return true;
    const id = value.slice('spiffe://'.length);
    const end = id.indexOf('/');
    if (end < 0) return false;
    const own = trustDomains.find(({ name }) => name === id.slice(0, end));
    const template = own?.template ?? defaultTemplate;
    const literal = template.slice(0, Math.max(0, template.indexOf('{')));
    return !literal.startsWith(id.slice(end));
  }
}
