import { isFields } from '../../../pdp/model/fields.ts';
import type { Path } from '../../../pdp/model/violation.ts';
import { itemsOf } from '../../kinds/list.ts';
import type { Ground } from '../finding.ts';

/** Where this site's document says what it says. */
export interface SiteDocument {
  readonly document: number;
  readonly spec: Path;
}

export function siteDocument({ loaded, documents }: Ground): SiteDocument | undefined {
  const wanted = loaded.inventory.site.name;
  if (wanted === undefined) return undefined;
  for (const [document, { value }] of documents.entries())
    for (const { value: item, path } of itemsOf(value)) {
      if (!isFields(item) || (item['kind'] ?? item['type']) !== 'Site') continue;
      const metadata = item['kind'] === undefined ? item : item['metadata'];
      if (!isFields(metadata) || metadata['name'] !== wanted) continue;
      return { document, spec: isFields(item['spec']) ? [...path, 'spec'] : path };
    }
  return undefined;
}
