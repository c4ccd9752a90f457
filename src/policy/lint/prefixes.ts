import { keys, type Pattern, type Rule } from '../../pdp/model/rule.ts';
import type { Path } from '../document.ts';
import { type Ground, some, valueAt } from './finding.ts';

/** A plain string prefix that ends inside a segment lets in whatever continues that segment (design §5.1). */
export function prefixes(ground: Ground): void {
  const identities = [
    ...new Set(ground.loaded.inventory.workloads.flatMap(({ spiffeId }) => spiffeId ?? [])),
  ].sort();
  for (const rule of ground.loaded.rules) {
    for (const { key, values } of rule.when) {
      if (key !== keys.spiffeId && key !== keys.path) continue;
      for (const pattern of values) {
        if (pattern.match !== 'prefix' || pattern.value.endsWith('/')) continue;
        report(ground, rule, key, pattern, key === keys.path ? [] : identities);
      }
    }
  }
}

function report(
  ground: Ground,
  rule: Rule,
  key: string,
  { value }: Pattern,
  identities: readonly string[],
): void {
  const meant = (id: string): boolean => id === value || id.startsWith(`${value}/`);
  const others = identities.filter((id) => id.startsWith(value) && !meant(id));
  const lets =
    others.length > 0
      ? `${some(others)} of the inventory`
      : `${JSON.stringify(`${value}-x`)}, if there is one`;
  ground.report(rule.origin.document, fieldOf(ground, rule, key), {
    code: 'prefix-inside-segment',
    message: `the prefix ${JSON.stringify(value)} ends inside a segment and also matches ${lets}`,
    hint: `write type: PathPrefix to match whole segments, or end the value in "/"`,
  });
}

/** The matcher's own spelling of the field. */
function fieldOf(ground: Ground, rule: Rule, key: string): Path {
  const matcher = valueAt(ground.documents[rule.origin.document]?.value, rule.origin.path);
  const spelt =
    key === keys.path
      ? 'path'
      : ['spiffeId', 'spiffeID'].find((name) => valueAt(matcher, [name]) !== undefined);
  return spelt === undefined ? rule.origin.path : [...rule.origin.path, spelt, 'value'];
}
