import { type Effect, keys } from '../../pdp/model/rule.ts';
import type { Bits } from './bits.ts';
import { type Clients, newIdOf, type TagSource } from './clients.ts';
import { afterwards, allowing } from './compare.ts';
import type { Item } from './ground.ts';
import type { Marks } from './marks.ts';
import { isOf, type Newcomer, newcomer } from './newcomer.ts';
import { none, type Others } from './others.ts';
import { Overridden } from './overridden.ts';
import type { Setting } from './setting.ts';
import type { Wanted } from './wanted.ts';
import { allows, strongestFirst, tierOf } from './winners.ts';
import { type World, worlds } from './world.ts';

/**
 * Clients that the inventory does not have. They have tags today and an ID then, and nobody can say which ID comes
 * with which tags: a policy is equal for them only if tags do not matter (SPEC MIG6). Else there is a witness, a
 * certificate of each form for which the verdicts differ.
 */
export interface Witness {
  readonly world: World;
  readonly change: 'widens' | 'narrows';
  readonly source: TagSource;
  readonly spiffeId: string;
  /** Whether nobody has the ID yet; else those who have it get in by their own tags. */
  readonly isNew: boolean;
  readonly group: number;
}

export interface Beyond {
  /** One that narrows and one that widens, at most. */
  readonly witnesses: readonly Witness[];
  /** Whether it is proved that there are no others. */
  readonly settled: boolean;
}

/** Whom groups let in then, worked out once each. */
class Afterwards {
  readonly #known = new Map<string, Bits>();
  readonly #setting: Setting;
  readonly #wanted: Wanted;
  readonly #marks: Marks;

  constructor(setting: Setting, wanted: Wanted, marks: Marks) {
    this.#setting = setting;
    this.#wanted = wanted;
    this.#marks = marks;
  }

  at(group: number, world: World): Bits {
    const key = `${group} ${world}`;
    let bits = this.#known.get(key);
    if (bits === undefined) {
      const size = this.#setting.clients.ids.length;
      bits = afterwards(this.#marks.sum(group), this.#wanted.others[group], world, size);
      this.#known.set(key, bits);
    }
    return bits;
  }
}

export class Outlook {
  readonly #setting: Setting;
  readonly #marks: Marks;
  readonly #afterwards: Afterwards;
  readonly #overridden: Overridden;
  readonly #others: Others;
  readonly #denied = new Map<string, Newcomer>();
  /** By ID the meshes of its clients. */
  readonly #meshes = new Map<number, Set<string>>();

  constructor(setting: Setting, others: Others, wanted: Wanted, marks: Marks) {
    this.#setting = setting;
    this.#others = others;
    this.#overridden = new Overridden(setting);
    this.#marks = marks;
    this.#afterwards = new Afterwards(setting, wanted, marks);
    const { kinds, sources, trustDomains } = setting.clients;
    // Whoever comes may have any ID of its mesh's trust domains, also one that a client of another mesh has.
    for (const { rest, members, meshes } of trustDomains)
      for (const id of [rest, ...members]) this.#meshes.set(id, new Set(meshes));
    for (const { id, source } of kinds)
      if (id !== undefined && source !== undefined)
        this.#meshes.set(id, (this.#meshes.get(id) ?? new Set()).add(sources[source]!.mesh));
  }

  of(policy: number): Beyond {
    const { ground } = this.#setting;
    const { items } = ground.policies[policy]!;
    const deciding = (world: World) =>
      items.filter((item) => allows(item, world) && !this.#overridden.has(item, world));
    const letting = { enforced: deciding('enforced'), shadow: deciding('shadow') };
    let narrows: Witness | undefined;
    let widens: Witness | undefined;
    let settled = true;
    for (const group of ground.scopes[ground.policies[policy]!.scope]!.groups)
      for (const world of worlds) {
        if (narrows !== undefined && widens !== undefined) return { witnesses: [narrows, widens], settled };
        if (this.#setting.patience.isOver) return { witnesses: found(narrows, widens), settled: false };
        const out = narrows ?? this.#shutOut(letting[world], group, world);
        const into = widens ?? this.#letIn(policy, group, world);
        if (typeof out === 'object') narrows = out;
        if (typeof into === 'object') widens = into;
        // What other policies say of IDs that nobody has is not looked into.
        const hasOthers = ground.groups[group]!.others.length > 0;
        if (hasOthers || out === 'unsettled' || into === 'unsettled') settled = false;
      }
    return { witnesses: found(narrows, widens), settled };
  }

  /** Somebody whom the policy lets in now, with an ID that is not let in. */
  #shutOut(items: readonly Item[], group: number, world: World): Witness | 'unsettled' | undefined {
    const after = this.#afterwards.at(group, world);
    let isOpen = false;
    for (const item of items) {
      const spiffeId = someId(this.#setting.clients, item, (id) => after.has(id));
      const source = spiffeId === undefined ? 'none' : comer(this.#setting, group, item, world);
      if (source === 'none' || spiffeId === undefined) continue;
      if (source === 'unsettled' || !this.#is(source, group, world, 'allow')) isOpen = true;
      else return { world, change: 'narrows', source, spiffeId, isNew: true, group };
    }
    return isOpen ? 'unsettled' : undefined;
  }

  /** Somebody who is denied now, with an ID that the policy lets in. */
  #letIn(policy: number, group: number, world: World): Witness | 'unsettled' | undefined {
    let isOpen = false;
    const after = this.#afterwards.at(group, world);
    const { ids, trustDomains } = this.#setting.clients;
    const rests = new Set(trustDomains.map(({ rest }) => rest));
    for (const list of allowing[world])
      for (const id of this.#marks.of(policy, list)) {
        if (!after.has(id)) continue;
        for (const mesh of this.#meshes.get(id) ?? []) {
          const source = this.#deniedComer(group, mesh, world);
          if (source === 'none') continue;
          if (source === 'unsettled' || !this.#is(source, group, world, 'deny')) isOpen = true;
          else return { world, change: 'widens', source, spiffeId: ids[id]!, isNew: rests.has(id), group };
        }
      }
    return isOpen ? 'unsettled' : undefined;
  }

  /** Whether other policies leave it at what the items say. */
  #is(source: TagSource, group: number, world: World, effect: Effect): boolean {
    const tier = this.#others.tierOf(source, this.#setting.ground.groups[group]!, world);
    return tier === undefined || (effect === 'allow' ? tier >= 3 || tier === 1 : tier !== 1 && tier !== 3);
  }

  #deniedComer(group: number, mesh: string, world: World): Newcomer {
    const key = `${group} ${world} ${mesh}`;
    const known = this.#denied.get(key) ?? deniedComer(this.#setting, group, mesh, world);
    this.#denied.set(key, known);
    return known;
  }
}

function found(...witnesses: readonly (Witness | undefined)[]): readonly Witness[] {
  return witnesses.filter((one) => one !== undefined);
}

/** An ID of a client to come, of a mesh that the item is about, that is not let in. */
function someId(clients: Clients, { when }: Item, isLetIn: (id: number) => boolean): string | undefined {
  for (const mesh of meshesOf(when)) {
    const own = clients.trustDomains.filter(({ meshes }) => meshes.has(mesh));
    const shut = own.find(({ rest }) => !isLetIn(rest));
    if (shut !== undefined) return clients.ids[shut.rest];
    if (clients.declared.has(mesh) && own.length > 0) continue;
    const names = new Set(clients.trustDomains.map(({ name }) => name));
    let name = `${mesh.toLowerCase()}.new-zone.mesh.local`;
    for (let count = 2; names.has(name); count++) name = `${mesh.toLowerCase()}.new-zone-${count}.mesh.local`;
    return newIdOf(name);
  }
  return undefined;
}

function meshesOf(when: Item['when']): readonly string[] {
  return when.flatMap(({ key, op, values }) =>
    key === keys.mesh && op === 'in' ? values.map(({ value }) => value) : [],
  );
}

/** A client to come about whom the item decides in a group. */
function comer({ ground, row, patience }: Setting, group: number, item: Item, world: World): Newcomer {
  const [mesh] = meshesOf(item.when);
  if (mesh === undefined) return 'unsettled';
  const stronger: Item[] = [];
  for (const one of strongestFirst(ground, row, group)) {
    if (one === item) break;
    if (tierOf(one, world) !== none) stronger.push(one);
  }
  return newcomer(mesh, item, stronger, patience);
}

/** A client of a mesh to come whom a group denies. */
function deniedComer(
  { ground, row, patience }: Setting,
  group: number,
  mesh: string,
  world: World,
): Newcomer {
  const stronger: Item[] = [];
  let isOpen = false;
  for (const item of [...strongestFirst(ground, row, group), undefined]) {
    if (item !== undefined && (tierOf(item, world) === none || !isOf(item.when, mesh))) continue;
    if (item === undefined || !allows(item, world)) {
      const source = newcomer(mesh, item, stronger, patience);
      if (typeof source !== 'string') return source;
      if (source === 'unsettled') isOpen = true;
    }
    if (item !== undefined) stronger.push(item);
  }
  return isOpen ? 'unsettled' : 'none';
}
