import type { TrustDomain } from './clients.ts';
import type { Item } from './ground.ts';
import { isForAll, isOf, newcomer } from './newcomer.ts';
import { none } from './others.ts';
import type { Setting } from './setting.ts';
import { allows, strongestFirst, tierOf } from './winners.ts';
import type { Mode, World } from './world.ts';

/**
 * The item by which a group lets in whatever client of a trust domain's meshes may come. Undefined where it depends
 * on the client's tags, or where others than clients of these meshes are known to have IDs of the trust domain; with
 * `wide` exceptions do not count.
 */
export function forRest(
  setting: Setting,
  group: number,
  domain: TrustDomain,
  world: World,
  mode: Mode,
): Item | undefined {
  if (mode === 'narrow' && setting.strange.has(domain)) return undefined;
  let found: Item | undefined;
  for (const mesh of domain.meshes) {
    const { above, base } = untilAll(setting, group, mesh, world);
    if (base === undefined || !allows(base, world)) return undefined;
    found = base;
    if (mode === 'wide') continue;
    for (const [at, item] of above.entries())
      if (!allows(item, world) && newcomer(mesh, item, above.slice(0, at), setting.patience) !== 'none')
        return undefined;
  }
  return found;
}

/** The strongest item that is about all clients of a mesh, and what stands above it and is about some. */
function untilAll(
  { ground, row }: Setting,
  group: number,
  mesh: string,
  world: World,
): { readonly above: readonly Item[]; readonly base: Item | undefined } {
  const above: Item[] = [];
  for (const item of strongestFirst(ground, row, group)) {
    if (tierOf(item, world) === none || !isOf(item.when, mesh)) continue;
    if (isForAll(item)) return { above, base: item };
    above.push(item);
  }
  return { above, base: undefined };
}
