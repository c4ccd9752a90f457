import { valueAt } from '../../../pdp/model/fields.ts';
import { coversKey } from '../../../pdp/model/inventory.ts';
import { nearest } from '../../../pdp/model/text.ts';
import type { Path } from '../../../pdp/model/violation.ts';
import type { Ground } from '../finding.ts';
import { siteDocument } from './site.ts';

/** Keys that the site says something of and no policy reads: a misspelt one leaves the one that was meant to anybody. */
export function unreadKeys(ground: Ground): void {
  const { rules, inventory } = ground.loaded;
  const site = siteDocument(ground);
  if (site === undefined || rules.length === 0) return;
  const read = new Set<string>();
  const ofSources = new Set<string>();
  for (const { when } of rules)
    for (const { side, key } of when) {
      if (side !== 'request') read.add(key);
      if (side === 'source') ofSources.add(key);
    }
  const written = valueAt(ground.documents[site.document]?.value, site.spec);
  const say = (path: Path, what: string, keys: ReadonlySet<string>) => {
    const key = String(valueAt(written, path));
    const near = nearest(key, keys);
    ground.report(site.document, [...site.spec, ...path], {
      code: 'unread-key',
      message: `${what} ${JSON.stringify(key)}, which no policy reads`,
      hint: near === undefined ? 'take it out' : `did you mean ${JSON.stringify(near)}? if not, take it out`,
    });
  };
  for (const [index, rule] of inventory.site.attributeRules.entries())
    for (const [at, pattern] of rule.keys.entries())
      if (![...ofSources].some((key) => coversKey(pattern, key)))
        say(['attributeRules', index, 'keys', at], 'says who may set', ofSources);
  for (const [index, key] of inventory.site.hierarchical.entries())
    if (!read.has(key)) say(['hierarchical', index], 'gives levels to', read);
}
