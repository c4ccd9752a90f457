import { Bits } from './bits.ts';
import type { Clients } from './clients.ts';
import type { Ground } from './ground.ts';
import { type List, Marks } from './marks.ts';
import { type Room, roomOf } from './room.ts';
import type { Wanted } from './wanted.ts';
import type { Mode, World } from './world.ts';

/** Finds lists for every policy, so that inbounds let in who is wanted, as far as lists can say it. */
export function solve(problem: Problem): Marks {
  return new Solver(problem).marks;
}

export interface Problem {
  readonly ground: Ground;
  readonly clients: Clients;
  readonly wanted: Wanted;
  readonly mode: Mode;
  /** Policies that cannot be written in the SPIFFE form at all. */
  readonly isLost: (policy: number) => boolean;
}

class Solver {
  readonly marks: Marks;
  readonly #ground: Ground;
  readonly #wanted: Wanted;
  readonly #mode: Mode;
  readonly #enforced: Room;
  readonly #shadow: Room;
  /** By scope the strongest of its policies that can be written, and of those that are enforced too. */
  readonly #strongest: readonly (number | undefined)[];
  readonly #carrier: readonly (number | undefined)[];
  readonly #rests: ReadonlySet<number>;
  readonly #enforcedPolicies: readonly number[];

  constructor({ ground, clients, wanted, mode, isLost }: Problem) {
    this.#ground = ground;
    this.#wanted = wanted;
    this.#mode = mode;
    this.#rests = new Set(clients.trustDomains.map(({ rest }) => rest));
    const carries = (policy: number) => !isLost(policy) && !ground.policies[policy]!.info.shadow;
    this.#enforcedPolicies = [...ground.policies.keys()].filter(carries);
    this.#strongest = ground.scopes.map(({ policies }) => policies.findLast((policy) => !isLost(policy)));
    this.#carrier = ground.scopes.map(({ policies }) => policies.findLast(carries));
    const room = (world: World, carrier: readonly (number | undefined)[]) =>
      roomOf(ground, clients, wanted, world, (scope) => carrier[scope] !== undefined);
    this.#enforced = room('enforced', this.#carrier);
    this.#shadow = room('shadow', this.#strongest);
    this.marks = new Marks(ground, clients);
    this.#bans();
    this.#lets();
    for (const group of ground.groups.keys()) this.#allowRest(group);
    for (const group of ground.groups.keys()) this.#denyRest(group);
    // What a policy of many inbounds allows for one is seen at all of them before anything is denied there.
    for (const group of ground.groups.keys()) this.#allowShadow(group);
    for (const group of ground.groups.keys()) this.#denyShadow(group);
  }

  /** Whom a policy lets in, it lets in, where it may. */
  #lets(): void {
    for (const policy of this.#enforcedPolicies) {
      const { scope } = this.#ground.policies[policy]!;
      for (const id of this.#wanted.lets[policy]!.enforced)
        if (this.#mode === 'wide' || this.#enforced.allow[scope]!.has(id)) this.#allow(policy, id);
    }
  }

  /** Whom a policy bans, it bans, though the default would do: a ban holds against other policies too. */
  #bans(): void {
    for (const policy of this.#enforcedPolicies) {
      const { scope } = this.#ground.policies[policy]!;
      for (const id of this.#wanted.bans[policy]!)
        if (this.#enforced.deny[scope]!.has(id) && this.#shadow.deny[scope]!.has(id))
          this.marks.add(policy, 'deny', id);
    }
  }

  #allow(policy: number, id: number): void {
    const { scope } = this.#ground.policies[policy]!;
    const shadowed = this.#shadow.deny[scope]!.has(id);
    const open = this.#shadow.allow[scope]!.has(id) || this.#mode === 'wide';
    // A prefix that is wrong in the shadow world is wrong for everybody; one by one they can be right.
    if (!shadowed && !open && this.#rests.has(id)) return;
    this.marks.add(policy, shadowed || !open ? 'allowWithShadowDeny' : 'allow', id);
  }

  /** Who is let in by a policy that may not say so is let in by another one, if one may. */
  #allowRest(group: number): void {
    const missing = this.#wanted.allow[group]!.enforced.copy().without(this.marks.sum(group).allowed);
    missing.without(this.#letInByOthers(group, 'enforced'));
    for (const id of missing) {
      const policy = this.#of(group, (scope) =>
        this.#enforced.allow[scope]!.has(id) ? this.#carrier[scope] : undefined,
      );
      if (policy !== undefined) this.#allow(policy, id);
    }
  }

  /** Who is let in by a policy of more inbounds than these is kept out, first where the shadow world agrees. */
  #denyRest(group: number): void {
    const sum = this.marks.sum(group);
    const entering = sum.allowed.copy().or(this.#letInByOthers(group, 'enforced'));
    entering.without(this.#wanted.allow[group]!.enforced).without(sum.denied);
    for (const id of entering) {
      const may = (scope: number) => (this.#enforced.deny[scope]!.has(id) ? this.#carrier[scope] : undefined);
      const policy =
        this.#of(group, (scope) => (this.#shadow.deny[scope]!.has(id) ? may(scope) : undefined)) ??
        this.#of(group, may);
      if (policy !== undefined && !this.marks.has(policy, 'deny', id)) this.marks.add(policy, 'deny', id);
    }
  }

  #allowShadow(group: number): void {
    const others = this.#letInByOthers(group, 'shadow');
    const missing = this.#wanted.allow[group]!.shadow.copy().without(this.marks.sum(group).shadowAllowed);
    for (const id of missing.without(others)) this.#shadowMark(group, 'shadowAllow', id, this.#shadow.allow);
  }

  #denyShadow(group: number): void {
    const { shadowAllowed, shadowDenied } = this.marks.sum(group);
    const entering = shadowAllowed.or(this.#letInByOthers(group, 'shadow'));
    entering.without(this.#wanted.allow[group]!.shadow).without(shadowDenied);
    for (const id of entering) this.#shadowMark(group, 'shadowDeny', id, this.#shadow.deny);
  }

  #shadowMark(group: number, list: List, id: number, room: readonly Bits[]): void {
    const policy = this.#of(group, (scope) => (room[scope]!.has(id) ? this.#strongest[scope] : undefined));
    if (policy !== undefined && !this.marks.has(policy, list, id)) this.marks.add(policy, list, id);
  }

  /** Of the policies that are offered for a group the strongest one. */
  #of(group: number, offer: (scope: number) => number | undefined): number | undefined {
    let best: number | undefined;
    for (const scope of this.#ground.groups[group]!.scopes) {
      const policy = offer(scope);
      if (policy !== undefined && (best === undefined || policy > best)) best = policy;
    }
    return best;
  }

  /** By policies that are no tag permissions. */
  #letInByOthers(group: number, world: World): Bits {
    const tiers = this.#wanted.others[group]?.after[world];
    const bits = new Bits(this.#wanted.allow[group]![world].size);
    for (const [id, tier] of tiers?.entries() ?? []) if (tier === 1 || tier === 3) bits.add(id);
    return bits;
  }
}
