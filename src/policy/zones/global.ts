import { isFields } from '../../pdp/model/fields.ts';
import type { Violation } from '../../pdp/model/violation.ts';
import { didYouMean, oneOf, quote } from '../../pdp/model/words.ts';
import { violation } from '../schema/issues.ts';
import type { Resource } from './resource.ts';
import { originOf, type Side } from './side.ts';
import type { Digest } from './suffix.ts';

type Found = { readonly document: number; readonly violation: Violation };

/** What is wrong with a Global, whatever is to be copied (SPEC ZON12). */
export function globalViolations(
  resources: readonly Resource[],
  global: Side,
  zone: string,
  digest: Digest,
): readonly Found[] {
  return [...customNamespaces(resources, global, digest), ...unknownZone(resources, zone)];
}

/** There are no proxies in it, so that no namespace but the system's has an owner there. */
function customNamespaces(resources: readonly Resource[], global: Side, digest: Digest): readonly Found[] {
  return resources
    .filter(
      (one) =>
        one.travel?.across === 'by-role' &&
        one.namespace !== undefined &&
        one.namespace !== global.systemNamespace &&
        originOf(one, global, digest).as === 'own',
    )
    .map(({ document, root, value, ...one }) => {
      const path = [...root, ...(isFields(value['metadata']) ? ['metadata'] : []), 'namespace'];
      const want = global.systemNamespace === undefined ? 'none' : quote(global.systemNamespace);
      const message = `got the namespace ${quote(one.namespace!)} of a ${one.kind} of global, want ${want}`;
      const hint = 'policies of other namespaces are written in zones';
      return { document, violation: violation(path, 'conflict', message, hint) };
    });
}

/** A Global that lists its zones has no others: a misspelt one would get copies of its own. */
function unknownZone(resources: readonly Resource[], zone: string): readonly Found[] {
  const zones = resources.filter(({ kind }) => kind === 'Zone');
  if (zones.length === 0 || zones.some(({ name }) => name === zone)) return [];
  const names = zones.map(({ name }) => name);
  const message = `got the zone ${quote(zone)}, and global has ${oneOf(names.map(quote), 'and')}`;
  const { document, root } = zones[0]!;
  return [{ document, violation: violation(root, 'reference', message, didYouMean(zone, names)) }];
}
