import { type Condition, keys, serviceTag, type WrittenEffect } from '../../pdp/model/rule.ts';
import type { Path } from '../../pdp/model/violation.ts';
import { displayName } from '../kinds/head.ts';
import type { Action } from '../kinds/tag-form.ts';
import { type TargetRef, targetRefOf, type WrittenTargetRef } from '../targets/target-ref.ts';
import { inboundConditions } from './inbounds.ts';
import { isShadowOnly, type Permission, type Sink, tiersOf } from './policy.ts';
import { joined, type Pool } from './pool.ts';
import { tagConditions } from './tag-conditions.ts';

/** A MeshTrafficPermission in one of the tag forms: items of the ordered list of its mesh (SPEC TAG1–TAG5). */

interface Items {
  readonly items: readonly { readonly targetRef?: WrittenTargetRef | undefined; readonly action: Action }[];
  /** Below the policy's own fields. */
  readonly path: Path;
  readonly firstWins: boolean;
}

/** The items of either form; undefined for the SPIFFE form. */
export function itemsOf({ spec }: Permission): Items | undefined {
  if (spec.conf !== undefined) return { items: spec.conf.from, path: ['conf', 'from'], firstWins: true };
  const items = spec.from?.map(({ targetRef, default: { action } }) => ({ targetRef, action }));
  return items && { items, path: ['from'], firstWins: false };
}

/** `strength` is that of the weakest item; each further one is stronger by one. */
export function lowerTags(
  policy: Permission,
  { items, path, firstWins }: Items,
  kri: string,
  strength: number,
  pool: Pool,
  emit: Sink,
): void {
  const { head } = policy;
  const destination = inboundConditions(policy, pool);
  const id = `mtp/${head.mesh}`;
  const start = `${kri}#from/`;
  const from = [...head.specPath, ...path];
  for (const [index, item] of items.entries()) {
    const clients = targetRefOf(item.targetRef);
    const effect = effectOf(item.action);
    const deny = isEverybody(clients) ? 4 : 2;
    const [tier, shadow] = tiersOf(effect, 3, deny);
    emit({
      id: start + index,
      tier: isShadowOnly(head) ? null : tier,
      shadow,
      when: joined(destination, clientConditions(clients, head.mesh, pool)),
      list: { id, strength: strength + (firstWins ? items.length - 1 - index : index) },
      origin: {
        policy: displayName(head),
        kri,
        kind: head.kind,
        effect,
        index,
        document: head.document,
        path: pool.path(...from, index),
      },
    });
  }
}

function effectOf(action: Action): WrittenEffect {
  switch (action.toLowerCase().replaceAll(/[_-]/g, '')) {
    case 'allow':
      return 'allow';
    case 'allowwithshadowdeny':
      return 'allowWithShadowDeny';
    case 'denywithshadowallow':
      return 'denyWithShadowAllow';
    default:
      return 'deny';
  }
}

/** Written as a catch-all: its deny is a default, not a ban. */
function isEverybody({ kind, tags }: TargetRef): boolean {
  return kind === 'Mesh' || (kind === 'MeshSubset' && Object.keys(tags ?? {}).length === 0);
}

function clientConditions({ mesh, name, tags }: TargetRef, own: string, pool: Pool): Condition[] {
  const when = [pool.is('source', keys.mesh, mesh ?? own)];
  if (name !== undefined) when.push(pool.is('source', keys.tag + serviceTag, name));
  when.push(...tagConditions('source', tags ?? {}, pool));
  return when;
}
