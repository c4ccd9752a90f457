import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { limits } from '../../src/pdp/model/limits.ts';
import { readPaths } from '../../src/policy/files.ts';
import { load } from '../../src/policy/load.ts';
import { digest, loadText, loadValues, violationsIn } from './loading.ts';

const embedded = readPaths(['policies']);

test('[DOC3] the embedded policies load without a violation', () => {
  expect(embedded.violations).toEqual([]);
  const loaded = load(embedded.documents, digest);
  expect(violationsIn(loaded)).toEqual([]);
  expect(loaded.rules.length).toBeGreaterThan(30);
  expect(new Set(loaded.rules.map((rule) => rule.id)).size).toBe(loaded.rules.length);
});

/** What must not depend on the order of documents. */
function essence(loaded: ReturnType<typeof load>): string {
  const replace = (key: string, value: unknown): unknown => {
    if (key === 'document') return undefined;
    return value instanceof Map ? [...value] : value;
  };
  const { rules, inventory, policies, snapshot } = loaded;
  return JSON.stringify({ rules, inventory, policies, snapshot }, replace);
}

test('[SNAP1] [TIER2] 100 shuffles of the documents give the same rules, inventory and snapshot', () => {
  const want = essence(load(embedded.documents, digest));
  const shuffles = fc.shuffledSubarray(embedded.documents, { minLength: embedded.documents.length });
  fc.assert(
    fc.property(shuffles, (documents) => {
      expect(essence(load(documents, digest))).toBe(want);
    }),
    { numRuns: 100, seed: 3 },
  );
});

test('[SNAP1] keys in any order give the same snapshot, another value another, and so does another document', () => {
  const permission = (text: string) => loadText(`{type: MeshTrafficPermission, name: p, ${text}}`).snapshot;
  const first = permission('mesh: m, default: {allow: [{method: GET}]}');
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  expect(permission('default: {allow: [{method: GET}]}, mesh: m')).toBe(first);
  expect(permission('mesh: m, default: {allow: [{method: PUT}]}')).not.toBe(first);
  expect(permission('mesh: m, default: {deny: [{method: GET}]}')).not.toBe(first);
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } };
  expect(loadValues(pod).snapshot).not.toBe(loadValues().snapshot);
  expect(loadValues({ cases: [] }, null).snapshot).toBe(loadValues().snapshot);
});

test('[SNAP1] texts that look alike do not give the same snapshot', () => {
  const service = (attributes: object) => loadValues({ type: 'Service', name: 'a', attributes }).snapshot;
  const snapshots = [{ 'a:b': 'c,d:e' }, { 'a:b': 'c', 'd:e': '' }, { 'a:b': 'c","d:e":"' }].map(service);
  expect(new Set(snapshots).size).toBe(3);
});

test('[DOC1] cases and JSON Schemas are no policies, an empty document is nothing', () => {
  const schema = { $schema: 'http://json-schema.org/draft-07/schema#', title: 'x' };
  const loaded = loadValues({ cases: [] }, schema, null);
  expect(loaded.violations).toEqual([]);
  expect(loaded.ignored).toEqual([]);
});

test('[DOC9] kinds of others are listed as ignored, in every group', () => {
  const loaded = loadText(
    `
type: MeshTimeout
name: timeouts
---
{apiVersion: kuma.io/v1alpha1, kind: MeshIdentity, metadata: {name: identity}}
---
{apiVersion: kuma.io/v1alpha1, kind: Workload, metadata: {name: workload}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}}
---
{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: net}}
---
{apiVersion: clusterlink.net/v1alpha1, kind: Peer, metadata: {name: peer}}
`,
    'a.yaml',
  );
  expect(violationsIn(loaded)).toEqual([]);
  expect(loaded.ignored.map(({ kind, name, place }) => `${kind} ${name} ${place?.line}`)).toEqual([
    'MeshTimeout timeouts 2',
    'MeshIdentity identity 5',
    'Workload workload 7',
    'Namespace shop 9',
    'Deployment web 11',
    'NetworkPolicy net 13',
    'Peer peer 15',
  ]);
});

test('[DOC9] the items of a list are read where they stand', () => {
  const items = [
    { type: 'Service', name: 'a' },
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'b' } },
    { type: 'MeshTrafficPermission', name: 'p', spec: { default: { allow: [{ method: 'GET' }] } } },
  ];
  const loaded = loadValues({ apiVersion: 'v1', kind: 'List', metadata: {}, items });
  expect(violationsIn(loaded)).toEqual([]);
  expect([...loaded.inventory.services.keys()]).toEqual(['default/a']);
  expect(loaded.ignored.map((one) => one.path)).toEqual([['items', 1]]);
  expect(loaded.rules[0]!.origin.path).toEqual(['items', 2, 'spec', 'default', 'allow', 0]);
});

test('[DOC3] fields of a Kuma mesh that are not used are listed', () => {
  const loaded = loadValues({ type: 'Mesh', name: 'm', mtls: { backends: [] }, certificates: 'tags' });
  expect(violationsIn(loaded)).toEqual([]);
  expect(loaded.ignored).toEqual([{ document: 0, path: ['mtls'], kind: 'Mesh', name: 'm' }]);
});

test('[DOC6] values that no text could have given are refused', () => {
  const round: Record<string, unknown> = { type: 'Mesh', name: 'm' };
  round['spec'] = round;
  let deep: unknown = 'x';
  for (let at = 0; at < 10_000; at++) deep = [deep];
  const forbidden = JSON.parse(
    '{"type": "Mesh", "name": "a", "labels": {"__proto__": "x", "constructor": "y"}}',
  );
  expect(violationsIn(loadValues(round))).toEqual(['spec: got a value that holds itself, want plain data']);
  expect(violationsIn(loadValues({ type: 'Mesh', name: 'm', spec: deep }))[0]).toContain(
    `got more than ${limits.nesting} levels of nesting, want fewer`,
  );
  expect(violationsIn(loadValues(forbidden))).toEqual([
    'labels.__proto__: got the key "__proto__", which is not allowed anywhere',
    'labels.constructor: got the key "constructor", which is not allowed anywhere',
  ]);
});

test('[DOC6] nesting and strings at their limits', () => {
  const nested = (levels: number) => {
    let value: unknown = {};
    for (let at = 2; at < levels; at++) value = [value];
    return violationsIn(loadValues({ type: 'Mesh', name: 'm', mtls: value }));
  };
  expect(nested(limits.nesting)).toEqual([]);
  expect(nested(limits.nesting + 1)).toHaveLength(1);
  const long = (length: number) =>
    violationsIn(loadValues({ type: 'Mesh', name: 'm', mtls: 'x'.repeat(length) }));
  expect(long(limits.stringBytes)).toEqual([]);
  expect(long(limits.stringBytes + 1)).toEqual([
    `mtls: got ${limits.stringBytes + 1} characters, want at most ${limits.stringBytes} bytes`,
  ]);
});

test('[DOC13] half a surrogate pair is refused in what is given outright too', () => {
  const spec = { half: 'a\ud800b', pair: '\ud83d\ude00' };
  expect(violationsIn(loadValues({ type: 'Elsewhere', name: 'x', spec, ['\udc00']: 1 }))).toEqual([
    'spec.half: half a surrogate pair in a string',
    '["\\udc00"]: half a surrogate pair in a string',
  ]);
});

test('[DOC2] violations of one file are listed up to the limit, and counted beyond', () => {
  const wrong = (count: number) => {
    const deny = Array.from({ length: count }, () => ({}));
    return violationsIn(loadValues({ type: 'MeshTrafficPermission', name: 'p', default: { deny } }));
  };
  expect(wrong(limits.violationsPerFile)).toHaveLength(limits.violationsPerFile);
  const more = wrong(limits.violationsPerFile + 1);
  expect(more).toHaveLength(limits.violationsPerFile + 1);
  expect(more.at(-1)).toBe('(root): got 1 more violations in this file, which are not listed');
  const permission = `{type: MeshTrafficPermission, name: p, default: {deny: [${Array(limits.violationsPerFile + 6).fill('{}')}]}}`;
  const { violations } = loadText(`${permission}\n---\n{type: Mesh, name: a, x: 1}`, 'p.yaml');
  expect(violations.map(({ unlisted }) => unlisted).filter((count) => count !== undefined)).toEqual([7]);
  expect(violations.at(-1)!.unlisted).toBe(7);
});

describe('[DOC6] objects that a program shares', () => {
  const several = (times: number) => ({ ...minimal, spec: { shared: Array(times).fill(shared) } });
  const shared = Array.from({ length: 99 }, (_, i) => i);
  const minimal = { type: 'Elsewhere', name: 'x' };

  test('count for each place, as aliases do', () => {
    // The first is no repetition, and each other one is a list and its values.
    const most = limits.aliasedValues / 100;
    expect(violationsIn(loadValues(several(most + 1))).join()).not.toContain('in several places');
    expect(violationsIn(loadValues(several(most + 2)))).toEqual([
      `spec.shared[${most + 1}]: got objects in several places that come to too many values, want at most ${limits.aliasedValues}`,
    ]);
  });

  test('are refused before they explode, and long texts count as several', () => {
    let bomb: object = { a: 'x' };
    for (let depth = 0; depth < 40; depth++) bomb = { a: bomb, b: bomb };
    expect(violationsIn(loadValues(bomb)).join()).toContain('in several places');
    const texts = Array(20).fill(['x'.repeat(limits.stringBytes)]);
    expect(violationsIn(loadValues({ texts: Array(200).fill(texts) })).join()).toContain('in several places');
  });
});
