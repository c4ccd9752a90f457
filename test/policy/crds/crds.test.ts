import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { structural } from '../../../src/policy/crds/structural.ts';
import { withValidations } from '../../../src/policy/crds/validations.ts';
import { crdFiles } from '../../../tools/crds-files.ts';

const folder = 'deploy/crds';
const files = crdFiles();

type Json = { readonly [key: string]: unknown };
interface Definition {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly kind: string; readonly plural: string; readonly shortNames?: string[] };
    readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: Json } }[];
  };
}
const definitions = [...files.values()].map((text) => parse(text) as Definition);
const named = (name: string) => definitions.find(({ metadata }) => metadata.name === name)!;
const schemaOf = ({ spec }: Definition) => spec.versions[0]!.schema.openAPIV3Schema;

test('[CRD1] what lies in deploy/crds is what `npm run crds` writes', () => {
  const there = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.yaml'),
  );
  expect(there.sort()).toEqual([...files.keys()].sort());
  for (const [file, text] of files)
    expect(readFileSync(`${folder}/${file}`, 'utf8'), `${file}: run npm run crds`).toBe(text);
});

test('[CRD1] our kinds stand by themselves, those of others in folders', () => {
  const kinds = [...files].map(([file, text]) => [
    file.includes('/') ? file.slice(0, file.indexOf('/')) : '',
    (parse(text) as Definition).spec.group,
  ]);
  expect(new Set(kinds.map((pair) => pair.join(' ')))).toEqual(
    new Set([' placet.dev', 'kuma kuma.io', 'clusterlink clusterlink.net']),
  );
  expect(named('accesspolicies.clusterlink.net').spec.scope).toBe('Namespaced');
  expect(named('privilegedaccesspolicies.placet.dev').spec.scope).toBe('Cluster');
});

test('[CRD1] no two kinds are called the same in one cluster', () => {
  const names = definitions.flatMap(({ spec }) => spec.names.shortNames ?? []);
  expect(names.length).toBeGreaterThan(20);
  expect(new Set(names).size).toBe(names.length);
});

/** Kubernetes' rules for structural schemas, part by part. */
function faults(schema: Json, at: string): string[] {
  const found: string[] = [];
  const free = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const either = schema['x-kubernetes-int-or-string'] === true;
  if (typeof schema['type'] !== 'string' && !free && !either) found.push(`${at}: has no type`);
  for (const keyword of ['$ref', 'anyOf', 'oneOf', 'not', 'const', 'propertyNames', 'uniqueItems'])
    if (schema[keyword] !== undefined) found.push(`${at}: has ${keyword}`);
  if (typeof schema['additionalProperties'] === 'boolean') found.push(`${at}: forbids or allows all fields`);
  if (schema['properties'] !== undefined && schema['additionalProperties'] !== undefined)
    found.push(`${at}: names fields and others`);
  for (const [name, field] of Object.entries((schema['properties'] ?? {}) as Json))
    found.push(...faults(field as Json, `${at}.${name}`));
  for (const below of ['items', 'additionalProperties'])
    if (schema[below] !== undefined) found.push(...faults(schema[below] as Json, `${at}[]`));
  return found;
}

test('[CRD2] every schema is structural', () => {
  expect(definitions.flatMap((one) => faults(schemaOf(one), one.metadata.name))).toEqual([]);
});

/** Parts of which everything is kept, since only Placet can say what may stand there. */
function free(schema: Json, at: string): string[] {
  const below = Object.entries((schema['properties'] ?? {}) as Json).flatMap(([name, field]) =>
    free(field as Json, `${at}.${name}`),
  );
  for (const part of ['items', 'additionalProperties'])
    if (schema[part] !== undefined) below.push(...free(schema[part] as Json, `${at}[]`));
  return schema['x-kubernetes-preserve-unknown-fields'] === true ? [at, ...below] : below;
}

test('[CRD2] of our own kinds unknown fields are kept only where others, or either of two types, are read', () => {
  const ours = definitions.filter(({ spec }) => spec.group === 'placet.dev');
  const kept = ours.flatMap((one) => free(schemaOf(one), one.spec.names.kind));
  expect(kept.filter((at) => !/^(Mesh|Dataplane)\./.test(at))).toEqual([
    'Site.spec.trustDomains[]',
    'Zone.spec',
  ]);
});

describe('[CRD2] a JSON Schema as a structural one', () => {
  test.each([
    [
      { type: 'string', minLength: 1, $schema: 'x' },
      { type: 'string', minLength: 1 },
    ],
    [
      { type: 'object', propertyNames: { type: 'string' }, additionalProperties: { type: 'string' } },
      { type: 'object', additionalProperties: { type: 'string', nullable: true } },
    ],
    [
      { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false, required: ['a'] },
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
    ],
    [
      { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: {} },
      {
        type: 'object',
        properties: { a: { type: 'string', nullable: true } },
        'x-kubernetes-preserve-unknown-fields': true,
      },
    ],
    [
      { anyOf: [{ type: 'string' }, { type: 'integer' }], description: 'd' },
      { description: 'd', 'x-kubernetes-int-or-string': true },
    ],
    [{ anyOf: [{ type: 'string' }, { type: 'object' }] }, { 'x-kubernetes-preserve-unknown-fields': true }],
    [{ description: 'd' }, { description: 'd', 'x-kubernetes-preserve-unknown-fields': true }],
  ])('%j', (schema, expected) => expect(structural(schema)).toEqual(expected));

  test('what it has no word for is not left out in silence', () => {
    expect(() => structural({ type: 'string', contentEncoding: 'base64' })).toThrow('contentEncoding');
    expect(() => withValidations({ type: 'object' }, [{ at: 'a', rule: 'true', message: 'm' }])).toThrow(
      '"a"',
    );
  });
});
