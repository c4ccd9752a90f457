import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatViolation } from '../../src/pdp/model/violation.ts';
import { parseText } from '../../src/policy/text/parse.ts';
import { fixture, loadValues } from './loading.ts';

const runs = { numRuns: 2_000, seed: 7 };

function check(value: unknown): void {
  const loaded = loadValues(value);
  for (const violation of loaded.violations) {
    const text = formatViolation(violation);
    expect(text).toMatch(/: (got|want)/);
    expect(text).not.toMatch(/Invalid|undefined|Unrecognized|Expected|\[object/);
  }
}

test('[DOC5] any value as a document gives rules or violations, and never throws', () => {
  fc.assert(fc.property(fc.jsonValue({ maxDepth: 6 }), check), runs);
});

const types =
  'MeshTrafficPermission AccessPolicy PrivilegedAccessPolicy Mesh Dataplane Service Workload Site'.split(' ');
const fields =
  'spec mesh namespace labels annotations targetRef default rules from to action inbounds networking attributes trustDomains attributeRules images containers status'.split(
    ' ',
  );

test('[DOC5] nor does a known kind with any values in its fields', () => {
  const document = fc
    .dictionary(fc.constantFrom(...fields), fc.jsonValue({ maxDepth: 4 }), { maxKeys: 6 })
    .chain((rest) => fc.constantFrom(...types).map((type) => ({ type, name: 'a', ...rest })));
  fc.assert(fc.property(document, check), runs);
});

/** All places in a value. */
function* places(value: unknown, path: (string | number)[] = []): Generator<(string | number)[]> {
  yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, entry] of Object.entries(value))
    yield* places(entry, [...path, Array.isArray(value) ? Number(key) : key]);
}

function replaced(value: unknown, path: readonly (string | number)[], by: unknown): unknown {
  if (path.length === 0) return by;
  const copy: Record<string | number, unknown> = Array.isArray(value)
    ? ([...value] as never)
    : { ...(value as object) };
  copy[path[0]!] = replaced(copy[path[0]!], path.slice(1), by);
  return copy;
}

test('[DOC5] nor does a good document with any one value replaced by anything', () => {
  const documents = parseText(fixture('good/shapes.yaml')).documents.map((document) => document.value);
  const spots = documents.flatMap((value) => [...places(value)].map((path) => ({ value, path })));
  fc.assert(
    fc.property(fc.constantFrom(...spots), fc.jsonValue({ maxDepth: 3 }), ({ value, path }, by) =>
      check(replaced(value, path, by)),
    ),
    { numRuns: 4_000, seed: 11 },
  );
});
