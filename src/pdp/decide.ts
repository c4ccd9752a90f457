import { type Attached, attach } from './index/attach.ts';
import { type Compiled, entryStride, writtenEffects } from './index/compile.ts';
import { allowSlots, listSlot, slotCount } from './index/groups.ts';
import { Reading, State } from './index/reading.ts';
import { none, Search } from './index/search.ts';
import { stringAt } from './index/strings.ts';
import { GroupFinder } from './index/find.ts';
import type { By, Decision, Reason } from './model/decision.ts';
import type { Inventory } from './model/inventory.ts';
import { normalisePath } from './model/path.ts';
import { isRequest } from './model/read-request.ts';
import { type Channel, operatorChannel, type Request, type RequestSource } from './model/request.ts';
import { requestViolations } from './model/request-violations.ts';
import { effectOf, type Tier, type WrittenEffect } from './model/rule.ts';
import { isSpiffeId } from './model/spiffe-id.ts';
import { type Trust, trustLevels } from './model/trust.ts';
import { Origins } from './origins.ts';
import { type Target, type Targets, targetsOf } from './targets.ts';
import { RequestValues } from './values.ts';

/** The best entry of each world. */
interface Winners {
  enforced: number;
  shadow: number;
}

/** Decides requests over one compiled set and one inventory. Never throws for data. */
export class Decider {
  readonly #attached: Attached;
  readonly #compiled: Compiled;
  readonly #snapshot: string;
  readonly #targets: Targets;
  readonly #values: RequestValues;
  readonly #reading: Reading;
  readonly #search: Search;
  readonly #finder: GroupFinder;
  /** Per rule, once it has decided; text is not made anew for each decision. */
  readonly #bys: By[] = [];
  readonly #winners: Winners = { enforced: none, shadow: none };

  constructor(compiled: Compiled, inventory: Inventory, snapshot: string) {
    this.#attached = attach(compiled);
    this.#compiled = compiled;
    this.#snapshot = snapshot;
    this.#targets = targetsOf(inventory);
    this.#values = new RequestValues(this.#attached, new Origins(inventory));
    this.#reading = new Reading(this.#attached);
    this.#search = new Search(compiled, this.#reading);
    this.#finder = new GroupFinder(this.#attached, this.#reading);
  }

  /** Nodes of tries and trees visited so far: the cost of decisions, counted. */
  get visited(): number {
    return this.#reading.visited + this.#search.visited;
  }

  decide(input: unknown, channel: Channel = operatorChannel): Decision {
    if (!isRequest(input)) return this.#refuse('invalid-request', { violations: requestViolations(input) });
    const { destination, source } = input;
    const values = this.#values;
    values.channel(channel);
    values.outright = destination.attributes;
    values.outrightComplete = destination.complete ?? channel.complete;
    values.namespace = destination.namespace;
    const target = destination.attributes === undefined ? this.#target(input) : outright;
    if (target === undefined) return this.#refuse('unknown-destination');
    values.target = target;
    const id = source?.spiffeId;
    if (id !== undefined && !isSpiffeId(id)) return this.#refuse('invalid-source');
    const complete = source?.complete ?? channel.complete;
    const identified = isIdentified(source, complete);
    if (!identified && target.inbound) return this.#refuse('unidentified');
    values.source(source, complete && identified);
    const conflicts = values.conflicts();
    if (conflicts !== undefined) return this.#refuse('conflict', { keys: conflicts.sort() });
    return this.#govern(input, target);
  }

  #target({ destination }: Request): Target | undefined {
    const { dataplane, mesh, inbound, service } = destination;
    if (dataplane === undefined) return this.#targets.services.get(service as string);
    const proxy = this.#targets.dataplanes.get(mesh ?? 'default')?.get(dataplane);
    return inbound === undefined ? proxy?.whole : proxy?.inbounds.get(String(inbound));
  }

  #govern(input: Request, target: Target): Decision {
    const values = this.#values;
    const { method, path, sni } = input.request ?? noParts;
    if (target.protocol === 'http' && (method === undefined || path === undefined)) {
      return this.#refuse('incomplete-request');
    }
    const shown = target.protocol !== 'tcp';
    values.method = shown ? method : undefined;
    values.path = undefined;
    values.sni = sni?.toLowerCase();
    const reading = this.#reading;
    reading.begin(values);
    const found = this.#finder.find(target, values.outright === undefined && values.namespace === undefined);
    let ambiguous = 0;
    if (shown && path !== undefined && found.reads !== 0) {
      values.path = normalisePath(path);
      if (values.path === undefined) ambiguous = found.reads;
    }
    const winners = this.#match(found.groups, found.allows, found.count);
    return this.#decision(winners, ambiguous, input.at);
  }

  /** The smallest entry of each world that matches in any group. */
  #match(groups: Int32Array, allows: Uint8Array, count: number): Winners {
    const { table, roots } = this.#compiled.groups;
    const winners = this.#winners;
    winners.enforced = none;
    winners.shadow = none;
    let slots = 0;
    for (let i = 0; i < count; i++) {
      const bits = table[(groups[i] as number) * 4 + 3] as number;
      slots |= allows[i] === 1 ? bits : bits & ~allowSlots;
    }
    if (slots >>> listSlot !== 0) this.#lists(groups, count, winners);
    for (let tier = 0; tier < 5; tier++) {
      const first = this.#compiled.tierStarts[tier] as number;
      if (winners.enforced < first && winners.shadow < first) break;
      const mine = (slots >>> (tier * 3)) & 7;
      if (mine === 0) continue;
      const allow = (tier & 1) === 1;
      for (let i = 0; i < count; i++) {
        if (allow && allows[i] === 0) continue;
        const group = groups[i] as number;
        const bits = ((table[group * 4 + 3] as number) >>> (tier * 3)) & mine;
        if (bits === 0) continue;
        const root = group * slotCount + tier * 3;
        if ((bits & 1) !== 0) {
          const bound = Math.max(winners.enforced, winners.shadow);
          const least = this.#search.least(roots[root] as number, !allow, bound);
          if (least < winners.enforced) winners.enforced = least;
          if (least < winners.shadow) winners.shadow = least;
        }
        if ((bits & 2) !== 0) {
          winners.enforced = this.#search.least(roots[root + 1] as number, !allow, winners.enforced);
        }
        if ((bits & 4) !== 0) {
          winners.shadow = this.#search.least(roots[root + 2] as number, !allow, winners.shadow);
        }
      }
    }
    return winners;
  }

  /** Of each list the strongest item of each world, which then stands among the others by its tier (LST1). */
  #lists(groups: Int32Array, count: number, winners: Winners): void {
    const { table } = this.#compiled.groups;
    for (let i = 0; i < count; i++) {
      const list = table[(groups[i] as number) * 4 + 2] as number;
      if (list < 0 || listSeen(table, groups, i, list)) continue;
      let enforced = none;
      let shadow = none;
      for (let k = i; k < count; k++) {
        const group = groups[k] as number;
        if (table[group * 4 + 2] !== list) continue;
        for (const [first, denies] of listTrees) {
          const root = group * slotCount + first;
          const both = this.#least(root, denies, Math.max(enforced, shadow));
          enforced = this.#least(root + 1, denies, Math.min(enforced, both));
          shadow = this.#least(root + 2, denies, Math.min(shadow, both));
        }
      }
      if (enforced !== none) winners.enforced = Math.min(winners.enforced, this.#search.entryOf(enforced));
      if (shadow !== none) winners.shadow = Math.min(winners.shadow, this.#search.entryOf(shadow));
    }
  }

  #least(slot: number, denies: boolean, bound: number): number {
    const root = this.#compiled.groups.roots[slot] as number;
    return root < 0 ? bound : this.#search.least(root, denies, bound);
  }

  #decision(winners: Winners, ambiguous: number, at: number | undefined): Decision {
    const shadow = (ambiguous & 2) === 0 ? winners.shadow : none;
    const shadowEffect = shadow === none ? 'deny' : effectOf(this.#tier(shadow));
    const shadowBy = shadow === none ? null : this.#by(shadow);
    const rest = { shadow: shadowEffect, shadowBy } as const;
    if ((ambiguous & 1) !== 0) return this.#refuse('ambiguous-path', rest);
    const entry = winners.enforced;
    if (entry === none) {
      return {
        decision: 'deny',
        tier: null,
        by: null,
        ...rest,
        reason: 'default',
        trust: null,
        snapshot: this.#snapshot,
      };
    }
    return this.#decided(entry, shadowEffect, shadow === entry ? undefined : shadowBy, at);
  }

  /** Reads the deciding rule's conditions once more, for what it knew and did not know. */
  #decided(entry: number, shadow: 'allow' | 'deny', shadowBy: By | null | undefined, at?: number): Decision {
    const { entries, entryConditions, attributes } = this.#compiled;
    const reading = this.#reading;
    const first = entries[entry * entryStride + 3] as number;
    const end = first + (entries[entry * entryStride + 4] as number);
    let trust = 5;
    let oldest = Number.NaN;
    let unknown: string[] | undefined;
    let shared = true;
    for (let i = first; i < end; i++) {
      const condition = entryConditions[i] as number;
      const attribute = reading.attributeOf(this.#compiled.conditions.table[condition * 4] as number);
      if (reading.truth(condition) === 2) {
        unknown ??= [];
        unknown.push(this.#attached.keys[attribute] as string);
        if (reading.shared[attribute] === 0) shared = false;
      } else if (attributes[attribute * 5 + 2] === 0 && reading.states[attribute] === State.known) {
        if ((reading.trusts[attribute] as number) < trust) trust = reading.trusts[attribute] as number;
        const since = reading.since[attribute] as number;
        if (!(since >= oldest)) oldest = Number.isNaN(since) ? oldest : since;
      }
    }
    const tier = this.#tier(entry);
    const by = this.#by(entry);
    let reason: Reason = 'rule';
    if (unknown !== undefined) reason = shared ? 'shared-identity' : 'unknown-attribute';
    const decision: Decision = {
      decision: effectOf(tier),
      tier,
      by,
      shadow,
      shadowBy: shadowBy === undefined ? by : shadowBy,
      reason,
      trust: trust === 5 ? null : (trustLevels[4 - trust] as Trust),
      snapshot: this.#snapshot,
    };
    if (unknown === undefined && (at === undefined || Number.isNaN(oldest))) return decision;
    return {
      ...decision,
      ...(unknown === undefined ? {} : { keys: [...new Set(unknown)].sort() }),
      ...(at === undefined || Number.isNaN(oldest) ? {} : { age: at - oldest }),
    };
  }

  #tier(entry: number): Tier {
    return this.#compiled.entries[entry * entryStride + 1] as Tier;
  }

  #by(entry: number): By {
    const rule = this.#compiled.entries[entry * entryStride] as number;
    let by = this.#bys[rule];
    if (by === undefined) {
      const { origins, strings } = this.#compiled;
      by = Object.freeze({
        policy: stringAt(strings, origins[rule * 4] as number),
        kri: stringAt(strings, origins[rule * 4 + 1] as number),
        effect: writtenEffects[origins[rule * 4 + 2] as number] as WrittenEffect,
        index: origins[rule * 4 + 3] as number,
      });
      this.#bys[rule] = by;
    }
    return by;
  }

  #refuse(reason: Reason, more: Partial<Decision> = {}): Decision {
    return {
      decision: 'deny',
      tier: null,
      by: null,
      shadow: 'deny',
      shadowBy: null,
      reason,
      trust: null,
      snapshot: this.#snapshot,
      ...more,
    };
  }
}

const noParts: NonNullable<Request['request']> = {};

const outright: Target = {
  inbound: false,
  protocol: undefined,
  full: true,
  values: new Map(),
  sections: undefined,
};

/** A list's denies and allows. */
const listTrees: readonly (readonly [number, boolean])[] = [
  [listSlot, true],
  [listSlot + 3, false],
];

function listSeen(table: Int32Array, groups: Int32Array, before: number, list: number): boolean {
  for (let i = 0; i < before; i++) if (table[(groups[i] as number) * 4 + 2] === list) return true;
  return false;
}

/** Whether there is any evidence of who asks (SRC1). */
function isIdentified(source: RequestSource | undefined, complete: boolean): boolean {
  if (source === undefined) return false;
  if (source.spiffeId !== undefined || source.complete === true) return true;
  for (const _ in source.tags) return true;
  if (source.attributes === undefined) return false;
  if (complete) return true;
  for (const _ in source.attributes) return true;
  return false;
}
