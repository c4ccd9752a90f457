import { createEngine } from '../../pdp/engine.ts';
import { certificateChannel, certifiedTags } from '../../pdp/model/certified.ts';
import type { Decision } from '../../pdp/model/decision.ts';
import type { Inventory } from '../../pdp/model/inventory.ts';
import type { RequestSource } from '../../pdp/model/request.ts';
import type { Rule, Tier } from '../../pdp/model/rule.ts';
import type { Clients, TagSource } from './clients.ts';
import type { Group } from './ground.ts';

/**
 * What the other policies of a set say at an inbound, tag permissions aside: those of the SPIFFE form come to life
 * with the certificates, and access policies may see more of an ID than of tags. It is asked with what a certificate says by
 * itself: what it does not say is unknown, and a deny holds there (SPEC MIG5).
 */

export interface Verdicts {
  /** The tier that decides, by source and by ID; `none` where no rule matches. */
  readonly before: { readonly enforced: Int8Array; readonly shadow: Int8Array };
  readonly after: { readonly enforced: Int8Array; readonly shadow: Int8Array };
  /** Whether a rule reads more of a request than who asks; what is said here then holds for `GET /` alone. */
  readonly readsRequests: boolean;
}

export const none = 5;

export class Others {
  readonly #clients: Clients;
  readonly #decide: (source: RequestSource, group: Group) => Decision;
  readonly #privileged = new Set<string>();

  constructor(rules: readonly Rule[], inventory: Inventory, clients: Clients) {
    const others = rules.filter(({ list }) => list === undefined);
    const engine = createEngine(others, inventory, '');
    this.#clients = clients;
    for (const { origin } of others)
      if (origin.kind === 'PrivilegedAccessPolicy') this.#privileged.add(origin.kri);
    this.#decide = (source, { inbounds }) => {
      const { dataplane, inbound } = inbounds[0]!;
      const destination = { mesh: dataplane.mesh, dataplane: dataplane.name, inbound: inbound.port };
      const request = { source, destination, request: { method: 'GET', path: '/' } };
      return engine.decide(request, certificateChannel);
    };
  }

  /** Undefined where nobody else governs the group. */
  at(group: Group): Verdicts | undefined {
    if (group.others.length === 0) return undefined;
    const { sources, ids } = this.#clients;
    const before = sources.map((source) => this.#tiers(this.#decide(ofTags(source), group)));
    const after = ids.map((spiffeId) => this.#tiers(this.#decide({ spiffeId }, group)));
    return {
      before: columns(before),
      after: columns(after),
      readsRequests: group.others.some(({ when }) => when.some(({ side }) => side === 'request')),
    };
  }

  /** What others say of one source before; undefined where nobody else governs the group. */
  tierOf(source: TagSource, group: Group, world: 'enforced' | 'shadow'): number | undefined {
    if (group.others.length === 0) return undefined;
    const [enforced, shadow] = this.#tiers(this.#decide(ofTags(source), group));
    return world === 'enforced' ? enforced : shadow;
  }

  #tiers({ tier, reason, shadow, shadowBy }: Decision): readonly [Tier | typeof none, Tier | typeof none] {
    // A guard denies whatever anybody says.
    if (tier === null && reason !== 'default') return [0, 0];
    const isPrivileged = shadowBy !== null && this.#privileged.has(shadowBy.kri);
    const deny = isPrivileged ? 0 : 2;
    const allow = isPrivileged ? 1 : 3;
    return [tier ?? none, shadowBy === null ? none : shadow === 'allow' ? allow : deny];
  }
}

function ofTags({ mesh, tags }: TagSource): RequestSource {
  return certifiedTags({ mesh, tags: Object.fromEntries(tags) });
}

function columns(rows: readonly (readonly [number, number])[]): { enforced: Int8Array; shadow: Int8Array } {
  return {
    enforced: Int8Array.from(rows, ([enforced]) => enforced),
    shadow: Int8Array.from(rows, ([, shadow]) => shadow),
  };
}
