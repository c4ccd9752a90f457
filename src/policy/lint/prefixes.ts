import { valueAt } from '../../pdp/model/fields.ts';
import { keys, type Pattern, type Rule } from '../../pdp/model/rule.ts';
import type { Path } from '../../pdp/model/violation.ts';
import { type Ground, some } from './finding.ts';
import { SortedTexts } from './sorted-texts.ts';

const none = new SortedTexts([]);

/** A plain string prefix that ends inside a segment lets in whatever continues that segment (SPEC LINT1, decision 001). */
export function prefixes(ground: Ground): void {
  const identities = new SortedTexts(
    ground.loaded.inventory.workloads.flatMap(({ spiffeId }) => spiffeId ?? []),
  );
  for (const rule of ground.loaded.rules) {
    for (const { key, values } of rule.when) {
      if (key !== keys.spiffeId && key !== keys.path) continue;
      for (const pattern of values) {
        if (pattern.match !== 'prefix' || pattern.value.endsWith('/')) continue;
        report(ground, rule, key, pattern, key === keys.path ? none : identities);
      }
    }
  }
}

function report(ground: Ground, rule: Rule, key: string, { value }: Pattern, identities: SortedTexts): void {
  const others = notMeant(value, identities);
  const lets =
    others.length > 0
      ? `${some(others)} of the inventory`
      : `${JSON.stringify(`${value}-x`)}, if there is one`;
  ground.report(rule.origin.document, fieldOf(ground, rule, key), {
    code: 'prefix-inside-segment',
    message: `the prefix ${JSON.stringify(value)} ends inside a segment and also matches ${lets}`,
    hint: 'write "type: PathPrefix" to match whole segments; or end the value in "/", to match only what is below it',
  });
}

/** What a string prefix matches and whole segments would not: they stand around what is below the value. */
function notMeant(value: string, identities: SortedTexts): readonly string[] {
  const { texts } = identities;
  const [from, to] = identities.range(value);
  const [below, after] = identities.range(`${value}/`);
  const first = texts[from] === value ? from + 1 : from;
  return [...texts.slice(first, below), ...texts.slice(after, to)];
}

/** Where the ID of a rule's client stands. */
export function idPath(ground: Ground, rule: Rule): Path {
  return fieldOf(ground, rule, keys.spiffeId);
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
