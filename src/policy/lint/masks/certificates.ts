import type { Inventory, Mesh } from '../../../pdp/model/inventory.ts';
import { effectOf, keys, type Rule } from '../../../pdp/model/rule.ts';
import type { PolicyInfo } from '../../load.ts';
import { type Group, type Party, remembered, type Scope } from './scopes.ts';

/** Permissions of two forms, and clients of a mesh that have certificates of one sort. */

/** Policies of a mesh that ask for what the certificates of its clients have not. */
export interface Inert {
  readonly mesh: Mesh;
  readonly policies: readonly PolicyInfo[];
  readonly groups: readonly Group[];
}

/** What is inert under the certificates of the mesh (SPEC LINT10). */
export function inertIn({ meshes }: Inventory, groups: readonly Group[]): readonly Inert[] {
  const idsOf = remembered((scope) =>
    scope.parties.ids.filter(({ rules }) => rules.every(needsMoreThanTags)),
  );
  const bansIn = remembered(bans);
  const both = groups.flatMap((group) => {
    const mesh = meshes.get(group.inbounds[0]!.dataplane.mesh);
    return mesh === undefined ? [] : [{ group, mesh }];
  });
  // Beside a ban every item of its list may count, since it says who is not banned.
  const banned = new Set<Scope>();
  for (const { group, mesh } of both)
    if (mesh.certificates === 'spiffe' && group.scopes.some(bansIn))
      for (const scope of group.scopes) banned.add(scope);
  const byMesh = new Map<string, { mesh: Mesh; scopes: Set<Scope>; groups: Group[] }>();
  for (const { group, mesh } of both) {
    const scopes = group.scopes.filter((scope) =>
      mesh.certificates === 'tags'
        ? idsOf(scope).length > 0
        : scope.parties.tags.length > 0 && !banned.has(scope),
    );
    if (scopes.length === 0) continue;
    const found = byMesh.get(mesh.name) ?? { mesh, scopes: new Set(), groups: [] };
    byMesh.set(mesh.name, found);
    for (const scope of scopes) found.scopes.add(scope);
    found.groups.push(group);
  }
  return [...byMesh.values()].map(({ mesh, scopes, groups: where }) => {
    const parties = [...scopes].flatMap((scope) =>
      mesh.certificates === 'tags' ? idsOf(scope) : scope.parties.tags,
    );
    return { mesh, policies: parties.map(({ policy }) => policy), groups: where };
  });
}

/** The mesh of inbounds that permissions of both forms are for. */
function meshOfBoth({ inbounds, scopes }: Group, meshes: Inventory['meshes']): Mesh | undefined {
  const isBoth =
    scopes.some(({ parties }) => parties.ids.length > 0) &&
    scopes.some(({ parties }) => parties.tags.length > 0);
  return isBoth ? meshes.get(inbounds[0]!.dataplane.mesh) : undefined;
}

/**
 * A certificate of tags has its mesh and all tags, and says that there is no SPIFFE ID (SPEC ENV2). Of labels nobody
 * knows anything, so no allow that asks for them holds, and every deny does.
 */
function needsMoreThanTags({ when, tier, shadow }: Rule): boolean {
  const allows = effectOf(tier ?? shadow) === 'allow' && effectOf(shadow) === 'allow';
  return when.some(
    ({ side, key, op }) =>
      side === 'source' &&
      (op === 'in' || op === 'exists') &&
      (key.startsWith('spiffe:') || (allows && key !== keys.mesh && !key.startsWith(keys.tag))),
  );
}

/** A ban by tags of clients whose tags nobody knows: it bars them all. */
export interface Barring {
  readonly ban: Rule;
  readonly mesh: Mesh;
  /** What would let clients in, by SPIFFE ID. */
  readonly masked: readonly PolicyInfo[];
  readonly groups: readonly Group[];
}

/** Which bans bar whomever allows by SPIFFE ID would let in (SPEC LINT11). */
export function barringIn({ meshes }: Inventory, groups: readonly Group[]): readonly Barring[] {
  const strongestOf = remembered(strongestDeny);
  const allowingOf = remembered(({ parties }) => parties.ids.filter(allows).map(({ policy }) => policy));
  const byBan = new Map<Rule, { ban: Rule; mesh: Mesh; scopes: Set<Scope>; groups: Group[] }>();
  for (const group of groups) {
    const mesh = meshOfBoth(group, meshes);
    if (mesh?.certificates !== 'spiffe') continue;
    const ban = winnerOf(group);
    const scopes = group.scopes.filter((scope) => allowingOf(scope).length > 0);
    if (ban?.tier !== 2 || scopes.length === 0) continue;
    const found = byBan.get(ban) ?? { ban, mesh, scopes: new Set(), groups: [] };
    byBan.set(ban, found);
    for (const scope of scopes) found.scopes.add(scope);
    found.groups.push(group);
  }
  return [...byBan.values()].map(({ scopes, ...found }) => ({
    ...found,
    masked: [...scopes].flatMap(allowingOf),
  }));

  /** What counts for who has no tags that are known; undefined if a route may have its own. */
  function winnerOf({ scopes }: Group): Rule | undefined {
    let winner: Rule | undefined;
    for (const scope of scopes) {
      const rule = strongestOf(scope);
      if (rule === undefined) continue;
      if (scope.route !== undefined) return undefined;
      if (winner === undefined || isStronger(rule, winner)) winner = rule;
    }
    return winner;
  }
}

/** Of an X509-SVID mesh and tags are unknown: no allow of a list holds, and every deny does. */
function strongestDeny({ parties }: Scope): Rule | undefined {
  let strongest: Rule | undefined;
  for (const { rules } of parties.tags)
    for (const rule of rules) {
      if (effectOf(rule.tier ?? rule.shadow) === 'allow') continue;
      if (strongest === undefined || isStronger(rule, strongest)) strongest = rule;
    }
  return strongest;
}

function isStronger({ list: one }: Rule, { list: other }: Rule): boolean {
  return one!.strength > other!.strength;
}

function bans({ parties }: Scope): boolean {
  return parties.tags.some(({ rules }) => rules.some(({ tier }) => tier === 2));
}

function allows({ rules }: Party): boolean {
  return rules.some(({ tier }) => tier === 3);
}
