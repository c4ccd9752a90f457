import { Bits } from './bits.ts';
import type { Clients } from './clients.ts';
import type { Ground } from './ground.ts';
import type { Wanted } from './wanted.ts';
import type { World } from './world.ts';

/**
 * What a scope may say without harm. Deny beats allow everywhere in the SPIFFE form, so that a policy may deny an ID
 * only if none of its inbounds has to let it in; and it may allow one if, of its inbounds, all that have to keep it
 * out are covered by policies that may deny it. If an inbound has to let an ID in and none of its policies may allow
 * it, then no lists of these policies say so (SPEC MIG4).
 */
export interface Room {
  readonly allow: readonly Bits[];
  readonly deny: readonly Bits[];
}

/** `carries`: whether a scope has a policy that counts in the world. */
export function roomOf(
  ground: Ground,
  clients: Clients,
  wanted: Wanted,
  world: World,
  carries: (scope: number) => boolean,
): Room {
  const size = clients.ids.length;
  const deny = ground.scopes.map(({ groups }, scope) => {
    const entering = new Bits(size);
    for (const group of groups) entering.or(wanted.allow[group]![world]);
    return carries(scope) ? wholeDomains(entering.invert(), clients) : new Bits(size);
  });
  const covered = ground.groups.map(({ scopes }, group) => {
    const bits = wanted.allow[group]![world].copy();
    for (const scope of scopes) bits.or(deny[scope]!);
    return bits;
  });
  const allow = ground.scopes.map(({ groups }, scope) => {
    const bits = carries(scope) ? Bits.all(size) : new Bits(size);
    for (const group of groups) bits.and(covered[group]!);
    return wholeDomains(bits, clients);
  });
  return { allow, deny };
}

/** The rest of a trust domain can only be named with everybody in it. */
function wholeDomains(bits: Bits, { trustDomains }: Clients): Bits {
  for (const { rest, members } of trustDomains)
    if (bits.has(rest) && members.some((id) => !bits.has(id))) bits.delete(rest);
  return bits;
}
