import { effectOf } from '../../pdp/model/rule.ts';
import { Bits } from './bits.ts';
import type { Clients, TrustDomain } from './clients.ts';
import type { Ground, Item } from './ground.ts';
import type { Matching } from './matching.ts';
import { isForAll, isOf, newcomer, type Patience } from './newcomer.ts';
import { none, type Others, type Verdicts } from './others.ts';
import { eachGroup, nobody, policiesOf, type Row, type Winners } from './winners.ts';

export const worlds = ['enforced', 'shadow'] as const;
export type World = (typeof worlds)[number];

/**
 * `narrow`: nobody gets in who does not now; an ID that clients with different verdicts share is denied.
 * `wide`: nobody is shut out who gets in now.
 */
export type Mode = 'narrow' | 'wide';

/** Which IDs each group of inbounds has to let in, and whose items say so. */
export interface Wanted {
  /** By group, for each world. */
  readonly allow: readonly Readonly<Record<World, Bits>>[];
  /** By policy: IDs that an item of it lets in somewhere. */
  readonly lets: readonly Readonly<Record<World, Bits>>[];
  /** By policy: IDs that an item of it bans somewhere, other than by default. */
  readonly bans: readonly Bits[];
  readonly others: readonly (Verdicts | undefined)[];
}

export interface Setting {
  readonly ground: Ground;
  readonly row: Row;
  readonly matching: Matching;
  readonly clients: Clients;
  readonly patience: Patience;
}

export function wantedOf(setting: Setting, others: Others, mode: Mode): Wanted {
  const { ground, row, matching, clients } = setting;
  const size = clients.ids.length;
  const pair = () => ({ enforced: new Bits(size), shadow: new Bits(size) });
  const allow = ground.groups.map(pair);
  const lets = ground.policies.map(pair);
  const bans = ground.policies.map(() => new Bits(size));
  const verdicts = ground.groups.map((group) => others.at(group));
  eachGroup(ground, row, matching, (group, winners) => {
    const verdict = verdicts[group];
    for (const world of worlds) {
      const wanted = allow[group]![world];
      const shared = new Bits(size);
      for (const { source, id } of clients.kinds) {
        if (id === undefined) continue;
        const isAllowed = isAllowedBefore(row, winners, verdict, source, world);
        if (!shared.has(id)) {
          shared.add(id);
          if (isAllowed) wanted.add(id);
        } else if (mode === 'wide' && isAllowed) wanted.add(id);
        else if (mode === 'narrow' && !isAllowed) wanted.delete(id);
      }
      for (const { source, id } of clients.kinds) {
        const number = source === undefined ? nobody : winners[world][source]!;
        if (id === undefined || number === nobody) continue;
        const item = row.items[number]!;
        const tier = tierOf(item, world);
        if (wanted.has(id) && tier === 3) lets[item.policy]![world].add(id);
        if (!wanted.has(id) && tier === 2 && world === 'enforced') bans[item.policy]!.add(id);
      }
      for (const domain of clients.trustDomains) {
        const item = forRest(setting, group, domain, world, mode);
        if (item === undefined) continue;
        wanted.add(domain.rest);
        lets[item.policy]![world].add(domain.rest);
      }
    }
  });
  return { allow, lets, bans, others: verdicts };
}

export function tierOf(item: Item, world: World): number {
  return world === 'shadow' ? item.shadow : (item.enforced ?? none);
}

/** Who carries no certificate of a mesh is let in nowhere. */
export function isAllowedBefore(
  row: Row,
  winners: Winners,
  verdict: Verdicts | undefined,
  source: number | undefined,
  world: World,
): boolean {
  if (source === undefined) return false;
  const number = winners[world][source]!;
  const own = number === nobody ? none : tierOf(row.items[number]!, world);
  const tier = Math.min(own, verdict?.before[world][source] ?? none);
  return tier !== none && effectOf(tier as 0) === 'allow';
}

/**
 * The item by which a group lets in whatever client of a trust domain's meshes may come. Undefined where it depends
 * on the client's tags, or where others than clients of these meshes are known to have IDs of the trust domain; with
 * `wide` exceptions do not count.
 */
function forRest(
  { ground, row, clients, patience }: Setting,
  group: number,
  { meshes, members }: TrustDomain,
  world: World,
  mode: Mode,
): Item | undefined {
  if (mode === 'narrow') {
    const inDomain = new Set(members);
    const isStrange = clients.kinds.some(
      ({ source, id }) =>
        id !== undefined && inDomain.has(id) && !meshes.has(clients.sources[source ?? -1]?.mesh ?? ''),
    );
    if (isStrange) return undefined;
  }
  let found: Item | undefined;
  for (const mesh of meshes) {
    const { above, base } = untilAll(ground, row, group, mesh, world);
    if (base === undefined || !allows(base, world)) return undefined;
    found = base;
    if (mode === 'wide') continue;
    for (const [at, item] of above.entries())
      if (!allows(item, world) && newcomer(mesh, item, above.slice(0, at), patience) !== 'none')
        return undefined;
  }
  return found;
}

/** The strongest item that is about all clients of a mesh, and what stands above it and is about some. */
function untilAll(
  ground: Ground,
  row: Row,
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

export function allows(item: Item, world: World): boolean {
  return tierOf(item, world) === 3;
}

/** The items of a group. */
export function* strongestFirst(
  ground: Ground,
  { items, starts }: Row,
  group: number,
): Generator<Item, void> {
  for (const policy of policiesOf(ground, group).reverse()) {
    const end = starts[policy + 1] ?? items.length;
    for (let number = end - 1; number >= starts[policy]!; number--) yield items[number]!;
  }
}
