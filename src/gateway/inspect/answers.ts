import { type Dataplane, findDataplane } from '../../pdp/model/inventory.ts';
import { nearest } from '../../pdp/model/text.ts';
import type { Violation } from '../../pdp/model/violation.ts';
import type { Document } from '../../policy/document.ts';
import { shippedKinds } from '../../policy/files.ts';
import { findInbound, inboundKri } from '../../policy/inspect/layout.ts';
import { outboundNames, viewProxy } from '../../policy/inspect/proxy.ts';
import { descriptionsIn } from '../../policy/kinds/descriptions.ts';
import type { Loaded } from '../../policy/load.ts';
import { Confs, type World } from '../../policy/merge/confs.ts';
import { type PolicyStatus, policyStatuses, toldOne } from './policies.ts';
import type { Answer, ProxyName, Question } from './questions.ts';

/** A sound set, as those who answer have it. */
export interface Asked {
  readonly documents: readonly Document[];
  readonly loaded: Loaded;
  /** What is wrong with documents of which the last good version is in the set. */
  readonly wrong?: readonly Violation[];
}

export function answer(question: Question, asked: Asked): Answer {
  switch (question.about) {
    case 'policies':
      return policies(question, asked);
    case 'policy':
      return policy(question.kri, asked);
    default:
      return proxy(question, asked);
  }
}

/** Of kinds that decide; those that configure are described. */
const deciding = ['AccessPolicy', 'PrivilegedAccessPolicy', 'MeshTrafficPermission'];

/**
 * Some of those that fit; only one alone is told with the names of all that it selects. A kind or a mesh that there is
 * none of is a slip of the pen, which an empty list would not tell from none of that.
 */
function policies({ where, from, most }: Extract<Question, { about: 'policies' }>, asked: Asked): Answer {
  const { loaded } = asked;
  const statuses = statusesOf(asked);
  const kinds = new Set([...deciding, ...loaded.kinds.keys()]);
  if (where.kind !== undefined && !kinds.has(where.kind)) {
    // A set that configures nothing has no descriptions of what does.
    for (const kind of descriptionsIn(shippedKinds(), []).keys()) kinds.add(kind);
    if (!kinds.has(where.kind)) return missing(`kind ${where.kind}`, where.kind, kinds);
  }
  const meshes = [...loaded.inventory.meshes.keys(), ...statuses.flatMap(({ mesh }) => mesh ?? [])];
  if (where.mesh !== undefined && !meshes.includes(where.mesh))
    return missing(`mesh ${where.mesh}`, where.mesh, meshes);
  const fields = ['kind', 'mesh', 'namespace'] as const;
  const fitting = statuses.filter((one) =>
    fields.every((field) => where[field] === undefined || where[field] === one[field]),
  );
  const told = fitting
    .slice(from, from + most)
    .map(({ selects: { inbounds, services, proxies }, ...one }) => ({
      ...one,
      selects: { inbounds: inbounds.count, services: services.count, proxies: proxies.count },
    }));
  return { found: true, value: { total: fitting.length, policies: told } };
}

function policy(kri: string, asked: Asked): Answer {
  const all = statusesOf(asked);
  const found = all.find((one) => one.kri === kri);
  if (found !== undefined) return { found: true, value: found };
  return missing(
    `policy ${kri}`,
    kri,
    all.map((one) => one.kri),
  );
}

type ProxyQuestion = Extract<Question, { readonly of: ProxyName }>;

function proxy(question: ProxyQuestion, { loaded }: Asked): Answer {
  const { mesh, name, shadow = false } = question.of;
  const { dataplanes, meshes } = loaded.inventory;
  const dataplane = findDataplane(loaded.inventory, mesh, name);
  if (dataplane === undefined) {
    if (!meshes.has(mesh)) return missing(`mesh ${mesh}`, mesh, meshes.keys());
    const known = [...dataplanes.values()].filter((one) => one.mesh === mesh);
    return missing(
      `dataplane ${name} in the mesh ${mesh}`,
      name,
      known.map((one) => one.name),
    );
  }
  const world = { ...loaded, shadow };
  const confs = confsOf(loaded, world);
  const view = viewProxy(world, confs, dataplane);
  switch (question.about) {
    case 'layout':
      return { found: true, value: view.layout };
    case 'proxy':
      return { found: true, value: view.policies() };
    case 'inbound': {
      const inbound = findInbound(dataplane, question.part);
      if (inbound === undefined)
        return missing(`inbound ${question.part} of ${name}`, question.part, inboundNames(dataplane));
      return { found: true, value: view.inbound(inbound) };
    }
    case 'outbound': {
      const known: string[] = [];
      const found = view.outbounds((one, name) => {
        const names = [...outboundNames(one), name];
        known.push(...names);
        return names.includes(question.part);
      });
      if (found.length === 0) return missing(`outbound ${question.part} of ${name}`, question.part, known);
      return {
        found: true,
        value: found.length === 1 ? { policies: found[0]!.policies } : { outbounds: found },
      };
    }
  }
}

function inboundNames(dataplane: Dataplane): readonly string[] {
  return dataplane.inbounds.flatMap((inbound) => [
    ...(inbound.name === undefined ? [] : [inbound.name]),
    String(inbound.port),
    inboundKri(dataplane, inbound),
  ]);
}

function missing(what: string, got: string, known: Iterable<string>): Answer {
  const near = nearest(got, known);
  return { found: false, missing: what, ...(near === undefined ? {} : { near }) };
}

/** Asked for a proxy after another: policies are put in order once for a set. */
const confs = new WeakMap<Loaded, Map<boolean, Confs>>();

function confsOf(loaded: Loaded, world: World): Confs {
  const known = confs.get(loaded) ?? new Map<boolean, Confs>();
  confs.set(loaded, known);
  const shadow = world.shadow === true;
  const found = known.get(shadow) ?? new Confs(world);
  known.set(shadow, found);
  return found;
}

const statuses = new WeakMap<Loaded, readonly PolicyStatus[]>();

function statusesOf({ loaded, documents, wrong = [] }: Asked): readonly PolicyStatus[] {
  const found = statuses.get(loaded) ?? policyStatuses(loaded, documents);
  statuses.set(loaded, found);
  if (wrong.length === 0) return found;
  const byFile = Map.groupBy(wrong, ({ place }) => place?.file);
  return found.map((one) => {
    const told = byFile.get(one.place?.file)?.map((violation) => toldOne('error', violation)) ?? [];
    return told.length === 0 ? one : { ...one, statuses: [...told, ...one.statuses] };
  });
}
