import { expect, test } from 'vitest';
import { loadText, loadValues, violationsIn } from '../loading.ts';
import { conditionsText, tierText } from '../rule-text.ts';

const id = (name: string, type = 'Exact') => ({ type, value: `spiffe://td.example/${name}` });
const permission = (spec: object, more: object = {}) => ({
  type: 'MeshTrafficPermission',
  name: 'p',
  spec,
  ...more,
});

test('[MTP1] both shapes, both spellings and both envelopes give equal rules', () => {
  const lists = {
    deny: [{ spiffeId: id('a') }],
    allow: [{ method: 'GET' }, { spiffeId: id('b', 'Prefix') }],
  };
  const spelt = {
    deny: [{ spiffeID: id('a') }],
    allow: [{ method: 'GET' }, { spiffeID: id('b', 'Prefix') }],
  };
  const metadata = {
    name: 'p',
    uid: 'x',
    creationTimestamp: null,
    managedFields: [],
    annotations: { a: 'b' },
  };
  const kubernetes = { apiVersion: 'kuma.io/v1alpha1', kind: 'MeshTrafficPermission', metadata, status: {} };
  const ways = [
    permission({ default: lists }),
    permission({ targetRef: {}, default: spelt }),
    permission({ targetRef: { kind: 'Mesh' }, rules: [{ default: lists }] }),
    { type: 'MeshTrafficPermission', name: 'p', mesh: 'default', default: lists },
    { ...kubernetes, spec: { default: spelt } },
    { ...kubernetes, mesh: 'default', spec: { rules: [{ default: spelt }] } },
  ].map((document) => loadValues(document));
  const [first] = ways;
  expect(first!.rules.map(conditionsText)).toEqual([
    ['destination kuma:mesh in default', 'source spiffe:id in spiffe://td.example/a'],
    ['destination kuma:mesh in default', 'request request:method in GET'],
    ['destination kuma:mesh in default', 'source spiffe:id in ^spiffe://td.example/b'],
  ]);
  for (const way of ways) {
    expect(violationsIn(way)).toEqual([]);
    expect(way.rules.map((rule) => rule.when)).toEqual(first!.rules.map((rule) => rule.when));
    expect(way.rules.map((rule) => [rule.tier, rule.shadow])).toEqual([
      [2, 2],
      [3, 3],
      [3, 3],
    ]);
  }
});

test('[MTP9] rules stand by rules index, list and position, and say where they come from', () => {
  const rules = [
    { default: { allow: [{ method: 'GET' }], deny: [{ method: 'PUT' }, { method: 'POST' }] } },
    { default: { allow: [{ method: 'HEAD' }], allowWithShadowDeny: [{ method: 'PATCH' }] } },
  ];
  const loaded = loadValues({ type: 'Mesh', name: 'm' }, permission({ rules }, { mesh: 'm' }));
  expect(loaded.rules.map(tierText)).toEqual([
    'kri_mtp_m___p_#rules/0/deny/0 2/2',
    'kri_mtp_m___p_#rules/0/deny/1 2/2',
    'kri_mtp_m___p_#rules/0/allow/0 3/3',
    'kri_mtp_m___p_#rules/1/allowWithShadowDeny/0 3/2',
    'kri_mtp_m___p_#rules/1/allow/0 3/3',
  ]);
  expect(loaded.rules[1]!.origin).toEqual({
    policy: 'p',
    kri: 'kri_mtp_m___p_',
    kind: 'MeshTrafficPermission',
    effect: 'deny',
    index: 1,
    document: 1,
    path: ['spec', 'rules', 0, 'default', 'deny', 1],
  });
});

test('[MTP4] [MTP5] [MTP6] a matcher is the conjunction of its parts', () => {
  const matcher = {
    spiffeId: id('ns/a/', 'PathPrefix'),
    path: { type: 'PathPrefix', value: '/' },
    method: 'PROPFIND',
    sni: { type: 'Exact', value: 'Shop.Example' },
    dataplaneLabels: { tier: 'db', app: 'web' },
  };
  const [rule] = loadValues(permission({ default: { allow: [matcher] } })).rules;
  expect(conditionsText(rule!)).toEqual([
    'destination kuma:mesh in default',
    'source spiffe:id in /spiffe://td.example/ns/a',
    'source k8s:label:app in web',
    'source k8s:label:tier in db',
    'request request:method in PROPFIND',
    'request request:path in /',
    'request request:sni in shop.example',
  ]);
  expect(rule!.when[5]!.values).toEqual([{ match: 'under', value: '' }]);
});

test.each([
  ['Prefix', 'spiffe://t', '^spiffe://t'],
  ['Prefix', 'spiffe://td.example/', '^spiffe://td.example/'],
  ['Prefix', 'spiffe://td.example/ns/.', '^spiffe://td.example/ns/.'],
  ['PathPrefix', 'spiffe://td.example', '/spiffe://td.example'],
  ['PathPrefix', 'spiffe://td.example/', '/spiffe://td.example'],
])('[MTP5] spiffeId %s %s is accepted', (type, value, want) => {
  const [rule] = loadValues(permission({ default: { deny: [{ spiffeId: { type, value } }] } })).rules;
  expect(conditionsText(rule!)[1]).toBe(`source spiffe:id in ${want}`);
});

test.each([
  ['Exact', '/', '/'],
  ['Exact', '/a/', '/a/'],
  ['Prefix', '/.', '^/.'],
  ['Prefix', '/a/', '^/a/'],
  ['PathPrefix', '/a/', '//a'],
])('[PATH4] path %s %s is accepted', (type, value, want) => {
  const [rule] = loadValues(permission({ default: { deny: [{ path: { type, value } }] } })).rules;
  expect(conditionsText(rule!)[1]).toBe(`request request:path in ${want}`);
});

test.each([
  [{ kind: 'Dataplane' }, []],
  [{ kind: 'Dataplane', labels: {} }, []],
  [{ kind: 'Dataplane', labels: { b: '2', a: '1' } }, ['kuma:label:a in 1', 'kuma:label:b in 2']],
  [{ kind: 'Dataplane', name: 'web-1' }, ['kuma:dataplane in web-1']],
  [
    { kind: 'Dataplane', name: 'web-1', namespace: 'shop', sectionName: 'http' },
    ['kuma:dataplane in web-1', 'kuma:label:k8s.kuma.io/namespace in shop', 'kuma:section in http'],
  ],
  [
    { kind: 'Dataplane', labels: { a: '1' }, sectionName: 8080 },
    ['kuma:label:a in 1', 'kuma:section in 8080'],
  ],
])('[MTP2] the target %j', (targetRef, want) => {
  const [rule] = loadValues(permission({ targetRef, default: { allow: [{ method: 'GET' }] } })).rules;
  expect(conditionsText(rule!).slice(1, -1)).toEqual(want.map((text) => `destination ${text}`));
});

test.each([
  ['no namespace', {}, []],
  ["the system's namespace", { namespace: 'kuma-system' }, []],
  ['a namespace', { namespace: 'shop' }, ['kuma:tag:k8s.kuma.io/namespace in shop']],
  [
    'a synchronised copy in the namespace of the system',
    { namespace: 'kuma-system', labels: { 'k8s.kuma.io/namespace': 'shop', 'kuma.io/zone': 'east' } },
    ['kuma:tag:k8s.kuma.io/namespace in shop', 'kuma:tag:kuma.io/zone in east'],
  ],
  ['a zone without a namespace', { labels: { 'kuma.io/zone': 'east' } }, ['kuma:tag:kuma.io/zone in east']],
  [
    "a zone's operator",
    { namespace: 'kuma-system', labels: { 'kuma.io/zone': 'east', 'kuma.io/origin': 'zone' } },
    ['kuma:tag:kuma.io/zone in east'],
  ],
  [
    'a copy of a policy of Global',
    { namespace: 'kuma-system', labels: { 'kuma.io/zone': 'east', 'kuma.io/origin': 'global' } },
    [],
  ],
])('[MTP7] a policy of %s', (_title, more, want) => {
  const [rule] = loadValues(permission({ default: { allow: [{ method: 'GET' }] } }, more)).rules;
  expect(conditionsText(rule!).slice(1, -1)).toEqual(want.map((text) => `destination ${text}`));
});

test('[MTP7] a target in the own namespace is one condition', () => {
  const targetRef = { kind: 'Dataplane', name: 'web-1', namespace: 'shop' };
  const document = permission({ targetRef, default: { allow: [{ method: 'GET' }] } }, { namespace: 'shop' });
  const [rule] = loadValues(document).rules;
  expect(new Set(conditionsText(rule!)).size).toBe(rule!.when.length);
});

test('[MTP1] the identifier is made of mesh, zone, namespace and display name', () => {
  const labels = {
    'kuma.io/display-name': 'web',
    'kuma.io/zone': 'east',
    'k8s.kuma.io/namespace': 'shop',
    'kuma.io/mesh': 'm',
  };
  const loaded = loadValues(
    permission({ default: { allow: [{ method: 'GET' }] } }, { name: 'web-0123', labels }),
  );
  expect(loaded.rules[0]!.origin).toMatchObject({ policy: 'web', kri: 'kri_mtp_m_east_shop_web_' });
  expect([...loaded.inventory.meshes.keys()]).toEqual(['m']);
});

test('[SHD2] a policy labelled as a shadow is never enforced, in either envelope', () => {
  const spec = { default: { allowWithShadowDeny: [{ method: 'GET' }], allow: [{ method: 'GET' }] } };
  const labels = { 'kuma.io/effect': 'shadow' };
  const metadata = { name: 'p', labels };
  for (const document of [
    permission(spec, { labels }),
    { apiVersion: 'kuma.io/v1alpha1', kind: 'MeshTrafficPermission', metadata, spec },
  ]) {
    const loaded = loadValues(document);
    expect(loaded.rules.map((rule) => [rule.tier, rule.shadow])).toEqual([
      [null, 2],
      [null, 3],
    ]);
    expect(loaded.policies[0]!.shadow).toBe(true);
  }
});

test('[MTP3] empty lists are fine', () => {
  const loaded = loadValues(permission({ default: { deny: [], allow: [], allowWithShadowDeny: [] } }));
  expect(violationsIn(loaded)).toEqual([]);
  expect(loaded.policies[0]).toMatchObject({ name: 'p', first: 0, count: 0, order: 0 });
});

test('[MTP10] a Prefix that ends inside a segment is refused only where the mesh says so', () => {
  const policy = (mesh: string) => `
type: MeshTrafficPermission
name: p-${mesh}
mesh: ${mesh}
default: {allow: [{spiffeId: {type: Prefix, value: "spiffe://td.example/ns/obs"}}]}
---
type: Mesh
name: ${mesh}
strictPrefixes: ${mesh === 'strict'}
`;
  const loaded = loadText(`${policy('strict')}---${policy('loose')}`, 'a.yaml');
  expect(loaded.violations).toHaveLength(1);
  expect(loaded.policies.map((one) => one.name)).toEqual(['p-loose']);
});
