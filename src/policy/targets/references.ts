import type { Inventory } from '../../pdp/model/inventory.ts';
import type { Path } from '../../pdp/model/violation.ts';
import { didYouMean, quote } from '../../pdp/model/words.ts';
import { type Head, isSystem, labelNames, metadataPath, ownNamespace, zoneOf } from '../kinds/head.ts';
import { violation } from '../schema/issues.ts';
import { explicit, ownTags } from './explicit.ts';
import { Known } from './known.ts';
import { missing } from './missing.ts';
import type { Resources } from './resources.ts';
import { isCopy } from './role.ts';
import { sayRoutes } from './route-references.ts';
import type { Say } from './status.ts';
import type { TargetRef } from './target-ref.ts';
import type { Targeted } from './targeted.ts';

/** References that lead nowhere, each said where it stands (SPEC REF6). */
export function sayReferences(
  policies: readonly Targeted[],
  resources: Resources,
  inventory: Inventory,
  say: Say,
): void {
  const known = new Known(resources, inventory);
  const routes = resources.all.flatMap((one) => one.targeted ?? []);
  for (const written of [...policies, ...routes]) {
    const policy = explicit(written);
    // Whether a permission selects any inbound lint asks, which knows conditions.
    const isPermission = policy.head.kind === 'MeshTrafficPermission';
    const top = policy.targetRef!;
    if (!isPermission || top.kind === 'MeshGateway' || top.kind.endsWith('Route'))
      sayMissing(top, true, policy.head, [...policy.head.specPath, 'targetRef']);
    for (const { targetRef, path } of policy.to ?? [])
      sayMissing(targetRef, false, policy.head, [...path, 'targetRef']);
    sayPlace(policy.head);
  }
  sayRoutes(resources, known, say);

  function sayMissing(ref: TargetRef, top: boolean, head: Head, path: Path): void {
    if (top ? known.hasProxies(ref, head.mesh) : known.has(ref, head.mesh)) return;
    say(head, missing(ref, path, known.namesLike(ref, head.mesh)));
  }

  function sayPlace(head: Head): void {
    const zone = zoneOf(head);
    const labels = [...metadataPath(head), 'labels'];
    if (zone !== '' && resources.zones.size > 0 && !resources.zones.has(zone)) {
      const message = `got the zone ${quote(zone)}, which no Zone of these documents is`;
      say(
        head,
        violation([...labels, labelNames.zone], 'reference', message, didYouMean(zone, resources.zones)),
      );
    } else if (isSystem(head) && Object.hasOwn(ownTags(head), labelNames.zone) && !known.hasZone(zone)) {
      const message = `got the zone ${quote(zone)}, in which there is no dataplane`;
      say(head, violation([...labels, labelNames.zone], 'reference', message));
    }
    if (isSystem(head) || isCopy(head) || known.hasNamespace(ownNamespace(head), zone)) return;
    const path =
      head.namespace === undefined ? [...labels, labelNames.namespace] : [...metadataPath(head), 'namespace'];
    const where = zone === '' ? '' : ` of the zone ${quote(zone)}`;
    const message = `got the namespace ${quote(ownNamespace(head))}, in which there is no dataplane${where}`;
    say(head, violation(path, 'reference', message));
  }
}
