import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readPaths, shippedKinds } from '../../../src/policy/files.ts';
import { descriptionsIn } from '../../../src/policy/kinds/descriptions.ts';
import { publishedSchemas } from '../../../src/policy/kinds/publish.ts';
import { withDescribed } from '../../../src/policy/kinds/registry.ts';
import { load } from '../../../src/policy/load.ts';
import { parseText } from '../../../src/policy/text/parse.ts';
import { digest, fixture, loadValues } from '../loading.ts';
import { accepts } from './json-schema.ts';

const folder = 'policies/schema';
const described = [...descriptionsIn(shippedKinds(), []).values()];
const schemas = publishedSchemas(described);
const kinds = withDescribed(described);

test('[DOC8] what lies in policies/schema is what `npm run schemas` writes', () => {
  expect(readdirSync(folder).sort()).toEqual([...schemas.keys()].sort());
  for (const [file, schema] of schemas)
    expect(JSON.parse(readFileSync(join(folder, file), 'utf8')), `${file}: run npm run schemas`).toEqual(
      schema,
    );
});

/** The kind of a document in either shape. */
function fileOf(value: unknown): string | undefined {
  const { kind, type } = value as { kind?: string; type?: string };
  const found = kinds.get(kind ?? type ?? '');
  return found && `${found.file}.json`;
}

const good = [
  ...readPaths(['policies']).documents.map((document) => document.value),
  ...parseText(fixture('good/shapes.yaml')).documents.map((document) => document.value),
];

test('[DOC8] the JSON Schemas accept what loads, in both shapes', () => {
  expect(good.length).toBeGreaterThan(50);
  for (const value of good) {
    if ((value as { $schema?: string }).$schema !== undefined) continue;
    expect(loadValues(value).violations).toEqual([]);
    const file = fileOf(value);
    if (file !== undefined) expect(accepts(schemas, file, value), JSON.stringify(value)).toBe(true);
    expect(accepts(schemas, 'all.json', value), JSON.stringify(value)).toBe(true);
  }
});

const targeted = (name: string) =>
  parseText(readFileSync(join('test/policy/targets/fixtures', `${name}.yaml`), 'utf8')).documents;
const structuralIn = (value: unknown) =>
  load([{ value, place: () => undefined }], digest, shippedKinds()).violations.filter(
    (one) => structural.has(one.code) && !isBetweenFields(one.message),
  );

test('[DOC8] [REF8] the JSON Schemas of described kinds accept what loads', () => {
  for (const { value } of targeted('good')) {
    expect(structuralIn(value)).toEqual([]);
    const file = fileOf(value);
    const isOlder = (value as { sources?: unknown }).sources !== undefined;
    if (file !== undefined && !isOlder)
      expect(accepts(schemas, file, value), JSON.stringify(value)).toBe(true);
    expect(accepts(schemas, 'all.json', value), JSON.stringify(value)).toBe(true);
  }
});

test.each(['target-refs', 'forms'])('[DOC8] [REF8] they refuse what is wrong in shape: %s', (name) => {
  let refused = 0;
  for (const { value } of targeted(name)) {
    if (structuralIn(value).length === 0) continue;
    refused++;
    expect(accepts(schemas, 'all.json', value), JSON.stringify(value)).toBe(false);
  }
  expect(refused).toBeGreaterThan(3);
});

/** What JSON Schema says no to by itself; identities, paths and names are checked by the code alone. */
const structural = new Set(['missing', 'type', 'unknown-field', 'unknown-kind']);

test.each(['envelope', 'matchers', 'targets', 'tag-form', 'access-policy', 'things'])(
  '[DOC8] the JSON Schemas refuse what is wrong in shape: %s',
  (name) => {
    let refused = 0;
    for (const { value } of parseText(fixture(`bad/${name}.yaml`)).documents) {
      const { violations } = loadValues(value);
      const all = violations.filter((one) => structural.has(one.code) && !isBetweenFields(one.message));
      if (all.length === 0) continue;
      refused++;
      expect(accepts(schemas, 'all.json', value), JSON.stringify(value)).toBe(false);
    }
    expect(refused).toBeGreaterThan(0);
  },
);

/** A field that another field makes necessary, and choices between fields. */
function isBetweenFields(message: string): boolean {
  return / beside | none of |want "Mesh" or "Dataplane"|name of the service/.test(message);
}

test('[DOC8] every field has a description, or the object that it holds has', () => {
  const missing: string[] = [];
  for (const [file, schema] of schemas)
    for (const [field, value] of Object.entries(
      (schema['definitions'] as Fields | undefined)?.['spec']?.properties ?? {},
    ))
      if (value.description === undefined) missing.push(`${file}: ${field}`);
  expect(missing).toEqual([]);
});

type Fields = Record<string, { properties?: Record<string, { description?: string }> }>;
