import { z } from 'zod';
import { limits } from '../../pdp/model/limits.ts';
import type { PolicyKind } from '../targets/policy-kind.ts';
import { olderFields } from './described.ts';
import { core, ignoredKinds, kumaKinds } from './groups.ts';
import { labelNames } from './head.ts';
import type { Kind, Reading } from './kind.ts';
import { servedMetadata } from './metadata.ts';
import { withDescribed } from './registry.ts';

/** The JSON Schemas for editors, one file a kind and one for all, out of the schemas that validate (SPEC DOC8). */

type Json = { readonly [key: string]: unknown };

/** The draft that editors for YAML know best. */
const draft = 'http://json-schema.org/draft-07/schema#';

/** `described`: the kinds that come with Placet as documents. */
export function publishedSchemas(described: readonly PolicyKind[]): ReadonlyMap<string, Json> {
  const files = new Map<string, Json>();
  for (const kind of withDescribed(described).values()) files.set(`${kind.file}.json`, schemaOf(kind));
  files.set('all.json', schemaOfAll([...files.keys()], new Set(described.map((kind) => kind.name))));
  return files;
}

function schemaOf(kind: Kind): Json {
  const definitions: Record<string, Json> = { labels };
  const shapes: Json[] = [];
  for (const reading of kind.readings) {
    const reference = define(kind, reading, definitions);
    if (reading === kind.readings[0]) shapes.push(...shortShapes(kind, definitions['spec']!));
    shapes.push(kubernetesShape(kind, reading, reference));
  }
  const description = definitions['spec']!['description'];
  return { $schema: draft, title: kind.name, description, anyOf: shapes, definitions };
}

/** A schema that two groups share is written once. */
function define(kind: Kind, reading: Reading, definitions: Record<string, Json>): Json {
  const first = kind.readings.find((one) => one.schema === reading.schema);
  const name = first === kind.readings[0] ? 'spec' : `spec-${reading.apiVersion.split('/')[0]}`;
  if (definitions[name] === undefined) {
    const { $schema: _, ...json } = z.toJSONSchema(reading.schema, { target: 'draft-7', io: 'input' });
    definitions[name] = json;
  }
  return { $ref: `#/definitions/${name}` };
}

const name: Json = {
  type: 'string',
  minLength: 1,
  maxLength: limits.nameBytes,
  pattern: '^[A-Za-z0-9._-]+$',
};
const anything: Json = {};
const strings: Json = { type: 'object', additionalProperties: { type: 'string' } };
const labels: Json = {
  type: 'object',
  properties: {
    [labelNames.effect]: { enum: ['shadow'], description: 'The policy is never enforced, only reported.' },
    [labelNames.origin]: { enum: ['global', 'zone'] },
  },
  additionalProperties: { type: 'string' },
};
const labelsReference: Json = { $ref: '#/definitions/labels' };

function served(): Json {
  return {
    $schema: anything,
    status: anything,
    creationTime: anything,
    modificationTime: anything,
    kri: anything,
  };
}

/** With the fields under `spec`, and with the fields beside the name. */
function shortShapes(kind: Kind, spec: Json): readonly Json[] {
  const head = {
    type: { const: kind.name },
    name,
    ...(kind.mesh ? { mesh: name } : {}),
    ...(kind.namespace === 'none' ? {} : { namespace: name }),
    labels: labelsReference,
    annotations: strings,
    ...served(),
  };
  const required = (spec['required'] as readonly string[] | undefined) ?? [];
  const fields = Object.keys((spec['properties'] as Json | undefined) ?? {});
  const references = fields.map((field) => [field, { $ref: `#/definitions/spec/properties/${field}` }]);
  return [
    strict({ ...head, spec: { $ref: '#/definitions/spec' } }, ['type', 'name', 'spec']),
    {
      ...strict({ ...Object.fromEntries(references), ...head }, ['type', 'name', ...required]),
      additionalProperties: spec['additionalProperties'] ?? true,
    },
  ];
}

function kubernetesShape(kind: Kind, reading: Reading, spec: Json): Json {
  const metadata = {
    type: 'object',
    properties: {
      ...Object.fromEntries(servedMetadata.map((field) => [field, anything])),
      name,
      namespace: kind.namespace === 'none' ? false : name,
      labels: labelsReference,
      annotations: strings,
    },
    required: ['name'],
    additionalProperties: false,
  };
  const head = { apiVersion: { const: reading.apiVersion }, kind: { const: kind.name }, metadata };
  const required = ['apiVersion', 'kind', 'metadata'];
  if (reading.metadataOnly === true) return { type: 'object', properties: head, required };
  const mesh = kind.mesh ? { mesh: name } : {};
  return strict({ ...head, ...mesh, spec, ...served() }, required);
}

function strict(properties: Json, required: readonly string[]): Json {
  return { type: 'object', properties, required, additionalProperties: false };
}

function schemaOfAll(files: readonly string[], described: ReadonlySet<string>): Json {
  const others = (names: readonly string[]) => names.filter((name) => !described.has(name));
  const ignored = [...ignoredKinds].map(([apiVersion, names]) =>
    foreign({ apiVersion: { const: apiVersion }, kind: { enum: others(names) } }),
  );
  const kubernetes = foreign({
    apiVersion: {
      type: 'string',
      pattern: '^((apps|autoscaling|batch|extensions|policy)|[^/]+\\.k8s\\.io)/',
    },
    kind: { type: 'string' },
  });
  const list = foreign({
    apiVersion: { const: core },
    kind: { const: 'List' },
    items: { type: 'array', items: { $ref: '#' } },
  });
  return {
    $schema: draft,
    title: 'Placet documents',
    description: 'Any document that Placet reads, or knows and ignores.',
    anyOf: [
      ...files.map((file) => ({ $ref: file })),
      foreign({ type: { enum: others(kumaKinds) } }),
      ...older([...described]),
      ...ignored,
      kubernetes,
      list,
    ],
  };
}

function foreign(properties: Json): Json {
  return { type: 'object', properties, required: Object.keys(properties) };
}

/** Kinds of the same names in Kuma's older form are ignored. */
function older(names: readonly string[]): readonly Json[] {
  const body = { anyOf: olderFields.map((field) => ({ required: [field] })) };
  return [
    { ...foreign({ type: { enum: names } }), ...body },
    foreign({ kind: { enum: names }, spec: { type: 'object', ...body } }),
  ];
}
