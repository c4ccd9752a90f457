import { Bits } from './bits.ts';
import type { Clients, TrustDomain } from './clients.ts';
import type { Ground } from './ground.ts';
import type { Matching } from './matching.ts';
import { Patience } from './newcomer.ts';
import { none, type Verdicts } from './others.ts';
import { nobody, type Row, rowOf, type Winners } from './winners.ts';
import type { World } from './world.ts';

/** All that a comparison of one mesh reads. Kinds of clients are columns: there are as many turns as kinds and groups. */
export interface Setting {
  readonly ground: Ground;
  readonly row: Row;
  readonly matching: Matching;
  readonly clients: Clients;
  readonly columns: Columns;
  /** Trust domains of which others than clients of their meshes are known to have IDs. */
  readonly strange: ReadonlySet<TrustDomain>;
  readonly patience: Patience;
}

/** By kind; -1 for what there is not. */
export interface Columns {
  readonly source: Int32Array;
  readonly id: Int32Array;
  /** The ID, or of an unknown one the rest of its trust domain. */
  readonly after: Int32Array;
  /** How many clients are of the kind. */
  readonly count: Int32Array;
}

export function settingOf(ground: Ground, clients: Clients, matching: Matching): Setting {
  const { kinds, sources, trustDomains } = clients;
  const rests = new Map(trustDomains.map(({ name, rest }) => [name, rest]));
  const columns = {
    source: Int32Array.from(kinds, ({ source }) => source ?? -1),
    id: Int32Array.from(kinds, ({ id }) => id ?? -1),
    after: Int32Array.from(kinds, ({ id, trustDomain }) => id ?? rests.get(trustDomain ?? '') ?? -1),
    count: Int32Array.from(kinds, ({ dataplanes, workloads }) => dataplanes.length + workloads.length),
  };
  const strange = trustDomains.filter(({ meshes, members }) => {
    const inside = Bits.of(clients.ids.length, members);
    return kinds.some(
      ({ source, id }) =>
        id !== undefined && inside.has(id) && (source === undefined || !meshes.has(sources[source]!.mesh)),
    );
  });
  const row = rowOf(ground);
  return { ground, row, matching, clients, columns, strange: new Set(strange), patience: new Patience() };
}

/** Which sources a group lets in now; who carries no certificate of a mesh is let in nowhere. */
export function letInBefore(
  { row, matching }: Setting,
  winners: Winners,
  verdict: Verdicts | undefined,
  world: World,
): Uint8Array {
  const found = new Uint8Array(matching.count);
  const winner = winners[world];
  const tiers = row.tiers[world];
  for (let source = 0; source < found.length; source++) {
    const number = winner[source]!;
    let tier = number === nobody ? none : tiers[number]!;
    if (verdict !== undefined) tier = Math.min(tier, verdict.before[world][source]!);
    found[source] = tier === 1 || tier === 3 ? 1 : 0;
  }
  return found;
}
