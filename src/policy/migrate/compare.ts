import { Bits } from './bits.ts';
import type { Clients, Kind } from './clients.ts';
import type { Ground } from './ground.ts';
import type { Marks, Sum } from './marks.ts';
import type { Verdicts } from './others.ts';
import { isAllowedBefore, type Setting, type Wanted, type World, worlds } from './wanted.ts';
import { eachGroup, nobody, policiesOf } from './winners.ts';

/** Every client of the inventory at every inbound, before and after (SPEC MIG5). */

export type Change = 'widens' | 'narrows';

export interface Tally {
  stays: number;
  widens: number;
  narrows: number;
}

export interface Example {
  readonly world: World;
  readonly change: Change;
  readonly kind: Kind;
  readonly group: number;
}

/** Pairs of clients and inbounds that the items of a policy decide about. */
export interface PolicyTally extends Readonly<Record<World, Tally>> {
  readonly examples: Example[];
  /** What would be so because of this policy, whoever decided before. */
  readonly causes: Set<Change>;
}

export interface Comparison {
  readonly policies: readonly PolicyTally[];
  /** Pairs that no item decides about. */
  readonly nobody: PolicyTally;
}

/** Examples of a policy, at most. */
const few = 3;

/** Lists that let in. */
export const allowing = {
  enforced: ['allow', 'allowWithShadowDeny'],
  shadow: ['allow', 'shadowAllow'],
} as const;

export function compare(
  setting: Setting,
  wanted: Wanted,
  marks: Marks,
  isKept: (policy: number) => boolean,
): Comparison {
  const { ground, row, matching, clients } = setting;
  marks.keep(isKept);
  const policies = ground.policies.map(emptyTally);
  const unruled = emptyTally();
  const rests = new Map(clients.trustDomains.map(({ name, rest }) => [name, rest]));
  eachGroup(ground, row, matching, (group, winners) => {
    const sum = marks.sum(group);
    const verdict = wanted.others[group];
    const inbounds = ground.groups[group]!.inbounds.length;
    for (const world of worlds) {
      const after = afterwards(sum, verdict, world, clients.ids.length);
      const blamed = new Bits(clients.ids.length);
      for (const kind of clients.kinds) {
        const number = kind.source === undefined ? nobody : winners[world][kind.source]!;
        const winner = number === nobody ? undefined : row.items[number]!.policy;
        const own = winner === undefined ? unruled : policies[winner]!;
        const was = isAllowedBefore(row, winners, verdict, kind.source, world);
        const id = kind.id ?? rests.get(kind.trustDomain ?? '');
        const is = id !== undefined && after.has(id);
        const pairs = inbounds * (kind.dataplanes.length + kind.workloads.length);
        if (was === is) {
          own[world].stays += pairs;
          continue;
        }
        const change = is ? 'widens' : 'narrows';
        own[world][change] += pairs;
        own.causes.add(change);
        if (own.examples.length < few) own.examples.push({ world, change, kind, group });
        if (change === 'widens' && id !== undefined) blamed.add(id);
      }
      if (!blamed.isEmpty) blame(ground, clients, marks, group, world, blamed, isKept, policies);
    }
  });
  return { policies, nobody: unruled };
}

/** Who lets in does so, whoever kept out before. */
function blame(
  ground: Ground,
  clients: Clients,
  marks: Marks,
  group: number,
  world: World,
  ids: Bits,
  isKept: (policy: number) => boolean,
  policies: readonly PolicyTally[],
): void {
  const rests = clients.trustDomains.filter(
    ({ members, rest }) => ids.has(rest) || members.some((id) => ids.has(id)),
  );
  for (const policy of policiesOf(ground, group)) {
    if (!isKept(policy)) continue;
    const lets = (id: number) => allowing[world].some((list) => marks.has(policy, list, id));
    if (rests.some(({ rest }) => lets(rest)) || [...ids].some(lets)) policies[policy]!.causes.add('widens');
  }
}

/** Whom a group lets in then. */
export function afterwards(sum: Sum, verdict: Verdicts | undefined, world: World, size: number): Bits {
  const [allowed, denied] =
    world === 'enforced' ? [sum.allowed, sum.denied] : [sum.shadowAllowed, sum.shadowDenied];
  const after = allowed.copy().without(denied);
  if (verdict === undefined) return after;
  for (let id = 0; id < size; id++) {
    const tier = verdict.after[world][id]!;
    if (tier === 1 || (tier === 3 && !denied.has(id))) after.add(id);
    else if (tier === 0 || tier === 2) after.delete(id);
  }
  return after;
}

export function emptyTally(): PolicyTally {
  const none = () => ({ stays: 0, widens: 0, narrows: 0 });
  return { enforced: none(), shadow: none(), examples: [], causes: new Set() };
}
