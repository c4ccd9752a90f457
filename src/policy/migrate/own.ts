import { Bits } from './bits.ts';
import { isForAll, isOf } from './newcomer.ts';
import { none } from './others.ts';
import type { Setting } from './setting.ts';
import { allows } from './winners.ts';

interface Words {
  readonly allow: readonly { readonly enforced: Bits }[];
  readonly lets: readonly { readonly enforced: Bits }[];
  readonly bans: readonly Bits[];
}

/**
 * What a policy says by itself, though others decide: whom it lets in where all its inbounds do so anyway, and whom it
 * bans. It changes no verdict now, and is still said when the others are gone (SPEC MIG4).
 */
export function addOwnWords(setting: Setting, { allow, lets, bans }: Words): void {
  const { ground, row, matching, columns, clients } = setting;
  const always = ground.scopes.map(({ groups }) => {
    const bits = groups.length === 0 ? new Bits(clients.ids.length) : Bits.all(clients.ids.length);
    for (const group of groups) bits.and(allow[group]!.enforced);
    return bits;
  });
  const tiers = new Int8Array(matching.count);
  for (const [policy, { items, scope }] of ground.policies.entries()) {
    tiers.fill(none);
    for (const [at, item] of items.entries()) {
      const tier = row.tiers.enforced[row.starts[policy]! + at]!;
      if (tier === none) continue;
      matching.of(item.when).forEach((source) => {
        tiers[source] = tier;
      });
    }
    for (let kind = 0; kind < columns.id.length; kind++) {
      const [id, source] = [columns.id[kind]!, columns.source[kind]!];
      if (id < 0 || source < 0) continue;
      if (tiers[source] === 3 && always[scope]!.has(id)) lets[policy]!.enforced.add(id);
      else if (tiers[source] === 2) bans[policy]!.add(id);
    }
    for (const { rest, meshes } of clients.trustDomains) {
      const isLet = [...meshes].every((mesh) => {
        const last = items.findLast((item) => isOf(item.when, mesh));
        return last !== undefined && isForAll(last) && allows(last, 'enforced');
      });
      if (isLet && always[scope]!.has(rest)) lets[policy]!.enforced.add(rest);
    }
  }
}
