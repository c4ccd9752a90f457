import { z } from 'zod';
import { core, placet } from '../kinds/groups.ts';
import type { Kind, Kinds, Reading } from '../kinds/kind.ts';
import { columnsOf, shortNamesOf } from './columns.ts';
import { resourceOf, resourcesOf } from './resources.ts';
import { type Json, kept, structural } from './structural.ts';
import { mostExpressions, validationsOf, withValidations } from './validations.ts';

/** CustomResourceDefinitions out of the schemas that validate documents (SPEC CRD1). */

/** By the API version, then by the name of the kind's file. */
export function definitionsOf(kinds: Kinds): ReadonlyMap<string, ReadonlyMap<string, Json>> {
  const named = new Set(resourcesOf(kinds).map(({ apiVersion, kind }) => `${apiVersion} ${kind}`));
  const all = new Map<string, Map<string, Json>>();
  for (const kind of kinds.values())
    for (const reading of kind.readings) {
      if (reading.apiVersion === core || !named.has(`${reading.apiVersion} ${kind.name}`)) continue;
      const ofGroup = all.get(reading.apiVersion) ?? new Map<string, Json>();
      all.set(reading.apiVersion, ofGroup.set(kind.file, definitionOf(kind, reading)));
    }
  return all;
}

function definitionOf(kind: Kind, reading: Reading): Json {
  const { plural, namespaced } = resourceOf(kind, reading);
  const [group, version] = reading.apiVersion.split('/') as [string, string];
  const short = shortNamesOf(kind, reading.apiVersion);
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: {
        kind: kind.name,
        listKind: `${kind.name}List`,
        plural,
        singular: kind.name.toLowerCase(),
        categories: [group.split('.')[0]],
        ...(short.length === 0 ? {} : { shortNames: short }),
      },
      scope: namespaced ? 'Namespaced' : 'Cluster',
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schemaOf(kind, reading) },
          subresources: { status: {} },
          additionalPrinterColumns: columnsOf(kind),
        },
      ],
    },
  };
}

const text: Json = { type: 'string' };

/** Placet writes none: whoever does finds the usual form. */
const status: Json = {
  type: 'object',
  properties: {
    observedGeneration: { type: 'integer', format: 'int64' },
    conditions: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      items: {
        type: 'object',
        required: ['type', 'status', 'reason', 'lastTransitionTime'],
        properties: {
          type: text,
          status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
          reason: text,
          message: text,
          lastTransitionTime: { type: 'string', format: 'date-time' },
          observedGeneration: { type: 'integer', format: 'int64' },
        },
      },
    },
  },
};

function schemaOf(kind: Kind, reading: Reading): Json {
  const { $schema: _, ...json } = z.toJSONSchema(reading.schema, { target: 'draft-7', io: 'input' });
  const spec = withValidations(fitted(structural(json)), validationsOf(kind.name, kind.described));
  const needed = ((spec['required'] ?? []) as readonly string[]).length > 0;
  return {
    type: 'object',
    description: spec['description'],
    properties: {
      apiVersion: text,
      kind: text,
      metadata: { type: 'object' },
      ...(kind.mesh
        ? { mesh: { ...text, description: 'Its mesh; the label kuma.io/mesh says it too.' } }
        : {}),
      spec,
      status: reading.apiVersion === placet ? status : { type: 'object', ...kept },
    },
    ...(needed ? { required: ['spec'] } : {}),
  };
}

/** Lists and fields that rules look at have a bound and a type, without which the API server refuses the rules. */
function fitted(schema: Json): Json {
  return mapped(schema, (name, field) => {
    if (name === 'matchExpressions') return { ...field, maxItems: mostExpressions };
    if (name === 'workloadSets') return { type: 'array', items: text };
    return field;
  });
}

function mapped(schema: Json, change: (name: string, field: Json) => Json): Json {
  const { properties, items, additionalProperties } = schema;
  const below = (one: unknown): Json => mapped(one as Json, change);
  return {
    ...schema,
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties as Json).map(([name, field]) => [name, change(name, below(field))]),
          ),
        }),
    ...(items === undefined ? {} : { items: below(items) }),
    ...(additionalProperties === undefined ? {} : { additionalProperties: below(additionalProperties) }),
  };
}
