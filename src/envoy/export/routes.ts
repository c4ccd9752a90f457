import type { Governing } from '../../pdp/governing.ts';
import { effectOf, keys, type Rule } from '../../pdp/model/rule.ts';
import { byText } from '../../pdp/model/text.ts';

/** A route whose policies are others than those of its inbound. */
export interface Routed {
  readonly route: string;
  readonly governing: Governing;
}

/** Routes that rules name: each has what governs it, since Envoy puts a route's configuration in place of all else. */
export class Routes {
  /** A route that no rule names. */
  readonly other: string;
  readonly #named: readonly string[];

  constructor(rules: readonly Rule[]) {
    const named = new Set<string>();
    for (const { when } of rules)
      for (const { side, key, values } of when)
        if (side === 'destination' && key === keys.route) for (const { value } of values) named.add(value);
    this.#named = [...named].sort(byText);
    let other = 'other';
    while (named.has(other)) other += '-';
    this.other = other;
  }

  /** Routes whose own allows are left out where no route is known. */
  unheard(governs: (route: string) => Governing, inbound: Governing): readonly string[] {
    return this.#named.filter((route) => allowsMore(governs(route), inbound));
  }

  of(governs: (route: string) => Governing, inbound: Governing): readonly Routed[] {
    const found: Routed[] = [];
    for (const route of this.#named) {
      const governing = governs(route);
      if (!alike(governing, inbound)) found.push({ route, governing });
    }
    return found;
  }
}

/** Whether a route lets somebody in whom the inbound alone does not. */
function allowsMore(route: Governing, inbound: Governing): boolean {
  const known = new Set(inbound.entries.map(({ rank }) => rank));
  return route.entries.some(({ rank, tier }) => effectOf(tier) === 'allow' && !known.has(rank));
}

function alike(one: Governing, other: Governing): boolean {
  if (one.entries.length !== other.entries.length) return false;
  if (one.readsPaths.join() !== other.readsPaths.join()) return false;
  return one.entries.every(({ rank }, i) => rank === other.entries[i]?.rank);
}
