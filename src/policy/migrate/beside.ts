import { type Governed, Governor } from '../../pdp/governing.ts';
import type { Rule } from '../../pdp/model/rule.ts';
import { denies, destinationConditions, type InboundOf } from '../lint/inventory.ts';
import type { Loaded } from '../load.ts';
import { type Inbounds, toldByRequests } from './inbounds.ts';

/** What governs inbounds beside permissions by tags, as decisions find it: also what is unknown there (SPEC DST3, DST4). */

export interface Likeness {
  /** The same for inbounds that all of it governs alike. */
  readonly likeness: string;
  readonly others: readonly Governed[];
}

const nothing: Likeness = { likeness: '', others: [] };

export class Beside {
  /** Inbounds of which only requests tell whether some rule, by tags or not, is for them. */
  readonly requestsTell: ReadonlySet<number>;
  readonly #governor: Governor;
  readonly #known = new Map<string, Likeness>();

  constructor({ rules, inventory }: Loaded, inbounds: Inbounds) {
    this.#governor = new Governor(
      rules.filter(({ list }) => list === undefined),
      inventory,
    );
    this.requestsTell = asRequestsTell(rules, inventory, inbounds);
  }

  at({ dataplane, inbound }: InboundOf): Likeness {
    const asked = { mesh: dataplane.mesh, dataplane: dataplane.name, inbound: inbound.port };
    const likeness = this.#governor.likeness(asked) as string;
    let known = this.#known.get(likeness);
    if (known === undefined) {
      const others = this.#governor.of(asked)?.entries ?? [];
      // Where nothing governs it is all the same why.
      known = others.length === 0 ? nothing : { likeness, others };
      this.#known.set(likeness, known);
    }
    return known;
  }
}

function asRequestsTell(
  rules: readonly Rule[],
  { meshes }: Loaded['inventory'],
  inbounds: Inbounds,
): ReadonlySet<number> {
  const found = new Set<number>();
  const seen = new Set<string>();
  for (const rule of rules) {
    const conditions = destinationConditions(rule);
    if (!conditions.some(({ key }) => toldByRequests.has(key))) continue;
    // Allows of access policies count where the Mesh says so.
    const counts = denies(rule) || rule.origin.kind === 'MeshTrafficPermission';
    const key = `${counts} ${JSON.stringify(conditions)}`;
    if (seen.has(key)) continue;
    seen.add(key);
    for (const number of inbounds.asRequestsTell(conditions)) {
      const { mesh } = inbounds.all[number]!.dataplane;
      if (counts || meshes.get(mesh)?.accessPolicies === 'full') found.add(number);
    }
  }
  return found;
}
