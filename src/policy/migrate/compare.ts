import type { Bits } from './bits.ts';
import type { Kind } from './clients.ts';
import type { Marks, Sum } from './marks.ts';
import type { Verdicts } from './others.ts';
import { letInBefore, type Setting } from './setting.ts';
import type { Wanted } from './wanted.ts';
import { eachGroup, nobody, policiesOf } from './winners.ts';
import { type World, worlds } from './world.ts';

/** Every client of the inventory at every inbound, before and after (SPEC MIG5). */

export type Change = 'widens' | 'narrows';

export interface Tally {
  stays: number;
  widens: number;
  narrows: number;
}

/**
 * `unknown-id`: nobody knows what the client will carry. `shared-id`: others with the ID have another verdict.
 * `other-policies`: they are no tag permissions. `deny-beats-allow`: no lists of these policies say it.
 */
export type Why = 'unknown-id' | 'shared-id' | 'other-policies' | 'deny-beats-allow';

export interface Example {
  readonly world: World;
  readonly change: Change;
  readonly kind: Kind;
  readonly group: number;
  readonly why: Why;
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
  const { ground, row, matching, clients, columns } = setting;
  marks.keep(isKept);
  const size = clients.ids.length;
  const policies = ground.policies.map(emptyTally);
  const unruled = emptyTally();
  eachGroup(ground, row, matching, (group, winners) => {
    const sum = marks.sum(group);
    const verdict = wanted.others[group];
    const inbounds = ground.groups[group]!.inbounds.length;
    for (const world of worlds) {
      const before = letInBefore(setting, winners, verdict, world);
      const after = afterwards(sum, verdict, world, size);
      const winner = winners[world];
      const entering: Entering[] = [];
      for (let kind = 0; kind < columns.source.length; kind++) {
        const source = columns.source[kind]!;
        const number = source < 0 ? nobody : winner[source]!;
        const own = number === nobody ? unruled : policies[row.policies[number]!]!;
        const was = source >= 0 && before[source] === 1;
        const id = columns.after[kind]!;
        const is = id >= 0 && after.has(id);
        const change = was === is ? 'stays' : is ? 'widens' : 'narrows';
        own[world][change] += inbounds * columns.count[kind]!;
        if (change === 'stays') continue;
        own.causes.add(change);
        const why = whyOf(columns.id[kind]!, is === wanted.allow[group]![world].has(id), verdict);
        const example = { world, change, kind: clients.kinds[kind]!, group, why, id } as const;
        note(own.examples, example);
        if (change === 'widens') entering.push(example);
      }
      if (entering.length > 0) blame(setting, marks, entering, isKept, policies);
    }
  });
  return { policies, nobody: unruled };
}

/** What changes in both worlds is told once. */
function note(examples: Example[], example: Example): void {
  const { kind, group, change } = example;
  const isTold = examples.some((one) => one.kind === kind && one.group === group && one.change === change);
  if (examples.length < few && !isTold) examples.push(example);
}

/** `isWanted`: what is so was wanted, for the sake of others with the ID. */
function whyOf(id: number, isWanted: boolean, verdict: Verdicts | undefined): Why {
  if (id < 0) return 'unknown-id';
  if (isWanted) return 'shared-id';
  return verdict === undefined ? 'deny-beats-allow' : 'other-policies';
}

interface Entering extends Example {
  readonly id: number;
}

/** Who lets in does so, whoever kept out before. */
function blame(
  { ground, clients }: Setting,
  marks: Marks,
  entering: readonly Entering[],
  isKept: (policy: number) => boolean,
  policies: readonly PolicyTally[],
): void {
  const { group, world } = entering[0]!;
  const ids = new Set(entering.map(({ id }) => id));
  const rests = clients.trustDomains.filter(
    ({ members, rest }) => ids.has(rest) || members.some((id) => ids.has(id)),
  );
  for (const policy of policiesOf(ground, group)) {
    if (!isKept(policy)) continue;
    const names = (id: number) => allowing[world].some((list) => marks.has(policy, list, id));
    const whole = new Set(
      rests.filter(({ rest }) => names(rest)).flatMap(({ members, rest }) => [rest, ...members]),
    );
    const { causes, examples } = policies[policy]!;
    for (const one of entering) {
      if (!whole.has(one.id) && !names(one.id)) continue;
      causes.add('widens');
      note(examples, one);
    }
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
