import type { Governed } from '../../pdp/governing.ts';
import { pushTo } from '../../pdp/model/lists.ts';
import type { Condition, Rule, Tier } from '../../pdp/model/rule.ts';
import { byText } from '../../pdp/model/text.ts';
import type { InboundOf } from '../lint/inventory.ts';
import type { Loaded, PolicyInfo } from '../load.ts';
import { Beside } from './beside.ts';
import { Inbounds } from './inbounds.ts';

/** The tag permissions of a mesh and the inbounds that they govern, those alike taken together. */

export interface Item {
  readonly policy: number;
  /** Position in the list of its policy. */
  readonly index: number;
  /** Null: only in the shadow world. */
  readonly enforced: Tier | null;
  readonly shadow: Tier;
  /** What it asks of clients. */
  readonly when: readonly Condition[];
}

export interface TagPolicy {
  readonly info: PolicyInfo;
  /** Weakest first. */
  readonly items: readonly Item[];
  readonly scope: number;
}

/** Policies that govern the same inbounds, whatever they say. */
export interface Scope {
  readonly policies: number[];
  readonly groups: number[];
}

/** Inbounds that the same policies govern. */
export interface Group {
  readonly inbounds: InboundOf[];
  readonly scopes: readonly number[];
  /** Rules of other policies that govern them. */
  readonly others: readonly Governed[];
  /** Whether only requests tell if some rule is for them: by a route, or a namespace that no label says. */
  readonly requestsTell: boolean;
}

export interface Ground {
  readonly mesh: string;
  /** Weakest first. */
  readonly policies: readonly TagPolicy[];
  readonly scopes: readonly Scope[];
  readonly groups: readonly Group[];
}

export function groundsOf(loaded: Loaded): readonly Ground[] {
  const { policies, rules, inventory } = loaded;
  const inbounds = new Inbounds(inventory);
  const beside = new Beside(loaded, inbounds);
  const byMesh = new Map<string, PolicyInfo[]>();
  for (const info of policies) {
    if (info.count === 0 || rules[info.first]!.list === undefined) continue;
    pushTo(byMesh, info.mesh, info);
  }
  return [...byMesh]
    .sort(([a], [b]) => byText(a, b))
    .map(([mesh, infos]) => groundOf(mesh, infos, rules, inbounds, beside));
}

function groundOf(
  mesh: string,
  infos: readonly PolicyInfo[],
  rules: readonly Rule[],
  inbounds: Inbounds,
  beside: Beside,
): Ground {
  const strength = ({ first }: PolicyInfo) => rules[first]!.list!.strength;
  const scopes: { policies: number[]; groups: number[]; inbounds: readonly number[] }[] = [];
  const scopeOf = new Map<string, number>();
  const policies = [...infos]
    .sort((a, b) => strength(a) - strength(b))
    .map((info, number): TagPolicy => {
      const own = rules.slice(info.first, info.first + info.count);
      const destination = destinationOf(own[0]!);
      const key = keyOf(destination);
      let scope = scopeOf.get(key);
      if (scope === undefined) {
        scope = scopes.push({ policies: [], groups: [], inbounds: inbounds.select(destination) }) - 1;
        scopeOf.set(key, scope);
      }
      scopes[scope]!.policies.push(number);
      return { info, items: itemsOf(own, number), scope };
    });
  const governing = new Map<number, number[]>();
  for (const [number, scope] of scopes.entries())
    for (const inbound of scope.inbounds) pushTo(governing, inbound, number);
  const groups = new Map<string, Group>();
  for (const inbound of inbounds.of(mesh)) {
    const own = governing.get(inbound) ?? [];
    const one = inbounds.all[inbound]!;
    const { likeness, others } = beside.at(one);
    const requestsTell = beside.requestsTell.has(inbound);
    const key = `${own.join()} ${likeness} ${requestsTell}`;
    let group = groups.get(key);
    if (group === undefined) {
      group = { inbounds: [], scopes: own, others, requestsTell };
      for (const scope of own) scopes[scope]!.groups.push(groups.size);
      groups.set(key, group);
    }
    group.inbounds.push(one);
  }
  return { mesh, policies, scopes, groups: [...groups.values()] };
}

function itemsOf(rules: readonly Rule[], policy: number): readonly Item[] {
  return [...rules]
    .sort((a, b) => a.list!.strength - b.list!.strength)
    .map(({ tier, shadow, when, origin }) => ({
      policy,
      index: origin.index,
      enforced: tier,
      shadow,
      when: when.filter(({ side }) => side === 'source'),
    }));
}

export function destinationOf({ when }: Rule): readonly Condition[] {
  return when.filter(({ side }) => side === 'destination');
}

export function keyOf(conditions: readonly Condition[]): string {
  return JSON.stringify(conditions.map(({ key, op, values }) => [key, op, values]));
}
