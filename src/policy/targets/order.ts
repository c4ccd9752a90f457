import { byText } from '../../pdp/model/text.ts';
import { displayName, type Head, kriOf, labelNames, ownNamespace, zoneOf } from '../kinds/head.ts';
import { rankedTop } from './explicit.ts';
import { type Role, roleOf, roles } from './role.ts';
import { rankOf } from './target-ref.ts';
import type { Form, Targeted } from './targeted.ts';

/** Which of several policies about one thing is the stronger one (SPEC NS6). */

/** Which of two names is the stronger one, where the Mesh document says. */
export type NameOrder = 'smaller-wins' | 'larger-wins';

/** What a policy is compared by, worked out once. */
export interface Strength {
  /** Rank of the kind, origin, role, form: the larger, the stronger. */
  readonly ranks: readonly number[];
  readonly names: NameOrder;
  readonly name: string;
  /** Namespace, zone, identifier. */
  readonly ties: readonly string[];
}

const roleRanks: ReadonlyMap<Role, number> = new Map(roles.map((role, rank) => [role, rank]));

const usual: Readonly<Record<Form, NameOrder>> = {
  'first-wins': 'larger-wins',
  'later-overrides': 'smaller-wins',
};

export function strengthOf(policy: Targeted, names?: NameOrder): Strength {
  const { head, form } = policy;
  return {
    ranks: [
      rankOf(rankedTop(policy)),
      originRank(head),
      roleRanks.get(roleOf(policy))!,
      form === 'first-wins' ? 0 : 1,
    ],
    names: names ?? usual[form],
    name: displayName(head),
    ties: [ownNamespace(head), zoneOf(head), kriOf(head)],
  };
}

function originRank(head: Head): number {
  const origin = head.labels[labelNames.origin];
  if (origin === 'global') return 0;
  return origin === 'zone' ? 2 : 1;
}

/** The weaker first, of policies whose names have one order. */
export function compareStrengths(a: Strength, b: Strength): number {
  for (const [at, rank] of a.ranks.entries()) if (rank !== b.ranks[at]) return rank - b.ranks[at]!;
  const names = byText(a.name, b.name);
  if (names !== 0) return a.names === 'smaller-wins' ? -names : names;
  for (const [at, text] of a.ties.entries()) if (text !== b.ties[at]) return byText(text, b.ties[at]!);
  return 0;
}

/**
 * The weaker first, mesh by mesh: what is of two meshes is never about one thing, and by the names' order of the one or
 * of the other there would be no order of all. `order`: what the document of a mesh says of names.
 */
export function byStrength(
  order: (mesh: string) => NameOrder | undefined,
): (a: Targeted, b: Targeted) => number {
  const known = new WeakMap<Targeted, Strength>();
  const of = (policy: Targeted): Strength => {
    const found = known.get(policy) ?? strengthOf(policy, order(policy.head.mesh));
    known.set(policy, found);
    return found;
  };
  return (a, b) => byText(a.head.mesh, b.head.mesh) || compareStrengths(of(a), of(b));
}
