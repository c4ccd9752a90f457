import { namespaceOf } from '../../../pdp/model/inventory.ts';
import { type Condition, keys, type Rule } from '../../../pdp/model/rule.ts';
import type { Loaded, PolicyInfo } from '../../load.ts';
import { Inbounds } from '../../migrate/inbounds.ts';
import { destinationConditions, type InboundOf } from '../inventory.ts';
import { type Sort, sortOf } from './sorts.ts';

/** Pairs of a scope and an inbound that are looked at; of a set that has more, nothing is said. */
const mostGoverned = 2_000_000;

/** The rules of a policy that are for the same destinations, enforced ones only. */
export interface Party {
  readonly policy: PolicyInfo;
  readonly rules: readonly Rule[];
}

/** Destinations that some policies have in common. */
export interface Scope {
  readonly number: number;
  /** A route of the inbounds, where it is for no other. */
  readonly route: string | undefined;
  readonly parties: Readonly<Record<Sort, readonly Party[]>>;
}

/** Inbounds at which the same rules count, as far as destinations say. */
export interface Group {
  readonly inbounds: readonly InboundOf[];
  readonly scopes: readonly Scope[];
}

/** All inbounds of the inventory that are governed, in its order; undefined if there are too many to look at. */
export function groupsOf(loaded: Loaded, most = mostGoverned): readonly Group[] | undefined {
  const inbounds = new Inbounds(loaded.inventory);
  const governing: Scope[][] = inbounds.all.map(() => []);
  let governed = 0;
  for (const { scope, conditions } of scopesOf(loaded)) {
    const selected = inbounds.select(conditions);
    governed += selected.length;
    if (governed > most) return undefined;
    for (const number of selected) governing[number]!.push(scope);
  }
  const groups = new Map<string, { readonly inbounds: InboundOf[]; readonly scopes: readonly Scope[] }>();
  inbounds.all.forEach((one, number) => {
    const scopes = governing[number]!;
    if (scopes.length === 0) return;
    const { dataplane, inbound } = one;
    // What else a destination shows, and the one thing that may be unknown of it (SPEC DST4).
    const bound = namespaceOf(dataplane) !== undefined;
    const numbers = scopes.map((scope) => scope.number);
    const key = JSON.stringify([dataplane.mesh, inbound.protocol ?? '', bound, numbers]);
    const same = groups.get(key);
    if (same === undefined) groups.set(key, { inbounds: [one], scopes });
    else same.inbounds.push(one);
  });
  return [...groups.values()];
}

interface Scoped {
  readonly scope: Scope;
  readonly conditions: readonly Condition[];
}

function scopesOf({ rules, policies }: Loaded): readonly Scoped[] {
  // Equal conditions are one object (Pool), so that their numbers tell scopes apart.
  const numbers = new Map<Condition, number>();
  const numberOf = (condition: Condition): number => {
    const number = numbers.get(condition) ?? numbers.size;
    numbers.set(condition, number);
    return number;
  };
  const scopes = new Map<string, Scoped & { readonly parties: Record<Sort, Party[]> }>();
  for (const policy of policies) {
    const own = new Map<string, Rule[]>();
    for (const rule of rules.slice(policy.first, policy.first + policy.count)) {
      if (rule.tier === null) continue;
      const conditions = destinationConditions(rule);
      const key = conditions.map(numberOf).join(' ');
      const same = own.get(key);
      if (same !== undefined) {
        same.push(rule);
        continue;
      }
      const mine = [rule];
      own.set(key, mine);
      const scoped = scopes.get(key) ?? newScope(scopes.size, conditions);
      scopes.set(key, scoped);
      scoped.parties[sortOf(rule)].push({ policy, rules: mine });
    }
  }
  return [...scopes.values()];
}

function newScope(number: number, conditions: readonly Condition[]) {
  const parties: Record<Sort, Party[]> = { privileged: [], access: [], ids: [], tags: [] };
  const route = conditions.find(({ key, op }) => key === keys.route && op === 'in')?.values[0]?.value;
  // Which routes an inbound has the inventory does not say.
  return {
    scope: { number, route, parties },
    conditions: conditions.filter(({ key }) => key !== keys.route),
    parties,
  };
}

/** Scopes are asked for once an inbound, and have many policies. */
export function remembered<T>(of: (scope: Scope) => T): (scope: Scope) => T {
  const known = new Map<Scope, T>();
  return (scope) => {
    if (!known.has(scope)) known.set(scope, of(scope));
    return known.get(scope) as T;
  };
}
