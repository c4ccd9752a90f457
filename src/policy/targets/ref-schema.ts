import { z } from 'zod';
import { oneOf, quote } from '../../pdp/model/words.ts';
import { choice, name, object, port, strings } from '../schema/fields.ts';
import { type Flaw, whole } from '../schema/flaw.ts';
import { spellings, type TargetKind } from './target-ref.ts';

/** The schema of a `targetRef` (SPEC REF1): which kinds depends on where it stands, which fields on the kind. */

export type Position = 'top' | 'to' | 'from';

type Field = 'name' | 'namespace' | 'mesh' | 'labels' | 'tags' | 'sectionName' | 'proxyTypes';

interface Fields {
  readonly may: readonly Field[];
  /** One of these is needed. */
  readonly needs?: readonly ('name' | 'labels')[];
}

const route: Fields = { may: ['name', 'namespace', 'labels'], needs: ['name', 'labels'] };

/** At the top a service is a tag of inbounds; in `to` it may be a resource too. */
const fieldsOf: Readonly<Record<TargetKind, (position: Position) => Fields>> = {
  Mesh: () => ({ may: ['proxyTypes'] }),
  MeshSubset: () => ({ may: ['tags', 'proxyTypes'] }),
  MeshGateway: () => ({ may: ['name', 'tags'], needs: ['name'] }),
  MeshService: (position) =>
    position === 'to'
      ? { may: ['name', 'namespace', 'labels', 'sectionName'], needs: ['name', 'labels'] }
      : { may: ['name'], needs: ['name'] },
  MeshServiceSubset: (position) => ({
    may: position === 'to' ? ['name', 'namespace', 'tags'] : ['name', 'tags'],
    needs: ['name'],
  }),
  MeshMultiZoneService: () => ({
    may: ['name', 'namespace', 'labels', 'sectionName'],
    needs: ['name', 'labels'],
  }),
  MeshExternalService: () => route,
  Dataplane: () => ({ may: ['name', 'namespace', 'labels', 'sectionName'] }),
  MeshGatewayRoute: () => ({ may: ['name'], needs: ['name'] }),
  MeshHTTPRoute: () => route,
  MeshTCPRoute: () => route,
};

const nouns: Readonly<Record<Position, string>> = {
  top: 'Which proxies the policy is for. Not given: all of the mesh, or of the namespace.',
  to: 'Which destinations.',
  from: 'Which clients. Not given: all of the mesh.',
};

const all: Readonly<Record<Field, z.ZodType>> = {
  name: name('The name.').optional(),
  namespace: name('The namespace of what is named. Not given: that of the policy.').optional(),
  mesh: name("The clients' mesh. Not given: the policy's.").optional(),
  labels: strings('Labels that it must have; several things may.').optional(),
  tags: strings('Tags that it must have; "!v" is any value but v.').optional(),
  sectionName: z
    .union([z.string().min(1), port('A port.')])
    .meta({ description: "An inbound's or a port's name, or its number." })
    .optional(),
  proxyTypes: z
    .array(choice(['Sidecar', 'Gateway'], 'A type of proxies.'))
    .meta({ description: 'Only proxies of these types. Not given or empty: all.' })
    .optional(),
};

/** `kinds`: those that have a meaning there, in their order; `types`: whether types of proxies may be asked for. */
export function targetRefSchema(position: Position, kinds: readonly TargetKind[], types = false) {
  const others = Object.keys(spellings).filter((spelling) => kinds.includes(spellings[spelling]!));
  const kind = choice([...kinds, ...others] as [string, ...string[]], 'The kind of what is meant.', {
    named: kinds,
  });
  const may = new Set(kinds.flatMap((one) => fieldsOf[one](position).may));
  if (position === 'from') may.add('mesh');
  if (!types) may.delete('proxyTypes');
  const fields = Object.fromEntries([...may].map((field) => [field, all[field]]));
  return object({ kind: position === 'to' ? kind : kind.optional(), ...fields }, nouns[position]).check(
    whole((value) => refFlaws(value as Written, position, kinds)),
  );
}

type Written = { readonly [key in Field | 'kind']?: unknown };

function refFlaws(value: Written, position: Position, kinds: readonly TargetKind[]): readonly Flaw[] {
  const written = (Object.keys(all) as Field[]).filter((field) => value[field] !== undefined);
  if (value.kind === undefined) return written.some(isOfKind) && position !== 'to' ? [kindMissing()] : [];
  if (typeof value.kind !== 'string') return [];
  const kind = Object.hasOwn(spellings, value.kind) ? spellings[value.kind]! : (value.kind as TargetKind);
  // A kind that is none here is refused by itself.
  if (!kinds.includes(kind)) return [];
  const { may, needs } = fieldsOf[kind](position);
  const flaws = written
    .filter((field) => isOfKind(field) && !may.includes(field))
    .map((field) => misplaced(field, value.kind as string, position, kinds));
  if (needs?.every((field) => value[field] === undefined))
    flaws.push({
      code: 'missing',
      message: `got nothing, want the ${oneOf(needs)} beside kind ${quote(value.kind)}`,
      path: ['name'],
    });
  if (value.name !== undefined && value.labels !== undefined && may.includes('labels'))
    flaws.push({
      code: 'conflict',
      message: 'got both "name" and "labels", want one of them',
      path: ['labels'],
    });
  if (value.namespace !== undefined && value.name === undefined && may.includes('namespace'))
    flaws.push({
      code: 'missing',
      message: 'got nothing, want the name beside the namespace',
      path: ['name'],
    });
  if (may.includes('tags')) flaws.push(...tagFlaws(value.tags));
  return flaws;
}

/** A mesh may stand beside every kind of clients, and beside none. */
function isOfKind(field: Field): boolean {
  return field !== 'mesh';
}

function kindMissing(): Flaw {
  return { code: 'missing', message: 'got nothing, want the kind beside the other fields', path: ['kind'] };
}

function misplaced(field: Field, kind: string, position: Position, kinds: readonly TargetKind[]): Flaw {
  const takers = kinds.filter((one) => fieldsOf[one](position).may.includes(field));
  const want = takers.length === 0 ? 'no such field' : `it beside kind ${oneOf(takers.map(quote))}`;
  return {
    code: 'conflict',
    message: `got "${field}" beside kind ${quote(kind)}, want ${want}`,
    path: [field],
  };
}

function tagFlaws(tags: unknown): readonly Flaw[] {
  if (typeof tags !== 'object' || tags === null) return [];
  return Object.entries(tags)
    .filter(([, wanted]) => wanted === '' || wanted === '!')
    .map(([tag, wanted]) => ({
      code: 'empty' as const,
      message: `got "${String(wanted)}", want a value of the tag, or "!" and a value`,
      path: ['tags', tag],
    }));
}
