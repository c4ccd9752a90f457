import { describe, expect, test } from 'vitest';
import { shippedKinds } from '../../../src/policy/files.ts';
import { descriptionsIn } from '../../../src/policy/kinds/descriptions.ts';
import { kriOf } from '../../../src/policy/kinds/head.ts';
import { load } from '../../../src/policy/load.ts';
import { loadObjects, loadYaml, policiesIn, saidOf } from './loading.ts';

const described = { type: 'PolicyKind', name: 'CoffeeBreak', shortName: 'cb', directions: ['to', 'from'] };

describe('[REF8] a kind that a document describes', () => {
  const policy = {
    type: 'CoffeeBreak',
    name: 'at-four',
    mesh: 'office',
    spec: { to: [{ targetRef: { kind: 'Mesh' }, default: { minutes: 15 } }] },
  };

  test('is read, whichever comes first, and unknown without', () => {
    for (const documents of [
      [described, policy],
      [policy, described],
    ]) {
      const loaded = loadObjects(...documents);
      expect(saidOf(loaded)).toEqual([]);
      expect(loaded.targeted.map(({ head, to }) => [kriOf(head), to![0]!.conf])).toEqual([
        ['kri_cb_office___at-four_', { minutes: 15 }],
      ]);
    }
    expect(saidOf(loadObjects(policy))).toEqual([
      expect.stringContaining('got the unknown kind "CoffeeBreak"'),
    ]);
  });

  test('in a group of its own', () => {
    const mine = {
      apiVersion: 'office.example/v1',
      kind: 'CoffeeBreak',
      metadata: { name: 'a' },
      spec: policy.spec,
    };
    expect(saidOf(loadObjects({ ...described, group: 'office.example/v1' }, mine))).toEqual([]);
    expect(saidOf(loadObjects(described, mine))).toEqual([
      'apiVersion: got "office.example/v1" for the kind "CoffeeBreak", want "kuma.io/v1alpha1"',
    ]);
  });

  test('takes the place of one that comes with Placet', () => {
    const own = {
      type: 'PolicyKind',
      name: 'MeshTimeout',
      shortName: 'mt',
      directions: ['to'],
      fields: ['idle'],
    };
    const loaded = loadObjects(own, {
      type: 'MeshTimeout',
      name: 'a',
      to: [{ targetRef: { kind: 'Mesh' }, default: { idol: 1 } }],
    });
    expect(saidOf(loaded)).toEqual([expect.stringContaining('got the unknown field "idol", want "idle"')]);
    expect(loaded.kinds.get('MeshTimeout')?.document).toBe(0);
  });

  test('whatever names its author chose', () => {
    for (const name of ['constructor', 'toString', 'hasOwnProperty', 'x'.repeat(253)]) {
      const loaded = loadObjects({ ...described, name }, { ...policy, type: name });
      expect(saidOf(loaded)).toEqual([]);
      expect(loaded.targeted).toHaveLength(1);
    }
    expect(saidOf(loadObjects({ ...policy, type: 'toString' }))).toHaveLength(1);
  });

  test('has what it does not say by default', () => {
    const kind = loadObjects(described).kinds.get('CoffeeBreak')!;
    expect(kind.targets.top).toContain('MeshGateway');
    expect(kind.targets.from).toEqual(['Mesh', 'MeshSubset', 'MeshService', 'MeshServiceSubset']);
    expect([kind.clusters, kind.concat, kind.fields, kind.form, kind.apiVersion]).toEqual([
      true,
      [],
      undefined,
      undefined,
      'kuma.io/v1alpha1',
    ]);
    const noService = loadObjects({ ...described, targets: { to: ['Mesh'] }, concat: ['http.filters', 'a'] });
    expect(noService.kinds.get('CoffeeBreak')).toMatchObject({
      clusters: false,
      concat: [['http', 'filters'], ['a']],
    });
  });
});

test('[REF8] the kinds that come with Placet are right, and none of them is one of the code', () => {
  const loaded = loadObjects(...shippedKinds().map(({ value }) => value));
  expect(saidOf(loaded)).toEqual([]);
  const names = shippedKinds().map(({ value }) => (value as { name: string }).name);
  expect([...descriptionsIn(shippedKinds(), []).keys()]).toEqual(names);
  expect(names).toContain('MeshTimeout');
  expect(new Set([...loaded.kinds.values()].map((kind) => kind.shortName)).size).toBe(names.length);
});

test('[REF8] what comes with Placet is asked for only where a kind is none of the code', () => {
  let asked = 0;
  const builtin = () => {
    asked++;
    return shippedKinds();
  };
  const loadWith = (value: unknown) =>
    load([{ value, place: () => undefined }], (text) => text.slice(0, 1), builtin).violations.length;
  expect(loadWith({ type: 'Mesh', name: 'a' })).toBe(0);
  expect(asked).toBe(0);
  expect(
    loadWith({ apiVersion: 'v1', kind: 'List', items: [{ type: 'MeshRetry', name: 'a', to: [] }] }),
  ).toBe(0);
  expect(asked).toBe(1);
  for (const kind of [Object.create(null), 7, null, ['MeshRetry']])
    expect(loadWith({ kind, name: 'a' })).toBeGreaterThan(0);
});

test('[REF8] the same kinds in Kuma’s older form stay ignored', () => {
  const loaded = loadYaml(`
type: TrafficLog
name: older
mesh: default
sources: [{match: {kuma.io/service: "*"}}]
destinations: [{match: {kuma.io/service: "*"}}]
conf: {backend: logstash}
---
apiVersion: kuma.io/v1alpha1
kind: ProxyTemplate
mesh: default
metadata: {name: older}
spec:
  selectors: [{match: {kuma.io/service: "*"}}]
  conf: {imports: [default-proxy]}
---
apiVersion: kuma.io/v1alpha1
kind: OPAPolicy
metadata: {name: unknown-still}
spec: {anything: 1}
`);
  expect(saidOf(loaded)).toEqual([]);
  expect(loaded.targeted).toEqual([]);
  expect(loaded.ignored.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    'TrafficLog older',
    'ProxyTemplate older',
    'OPAPolicy unknown-still',
  ]);
});

describe('[REF3] forms', () => {
  const items = 'to:\n  - targetRef: {kind: Mesh}\n    a: 1\n';
  const head = 'type: MeshTimeout\nname: p\n';
  const indented = (text: string, by: number) => text.replace(/^(?=.)/gm, ' '.repeat(by));

  test.each([
    ['conf under spec', `${head}spec:\n  conf:\n${indented(items, 4)}`, ['spec', 'conf', 'to', 0]],
    ['conf beside the name', `${head}conf:\n${indented(items, 2)}`, ['conf', 'to', 0]],
  ])('first-wins: %s', (_title, text, path) => {
    const [policy] = policiesIn(text);
    expect(policy).toMatchObject({
      form: 'first-wins',
      targetRef: undefined,
      from: undefined,
      own: undefined,
    });
    expect(policy!.to).toEqual([{ targetRef: { kind: 'Mesh' }, conf: { a: 1 }, path }]);
  });

  test.each([
    ['from', 'from:\n  - default: {a: 1}\n', 'from'],
    ['rules', 'rules:\n  - default: {a: 1}\n', 'rules'],
  ])('later-overrides: %s', (_title, text, field) => {
    const [policy] = policiesIn(head + text);
    expect(policy).toMatchObject({ form: 'later-overrides', to: undefined, own: undefined });
    expect(policy!.from).toEqual([{ targetRef: { kind: 'Mesh' }, conf: { a: 1 }, path: [field, 0] }]);
  });

  test.each([
    ['conf', 'first-wins'],
    ['default', 'later-overrides'],
  ])('neither array: %s', (field, form) => {
    const [policy] = policiesIn(
      `type: ProxyTemplate\nname: p\ntargetRef: {kind: Service, name: backend}\n${field}: {imports: [a]}\n`,
    );
    expect(policy).toMatchObject({
      form,
      targetRef: { kind: 'MeshService', name: 'backend' },
      to: undefined,
      from: undefined,
      own: { imports: ['a'] },
    });
  });

  test('an item’s conf may have any fields, also those that objects inherit', () => {
    const [policy] = policiesIn(
      `${head}conf: {to: [{targetRef: {kind: Mesh}, toString: 1, default: {a: 1}, name: x}]}`,
    );
    expect(policy!.to![0]!.conf).toEqual({ toString: 1, default: { a: 1 }, name: 'x' });
  });
});

test('[REF1] both spellings are one kind, a section is a text, and {} at the top is nothing', () => {
  const of = (ref: string) =>
    policiesIn(`type: MeshTimeout\nname: p\ntargetRef: ${ref}\nto: []\n`)[0]!.targetRef;
  expect(of('{kind: Service, name: web}')).toEqual(of('{kind: MeshService, name: web}'));
  expect(of('{kind: ServiceSubset, name: web}')).toEqual(of('{kind: MeshServiceSubset, name: web}'));
  expect(of('{kind: Proxy, name: web, sectionName: 80}')).toEqual({
    kind: 'Dataplane',
    name: 'web',
    sectionName: '80',
  });
  expect(of('{kind: HTTPRoute, name: web}')).toEqual(of('{kind: MeshHTTPRoute, name: web}'));
  expect(of('{}')).toBeUndefined();
});
