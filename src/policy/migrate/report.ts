import { pushTo } from '../../pdp/model/lists.ts';
import { byText } from '../../pdp/model/text.ts';
import type { Witness } from './beyond.ts';
import type { Clients, Kind, TagSource } from './clients.ts';
import type { Change, Example, Tally, Why } from './compare.ts';
import type { Group } from './ground.ts';
import type { MeshPlan, Plan, PolicyPlan, Status } from './outcome.ts';
import type { World } from './world.ts';

/** A plan as people and programs read it: counted, with a few examples (SPEC MIG9). */

export type Tags = Readonly<Record<string, string | readonly string[]>>;

/** A client of the inventory at an inbound of it, and the verdict that changes. */
export interface ExampleReport {
  readonly world: World;
  readonly change: Change;
  readonly client: string;
  /** Null: it carries no certificate of a mesh. */
  readonly tags: Tags | null;
  /** Null: nobody knows what it will carry. */
  readonly spiffeId: string | null;
  /** What of an unknown ID is not known. */
  readonly reason?: string;
  readonly why: Why;
  readonly inbound: InboundName;
}

/** A client that the inventory does not have: what it could carry now, and what then. */
export interface WitnessReport {
  readonly world: World;
  readonly change: Change;
  readonly before: { readonly mesh: string; readonly tags: Tags };
  /** `isNew`: nobody has the ID yet. */
  readonly after: { readonly spiffeId: string; readonly isNew: boolean };
  readonly inbound: InboundName;
}

export interface InboundName {
  readonly mesh: string;
  readonly dataplane: string;
  readonly inbound: number;
}

export interface PolicyReport {
  readonly policy: string;
  readonly kri: string;
  readonly status: Status;
  readonly written: boolean;
  readonly enforced: Tally;
  readonly shadow: Tally;
  readonly reasons: readonly string[];
  readonly examples: readonly ExampleReport[];
  /** Clients to come: null where nothing was compared. */
  readonly beyond: { readonly settled: boolean; readonly witnesses: readonly WitnessReport[] } | null;
  readonly documents: readonly unknown[];
}

export interface MeshReport {
  readonly mesh: string;
  readonly clients: number;
  readonly inbounds: number;
  readonly refused?: string;
  readonly policies: readonly PolicyReport[];
  /** Pairs that no item decides about. */
  readonly others: Pick<PolicyReport, 'enforced' | 'shadow' | 'examples'>;
}

export interface Report {
  readonly meshes: readonly MeshReport[];
  readonly unknown: readonly { readonly client: string; readonly reason: string }[];
  readonly shared: readonly { readonly spiffeId: string; readonly carriers: readonly string[] }[];
}

export function reportOf({ clients, meshes }: Plan): Report {
  return {
    meshes: meshes.map((mesh) => meshReport(mesh, clients)),
    unknown: clients.kinds
      .flatMap(({ reason, dataplanes }) =>
        reason === undefined
          ? []
          : dataplanes.map(({ mesh, name }) => ({ client: `${mesh}/${name}`, reason })),
      )
      .sort((a, b) => byText(a.client, b.client)),
    shared: sharedIn(clients),
  };
}

function meshReport({ ground, policies, nobody, refused }: MeshPlan, clients: Clients): MeshReport {
  const example = (one: Example) => exampleReport(one, clients, ground.groups[one.group]!);
  return {
    mesh: ground.mesh,
    clients: clients.kinds.reduce((sum, kind) => sum + carriersOf(kind).length, 0),
    inbounds: ground.groups.reduce((sum, { inbounds }) => sum + inbounds.length, 0),
    ...(refused === undefined ? {} : { refused }),
    policies: policies.map((policy) => ({
      policy: policy.info.name,
      kri: policy.info.kri,
      status: policy.status,
      written: policy.written,
      enforced: policy.tally.enforced,
      shadow: policy.tally.shadow,
      reasons: policy.reasons,
      examples: policy.tally.examples.map(example),
      beyond: beyondReport(policy, ground.groups),
      documents: policy.documents,
    })),
    others: { enforced: nobody.enforced, shadow: nobody.shadow, examples: nobody.examples.map(example) },
  };
}

function beyondReport({ beyond }: PolicyPlan, groups: readonly Group[]): PolicyReport['beyond'] {
  if (beyond === undefined) return null;
  const witnesses = beyond.witnesses.map((witness) => witnessReport(witness, groups[witness.group]!));
  return { settled: beyond.settled, witnesses };
}

function witnessReport({ world, change, source, spiffeId, isNew }: Witness, group: Group): WitnessReport {
  const before = { mesh: source.mesh, tags: tagsOf(source) };
  return { world, change, before, after: { spiffeId, isNew }, inbound: inboundOf(group) };
}

function exampleReport({ world, change, kind, why }: Example, clients: Clients, group: Group): ExampleReport {
  const source = kind.source === undefined ? undefined : clients.sources[kind.source];
  return {
    world,
    change,
    client: carriersOf(kind)[0]!,
    tags: source === undefined ? null : tagsOf(source),
    spiffeId: kind.id === undefined ? null : clients.ids[kind.id]!,
    ...(kind.reason === undefined ? {} : { reason: kind.reason }),
    why,
    inbound: inboundOf(group),
  };
}

function inboundOf({ inbounds }: Group): InboundName {
  const { dataplane, inbound } = inbounds[0]!;
  return { mesh: dataplane.mesh, dataplane: dataplane.name, inbound: inbound.port };
}

function tagsOf({ tags }: TagSource): Tags {
  const sorted = [...tags].sort(([a], [b]) => byText(a, b));
  return Object.fromEntries(sorted.map(([tag, values]) => [tag, values.length === 1 ? values[0]! : values]));
}

/** Dataplanes by mesh and name, workloads that are no dataplane's by namespace and name. */
function carriersOf({ dataplanes, workloads }: Kind): readonly string[] {
  return [
    ...dataplanes.map(({ mesh, name }) => `${mesh}/${name}`),
    ...workloads.map(({ namespace, name }) => `workload ${namespace}/${name}`),
  ];
}

/** IDs that tell less than tags do. */
function sharedIn({ kinds, ids }: Clients): Report['shared'] {
  const byId = new Map<number, Kind[]>();
  for (const kind of kinds) {
    if (kind.id === undefined) continue;
    pushTo(byId, kind.id, kind);
  }
  return [...byId]
    .filter(([, same]) => same.length > 1)
    .map(([id, same]) => ({ spiffeId: ids[id]!, carriers: same.map((kind) => carriersOf(kind)[0]!) }))
    .sort((a, b) => byText(a.spiffeId, b.spiffeId));
}
