import { attach } from './index/attach.ts';
import { type Compiled, compile, tierOf } from './index/compile.ts';
import { attributeOf } from './index/dimension.ts';
import { askedOf, ConditionCell, conditionStride, Scope } from './index/entries.ts';
import { GroupFinder } from './index/find.ts';
import { Members } from './index/members.ts';
import { Reading } from './index/reading.ts';
import { Truth, Truths } from './index/truths.ts';
import { neverPresent } from './model/aliases.ts';
import type { Inventory } from './model/inventory.ts';
import { operatorChannel } from './model/request.ts';
import { type Condition, effectOf, type ListItem, type Rule, type Tier } from './model/rule.ts';
import { Origins } from './origins.ts';
import { type Target, type Targets, targetsOf } from './targets.ts';
import { RequestValues } from './values.ts';

/** Where an entry holds: a rule with a shadow effect is one in each world. */
export type World = 'enforced' | 'shadow';

/** A rule in the worlds where it has one effect, as far as it governs one destination. */
export interface Governed {
  /** The smallest that matches decides. */
  readonly rank: number;
  readonly tier: Tier;
  readonly worlds: readonly World[];
  readonly list?: ListItem;
  readonly rule: Rule;
  /** What it asks of the source and of the request. */
  readonly when: readonly Condition[];
  /** What it asks of the destination and nobody knows: only a deny governs then, as if it held. */
  readonly open: readonly Condition[];
}

/** What governs one destination. */
export interface Governing {
  /** By rank. */
  readonly entries: readonly Governed[];
  readonly inbound: boolean;
  readonly protocol: Target['protocol'];
  /** Worlds in which an ambiguous path is denied (PATH3). */
  readonly readsPaths: readonly World[];
}

/** An inbound of a dataplane and, where one is meant, its route; or a service. */
export type Asked =
  | {
      readonly mesh: string;
      readonly dataplane: string;
      readonly inbound?: string | number;
      readonly route?: string;
    }
  | { readonly service: string };

const worldsOfScope: Readonly<Record<number, readonly World[]>> = {
  [Scope.both]: ['enforced', 'shadow'],
  [Scope.enforced]: ['enforced'],
  [Scope.shadow]: ['shadow'],
};
const worldsOfBits: readonly (readonly World[])[] = [[], ['enforced'], ['shadow'], ['enforced', 'shadow']];

/**
 * Finds what governs destinations, in the groups that `decide` searches and by its own finder and reading. Rules come
 * in policy order, then by position.
 */
export class Governor {
  readonly #rules: readonly Rule[];
  readonly #compiled: Compiled;
  readonly #targets: Targets;
  readonly #values: RequestValues;
  readonly #reading: Reading;
  readonly #truths: Truths;
  readonly #finder: GroupFinder;
  readonly #members: Members;
  /** Per entry whose destination conditions are all known to hold. */
  readonly #settled: (Governed | undefined)[];
  /** Per group, without and with its allows: the destination conditions of its entries, each once. */
  readonly #asks = new Map<number, readonly number[]>();

  constructor(rules: readonly Rule[], inventory: Inventory) {
    const compiled = compile(rules, inventory.site.floor, neverPresent, 'all');
    const attached = attach(compiled);
    this.#rules = rules;
    this.#compiled = compiled;
    this.#targets = targetsOf(inventory);
    this.#values = new RequestValues(attached, new Origins(inventory));
    this.#values.channel(operatorChannel);
    this.#reading = new Reading(attached, this.#values);
    this.#truths = new Truths(compiled, this.#reading);
    this.#finder = new GroupFinder(attached, this.#reading, this.#truths);
    this.#members = new Members(compiled);
    this.#settled = new Array(compiled.entries.rules.length).fill(undefined);
  }

  /** Undefined if the inventory does not have it. */
  of(asked: Asked): Governing | undefined {
    const target = this.#begin(asked);
    if (target === undefined) return undefined;
    const found = this.#finder.find(target, false);
    const lists: Int32Array[] = [];
    for (let i = 0; i < found.count; i++) {
      const group = found.groups[i] as number;
      lists.push(this.#members.denies(group));
      if (found.allows[i] === 1) lists.push(this.#members.allows(group));
    }
    const entries: Governed[] = [];
    let last = -1;
    for (const rank of merged(lists)) {
      // What is filed under several values may be found by more than one of them.
      if (rank === last) continue;
      last = rank;
      const governed = this.#governed(rank);
      if (governed !== undefined) entries.push(governed);
    }
    const { inbound, protocol } = target;
    return { entries, inbound, protocol, readsPaths: worldsOfBits[found.reads] as readonly World[] };
  }

  /**
   * The same for destinations that the same governs alike: where rules are looked for, and what comes of all that these
   * ask of a destination. It takes as long as there are conditions there, however many rules have them.
   */
  likeness(asked: Asked): string | undefined {
    const target = this.#begin(asked);
    if (target === undefined) return undefined;
    const { groups, allows, count, reads } = this.#finder.find(target, false);
    const parts: (string | number)[] = [target.inbound ? 1 : 0, target.protocol ?? '', reads];
    for (let i = 0; i < count; i++) {
      const [group, also] = [groups[i] as number, allows[i] as number];
      parts.push(group, also);
      for (const condition of this.#asksOf(group, also)) parts.push(this.#truths.of(condition));
    }
    return parts.join();
  }

  #begin(asked: Asked): Target | undefined {
    const target = this.#target(asked);
    if (target === undefined) return undefined;
    const { destination } = this.#values;
    destination.target = target;
    destination.outright = undefined;
    destination.namespace = undefined;
    destination.route = 'route' in asked ? asked.route : undefined;
    this.#reading.begin();
    this.#values.give(this.#reading);
    return target;
  }

  #asksOf(group: number, allows: number): readonly number[] {
    const name = 2 * group + allows;
    let asks = this.#asks.get(name);
    if (asks === undefined) {
      const found = new Set<number>();
      const lists = [this.#members.denies(group), ...(allows === 1 ? [this.#members.allows(group)] : [])];
      for (const ranks of lists)
        for (const rank of ranks)
          for (const condition of askedOf(this.#compiled.entries, rank)) found.add(condition);
      asks = [...found];
      this.#asks.set(name, asks);
    }
    return asks;
  }

  #target(asked: Asked): Target | undefined {
    if ('service' in asked) return this.#targets.services.get(asked.service);
    const proxy = this.#targets.dataplanes.get(asked.mesh)?.get(asked.dataplane);
    return asked.inbound === undefined ? proxy?.whole : proxy?.inbounds.get(String(asked.inbound));
  }

  #governed(rank: number): Governed | undefined {
    const tier = tierOf(this.#compiled, rank);
    let known = true;
    for (const condition of askedOf(this.#compiled.entries, rank)) {
      const truth = this.#truths.of(condition);
      if (truth === Truth.no) return undefined;
      if (truth === Truth.unknown) known = false;
    }
    if (!known) return effectOf(tier) === 'allow' ? undefined : this.#make(rank, tier, this.#open(rank));
    let settled = this.#settled[rank];
    if (settled === undefined) {
      settled = this.#make(rank, tier, []);
      this.#settled[rank] = settled;
    }
    return settled;
  }

  #make(rank: number, tier: Tier, open: readonly Condition[]): Governed {
    const { rules, scopes } = this.#compiled.entries;
    const rule = this.#rules[rules[rank] as number] as Rule;
    const worlds = worldsOfScope[scopes[rank] as number] as readonly World[];
    const when = rule.when.filter(({ side }) => side !== 'destination');
    return { rank, tier, worlds, ...(rule.list === undefined ? {} : { list: rule.list }), rule, when, open };
  }

  /** Conditions of an entry lie in the order of its rule's, equal ones once. */
  #open(rank: number): readonly Condition[] {
    const { entries, conditions } = this.#compiled;
    const rule = this.#rules[entries.rules[rank] as number] as Rule;
    const unknown = new Set<string>();
    for (const condition of askedOf(entries, rank)) {
      if (this.#truths.of(condition) !== Truth.unknown) continue;
      const row = condition * conditionStride;
      const attribute = attributeOf(conditions.table[row + ConditionCell.dimension] as number);
      unknown.add(this.#reading.attached.keys[attribute] as string);
    }
    return rule.when.filter(({ side, key }) => side === 'destination' && unknown.has(key));
  }
}

/** In order; a rank may stand there more than once. */
function merged(lists: readonly Int32Array[]): Int32Array {
  const all = new Int32Array(lists.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  return all.sort();
}
