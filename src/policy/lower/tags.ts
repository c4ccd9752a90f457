import { type Condition, keys, type Tier, type WrittenEffect } from '../../pdp/model/rule.ts';
import { displayName } from '../kinds/head.ts';
import type { Action, Clients } from '../kinds/tag-form.ts';
import { inboundConditions } from './inbounds.ts';
import { isShadowOnly, type Permission, type Sink } from './policy.ts';
import { joined, type Pool } from './pool.ts';

/** A MeshTrafficPermission in the tag form: items of the ordered list of its mesh (SPEC TAG1, TAG2). */

/** `strength` is that of the first item; each further one is stronger by one. */
export function lowerTags(policy: Permission, kri: string, strength: number, pool: Pool, emit: Sink): void {
  const { head, spec } = policy;
  const destination = inboundConditions(policy, pool);
  const id = `mtp/${head.mesh}`;
  const start = `${kri}#from/`;
  const path = [...head.specPath, 'from'];
  for (const [index, item] of (spec.from ?? []).entries()) {
    const clients = item.targetRef ?? {};
    const effect = effectOf(item.default.action);
    const deny = isEverybody(clients) ? 4 : 2;
    const [tier, shadow] = tiers(effect, deny);
    emit({
      id: start + index,
      tier: isShadowOnly(head) ? null : tier,
      shadow,
      when: joined(destination, clientConditions(clients, head.mesh, pool)),
      list: { id, strength: strength + index },
      origin: {
        policy: displayName(head),
        kri,
        kind: head.kind,
        effect,
        index,
        document: head.document,
        path: joined<string | number>(path, [index]),
      },
    });
  }
}

/** Enforced and shadow. */
function tiers(effect: WrittenEffect, deny: Tier): readonly [Tier, Tier] {
  switch (effect) {
    case 'allow':
      return [3, 3];
    case 'deny':
      return [deny, deny];
    case 'allowWithShadowDeny':
      return [3, deny];
    case 'denyWithShadowAllow':
      return [deny, 3];
  }
}

function effectOf(action: Action): WrittenEffect {
  switch (action.toLowerCase().replaceAll('_', '')) {
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
function isEverybody({ kind, tags }: Clients): boolean {
  if (kind === undefined || kind === 'Mesh') return true;
  return kind === 'MeshSubset' && Object.keys(tags ?? {}).length === 0;
}

function clientConditions(clients: Clients, mesh: string, pool: Pool): Condition[] {
  const when = [pool.is('source', keys.mesh, clients.mesh ?? mesh)];
  if (clients.name !== undefined) when.push(pool.is('source', `${keys.tag}kuma.io/service`, clients.name));
  const tags = clients.tags ?? {};
  for (const tag of Object.keys(tags).sort()) {
    const value = tags[tag]!;
    const key = keys.tag + tag;
    when.push(
      value.startsWith('!') ? pool.isNot('source', key, value.slice(1)) : pool.is('source', key, value),
    );
  }
  return when;
}
