import { isIdentified, isSound } from './identified.ts';
import { type Attached, attach } from './index/attach.ts';
import { State } from './index/cells.ts';
import { type Compiled, tierOf } from './index/compile.ts';
import { attributeOf } from './index/dimension.ts';
import { GroupFinder } from './index/find.ts';
import { Match, none, type Winners } from './index/match.ts';
import { Labels } from './index/origins.ts';
import { Reading } from './index/reading.ts';
import { Scan } from './index/scan.ts';
import { Sparse } from './index/sparse.ts';
import { Truths } from './index/truths.ts';
import { isUnclear } from './index/unsure.ts';
import { type Readable, type ReadableParts, type Sheet, Written } from './index/written.ts';
import { asRequest } from './model/as-request.ts';
import { type By, type Decision, type Reason, refusal } from './model/decision.ts';
import { type Inventory, nameWith } from './model/inventory.ts';
import type { Mutable } from './model/mutable.ts';
import { normalisePath } from './model/path.ts';
import { type Channel, operatorChannel } from './model/request.ts';
import { noRequest } from './model/request-violations.ts';
import { type Effect, effectOf, keys, type Tier } from './model/rule.ts';
import { byText } from './model/text.ts';
import { type Trust, trustLevels } from './model/trust.ts';
import { Origins } from './origins.ts';
import { type ProxyTargets, type Target, type Targets, targetsOf } from './targets.ts';
import { RequestValues } from './values.ts';

/** Decides requests over one compiled set and one inventory. Never throws for data. */
export class Decider {
  readonly #attached: Attached;
  readonly #compiled: Compiled;
  readonly #snapshot: string;
  readonly #targets: Targets;
  /** The proxies of the mesh that is meant where none is named. */
  readonly #default: ReadonlyMap<string, ProxyTargets> | undefined;
  readonly #values: RequestValues;
  readonly #reading: Reading;
  readonly #truths: Truths;
  readonly #match: Match;
  readonly #finder: GroupFinder;
  /** Per entry, once it has decided; text is not made anew for each decision. */
  readonly #bys: Sparse<By>;
  /** How many values were looked at to see whether they are requests. */
  #turn = 0;

  constructor(compiled: Compiled, inventory: Inventory, snapshot: string, attached = attach(compiled)) {
    this.#attached = attached;
    this.#compiled = compiled;
    this.#snapshot = snapshot;
    this.#bys = new Sparse(compiled.entries.rules.length);
    this.#targets = targetsOf(inventory);
    this.#default = this.#targets.dataplanes.get('default');
    this.#values = new RequestValues(this.#attached, new Origins(inventory));
    this.#reading = new Reading(this.#attached, this.#values);
    this.#truths = new Truths(compiled, this.#reading);
    this.#match = new Match(compiled, this.#reading, this.#truths);
    this.#finder = new GroupFinder(this.#attached, this.#reading, this.#truths);
  }

  /** Nodes, columns of tables and conditions without one visited so far: the cost of decisions, counted. */
  get visited(): number {
    return this.#values.identity.visited + this.#reading.visited + this.#match.visited;
  }

  /** The values that rules compare a key with as they are, in order. */
  named(key: string): readonly string[] {
    const { keys: all, exact } = this.#attached;
    const values = all.flatMap((one, id) => (one === key ? [...(exact[id]?.keys() ?? [])] : []));
    return [...new Set(values)].sort(byText);
  }

  /** Reads requests that `decide` takes as they are. */
  scan(sheet: Sheet): Scan {
    return new Scan(this.#attached.table, sheet);
  }

  decide(input: unknown, channel: Channel = operatorChannel): Decision {
    this.#values.channel(channel);
    const turn = ++this.#turn;
    try {
      if (input instanceof Written) {
        this.#reading.begin();
        return this.#decide(input.keys === this.#attached.table ? input : input.objects, channel);
      }
      const request = asRequest(input, this.#reading);
      // What runs code when it is read may have asked for a decision itself, whose values would be taken for its own.
      if (request !== undefined && turn === this.#turn) return this.#decide(request, channel);
    } catch {
      // Such code may also give something else when it is read again, or throw.
    }
    return noRequest(input, this.#snapshot);
  }

  #decide(input: Readable, channel: Channel): Decision {
    const { destination, source } = input;
    const values = this.#values;
    const asked = values.destination;
    asked.outright = destination.attributes;
    asked.complete = destination.complete ?? channel.complete;
    asked.namespace = destination.namespace;
    asked.route = destination.route;
    const target = destination.attributes === undefined ? this.#target(input) : outright;
    if (target === undefined) return this.#refuse('unknown-destination');
    asked.target = target;
    const id = source?.spiffeId;
    if (id === undefined) values.identity.clear();
    if (id === undefined ? !isSound(source) : !values.identity.read(id))
      return this.#refuse('invalid-source');
    const complete = source?.complete ?? channel.complete;
    const identified = isIdentified(source, complete === true);
    if (!identified && target.inbound) return this.#refuse('unidentified');
    values.source(source, complete, identified);
    let conflicts = values.conflicts();
    if (isElsewhere(destination.namespace, target)) {
      conflicts ??= [];
      conflicts.push(keys.namespace);
    }
    if (conflicts !== undefined) return this.#refuse('conflict', { keys: conflicts.sort() });
    return this.#govern(input, target);
  }

  #target({ destination }: Readable): Target | undefined {
    const { dataplane, mesh, inbound, service, namespace } = destination;
    if (dataplane === undefined) return this.#targets.services.get(service as string);
    const ofMesh =
      mesh === undefined || mesh === 'default' ? this.#default : this.#targets.dataplanes.get(mesh);
    const proxy =
      ofMesh?.get(dataplane) ??
      (namespace === undefined ? undefined : ofMesh?.get(nameWith(namespace, dataplane)));
    if (inbound === undefined || inbound === proxy?.name) return proxy?.whole;
    return proxy?.inbounds.get(String(inbound));
  }

  #govern(input: Readable, target: Target): Decision {
    const values = this.#values;
    const { method, path, sni } = input.request ?? noParts;
    if (target.http && (method === undefined || path === undefined)) {
      return this.#refuse('incomplete-request');
    }
    const shown = target.protocol !== 'tcp';
    const read = shown && target.protocol !== 'mixed';
    values.method = read ? method : undefined;
    values.path = undefined;
    values.sni = sni;
    const reading = this.#reading;
    values.give(reading);
    const asked = values.destination;
    const plain = asked.outright === undefined && asked.namespace === undefined && asked.route === undefined;
    const found = this.#finder.find(target, plain);
    let ambiguous = 0;
    if (shown && path !== undefined && found.reads !== 0) {
      const normal = normalisePath(path);
      if (normal === undefined) ambiguous = found.reads;
      if (read) values.path = normal;
    }
    const winners = this.#match.winners(found);
    return this.#decision(winners, ambiguous, input.at);
  }

  #decision(winners: Winners, ambiguous: number, at: number | undefined): Decision {
    const shadow = (ambiguous & 2) === 0 ? winners.shadow : none;
    const enforced = (ambiguous & 1) === 0 ? winners.enforced : none;
    const shadowEffect = shadow === none ? 'deny' : effectOf(this.#tier(shadow));
    const shadowBy = shadow === none ? null : this.#by(shadow);
    if (enforced !== none) return this.#decided(enforced, shadowEffect, shadowBy, at);
    return {
      decision: 'deny',
      tier: null,
      by: null,
      shadow: shadowEffect,
      shadowBy,
      reason: (ambiguous & 1) === 0 ? 'default' : 'ambiguous-path',
      trust: null,
      snapshot: this.#snapshot,
    };
  }

  /** What the deciding rule's conditions knew and did not know, off the dimensions that they read. */
  #decided(entry: number, shadow: Effect, shadowBy: By | null, at: number | undefined): Decision {
    const { shapes, entries } = this.#compiled;
    const reading = this.#reading;
    const tier = this.#tier(entry);
    const shape = entries.shapes[entry] as number;
    const first = shape + 2;
    const ofSource = first + (shapes[shape + 1] as number);
    // All that an allow reads is known, and only the source's values have a trust to tell.
    const end = effectOf(tier) === 'allow' ? ofSource : first + (shapes[shape] as number);
    let trust = 5;
    let oldest = Number.NaN;
    let unknown: number[] | undefined;
    for (let i = first; i < end; i++) {
      const dimension = shapes[i] as number;
      const attribute = attributeOf(dimension);
      const state = reading.dimension(dimension);
      if (isUnclear(this.#compiled, this.#truths, entry, dimension, state)) {
        unknown ??= [];
        unknown.push(attribute);
      } else if (state === State.known && i < ofSource) {
        trust = Math.min(trust, reading.trust(attribute));
        const since = at === undefined ? Number.NaN : reading.since(attribute);
        if (!Number.isNaN(since) && !(since >= oldest)) oldest = since;
      }
    }
    const decision: Mutable<Decision> = {
      decision: effectOf(tier),
      tier,
      by: this.#by(entry),
      shadow,
      shadowBy,
      reason: 'rule',
      trust: trust === 5 ? null : (trustLevels[4 - trust] as Trust),
      snapshot: this.#snapshot,
    };
    if (unknown !== undefined) this.#tell(decision, unknown);
    if (at !== undefined && !Number.isNaN(oldest)) decision.age = at - oldest;
    return decision;
  }

  /** Apart from what every decision goes through: what closures share is made anew at each call. */
  #tell(decision: Mutable<Decision>, unknown: readonly number[]): void {
    const shared = unknown.every((attribute) => this.#reading.isShared(attribute));
    decision.reason = shared ? 'shared-identity' : 'unknown-attribute';
    decision.keys = [...new Set(unknown.map((id) => this.#attached.keys[id] as string))].sort();
  }

  #tier(entry: number): Tier {
    return tierOf(this.#compiled, entry);
  }

  #by(entry: number): By {
    let by = this.#bys.get(entry);
    if (by === undefined) {
      const rule = this.#compiled.entries.rules[entry] as number;
      by = Object.freeze(new Labels(this.#compiled).by(rule));
      this.#bys.set(entry, by);
    }
    return by;
  }

  #refuse(reason: Reason, more?: Pick<Decision, 'keys'>): Decision {
    return refusal(reason, this.#snapshot, more);
  }
}

const noParts: ReadableParts = {};

const outright: Target = {
  inbound: false,
  protocol: undefined,
  full: true,
  values: new Map(),
  unknown: new Set(),
  siteless: false,
  http: false,
  sections: undefined,
  found: undefined,
  cells: undefined,
};

/** Whether a request names another namespace than the inventory has for what it asks for (DST4). */
function isElsewhere(namespace: string | undefined, { values }: Target): boolean {
  if (namespace === undefined || values.size === 0) return false;
  const known = values.get(keys.namespace);
  return known !== undefined && known !== namespace;
}
