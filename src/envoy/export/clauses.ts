import type { Governed, Governing, World } from '../../pdp/governing.ts';
import { pushTo } from '../../pdp/model/lists.ts';
import { type Effect, effectOf, type Tier } from '../../pdp/model/rule.ts';
import { all, any, assuming, type Expression, isAny, isNot, not } from './expression.ts';
import { exportLimits } from './limits.ts';
import { refused } from './refused.ts';

/** A rule of one world as it is to be rendered: of the clauses that hold, the one of the lowest tier decides. */
export interface Clause {
  readonly tier: Tier;
  readonly rank: number;
  /** What Envoy reports when it decides: the KRI. */
  readonly name: string;
  readonly when: Expression;
  /** In one world only: never merged with others, so that its name is seen. */
  readonly shadowy: boolean;
  readonly governed: Governed;
}

/** What a rule's conditions come to, as far as the peer and the request show. */
export type Meaning = (governed: Governed, effect: Effect) => Expression;

/** By rank, and without what matches nothing. */
export function clausesOf(governing: Governing, world: World, meaning: Meaning): readonly Clause[] {
  const clauses: Clause[] = [];
  const lists = new Map<string, Clause[]>();
  for (const governed of governing.entries) {
    const { tier, worlds, rank, rule, list } = governed;
    if (!worlds.includes(world)) continue;
    const when = meaning(governed, effectOf(tier));
    if (when === false) continue;
    const shadowy = worlds.length === 1;
    const clause = { tier, rank, name: rule.origin.kri, when, shadowy, governed };
    if (list === undefined) clauses.push(clause);
    else {
      pushTo(lists, list.id, clause);
    }
  }
  /** When it is known that it matches. */
  const surely = ({ governed }: Clause) => governed.open.length === 0 && meaning(governed, 'allow');
  for (const items of lists.values()) clauses.push(...winners(items, surely));
  return clauses.sort((a, b) => a.rank - b.rank);
}

/**
 * Of an ordered list only the strongest matching item counts (LST1): each item without the stronger ones that decide
 * in another tier, of which defaults take away from a ban only where it is known that they match. Stronger ones of the
 * same tier take nothing away from it, and so there are no 2^n combinations.
 */
function winners(items: Clause[], surely: (item: Clause) => Expression): readonly Clause[] {
  items.sort(
    (a, b) => (b.governed.list?.strength ?? 0) - (a.governed.list?.strength ?? 0) || a.rank - b.rank,
  );
  const won: Clause[] = [];
  const stronger: Clause[] = [];
  let [tier, without, excluded]: [Tier | undefined, Expression, number] = [undefined, true, 0];
  for (const item of items) {
    if (item.tier !== tier) {
      tier = item.tier;
      const others = stronger.filter((other) => other.tier !== item.tier);
      const isBan = item.tier === 2;
      without = not(any(others.map((other) => (isBan && other.tier === 4 ? surely(other) : other.when))));
    }
    excluded += isNot(without) && isAny(without.not) ? without.not.any.length : 1;
    if (excluded > exportLimits.excluded) throw refused('too-large', tooManyItems(items.length));
    const when = all([item.when, assuming(without, item.when)]);
    if (when !== false) won.push({ ...item, when });
    stronger.push(item);
  }
  return won;
}

function tooManyItems(count: number): string {
  return `got an ordered list of ${count} items whose effects alternate, want one that comes to at most ${exportLimits.excluded} exceptions`;
}
