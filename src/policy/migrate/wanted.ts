import { Bits } from './bits.ts';
import type { Others, Verdicts } from './others.ts';
import { addOwnWords } from './own.ts';
import { forRest } from './rest.ts';
import { letInBefore, type Setting } from './setting.ts';
import { eachGroup, nobody, type Winners } from './winners.ts';
import { type Mode, type World, worlds } from './world.ts';

/** Which IDs each group of inbounds has to let in, and whose items say so. */
export interface Wanted {
  /** By group, for each world. */
  readonly allow: readonly Readonly<Record<World, Bits>>[];
  /** By policy: IDs that it lets in somewhere. */
  readonly lets: readonly Readonly<Record<World, Bits>>[];
  /** By policy: IDs that it bans by itself, other than by default. */
  readonly bans: readonly Bits[];
  readonly others: readonly (Verdicts | undefined)[];
  /** Policies that let in somebody whom others deny today. */
  readonly overruled: Set<number>;
}

export function wantedOf(setting: Setting, others: Others, mode: Mode): Wanted {
  const { ground, row, matching, clients } = setting;
  const size = clients.ids.length;
  const pair = () => ({ enforced: new Bits(size), shadow: new Bits(size) });
  const wanted: Wanted = {
    allow: ground.groups.map(pair),
    lets: ground.policies.map(pair),
    bans: ground.policies.map(() => new Bits(size)),
    others: ground.groups.map((group) => others.at(group)),
    overruled: new Set(),
  };
  eachGroup(ground, row, matching, (group, winners) => {
    for (const world of worlds) {
      const allow = wanted.allow[group]![world];
      const before = letInBefore(setting, winners, wanted.others[group], world);
      letIn(setting, before, allow, mode);
      attribute(setting, winners, before, allow, wanted, world);
      for (const domain of clients.trustDomains) {
        const item = forRest(setting, group, domain, world, mode);
        if (item === undefined) continue;
        allow.add(domain.rest);
        wanted.lets[item.policy]![world].add(domain.rest);
      }
    }
  });
  addOwnWords(setting, wanted);
  return wanted;
}

/** Clients that share an ID get in together or not at all. */
function letIn({ columns }: Setting, before: Uint8Array, allow: Bits, mode: Mode): void {
  const { source, id } = columns;
  const denied = new Bits(allow.size);
  for (let kind = 0; kind < id.length; kind++) {
    if (id[kind]! < 0) continue;
    if (source[kind]! >= 0 && before[source[kind]!] === 1) allow.add(id[kind]!);
    else denied.add(id[kind]!);
  }
  if (mode === 'narrow') allow.without(denied);
}

function attribute(
  { row, columns }: Setting,
  winners: Winners,
  before: Uint8Array,
  allow: Bits,
  { lets, overruled }: Wanted,
  world: World,
): void {
  const { source, id } = columns;
  const winner = winners[world];
  const tiers = row.tiers[world];
  for (let kind = 0; kind < id.length; kind++) {
    const one = id[kind]!;
    if (one < 0 || source[kind]! < 0) continue;
    const number = winner[source[kind]!]!;
    if (number === nobody) continue;
    if (tiers[number] !== 3) continue;
    const policy = row.policies[number]!;
    if (allow.has(one)) lets[policy]![world].add(one);
    if (before[source[kind]!] === 0) overruled.add(policy);
  }
}
