import { canonical } from '../../pdp/model/aliases.ts';
import { keys } from '../../pdp/model/rule.ts';
import type { Path } from '../../pdp/model/violation.ts';
import { levels } from '../lower/access.ts';
import type { Ground } from './finding.ts';
import { writtenConditions } from './written.ts';

/**
 * Values with levels of which some cannot be: levels have no empty names, a `/` does not begin them, and a star stands
 * for nothing. Where the inventory has such a value, it is what that has.
 */
export function levelsOf(ground: Ground): void {
  const { inventory } = ground.loaded;
  const hierarchical = levels(inventory.site.hierarchical);
  const peers = inventory.peers?.values() ?? [];
  const all = [inventory.site, ...peers, ...inventory.workloads, ...inventory.services.values()];
  for (const { document, direction, key, values } of writtenConditions(ground)) {
    const own = canonical(key, direction === 'from' ? 'source' : 'destination');
    if (own === keys.spiffeId || !hierarchical.has(own)) continue;
    for (const { value, path } of values) look(document, own, value, path);
  }

  function look(document: number, key: string, value: string, path: Path): void {
    const plain = plainOf(value);
    if (plain === undefined) return;
    const held = `${value.replace(/\/$/, '')}/`;
    if (all.some(({ attributes }) => `${attributes.get(key) ?? ''}/`.startsWith(held))) return;
    ground.report(document, path, {
      code: 'strange-levels',
      message: `${JSON.stringify(key)} is a path of names, and nothing is at or below ${JSON.stringify(value)}`,
      hint:
        plain === ''
          ? 'write names with "/" between them, such as "eu/nl"; to ask for any, "operator: Exists"'
          : `write ${JSON.stringify(plain)}, which means all that is below it too`,
    });
  }
}

/** As it was meant; undefined if it is as it should be. */
function plainOf(value: string): string | undefined {
  const names = value.replace(/\/$/, '').split('/');
  const first = names.findIndex((name) => name.includes('*'));
  const plain = (first < 0 ? names : names.slice(0, first)).filter((name) => name !== '').join('/');
  return plain === names.join('/') ? undefined : plain;
}
