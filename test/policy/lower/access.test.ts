import { expect, test } from 'vitest';
import { limits } from '../../../src/pdp/model/limits.ts';
import { loadValues, violationsIn } from '../loading.ts';
import { conditionsText, tierText } from '../rule-text.ts';

const all = { workloadSelector: {} };
const labelled = (matchLabels: object) => ({ workloadSelector: { matchLabels } });
const expressed = (...matchExpressions: readonly object[]) => ({ workloadSelector: { matchExpressions } });

function policy(spec: object, more: object = {}) {
  return {
    type: 'AccessPolicy',
    name: 'p',
    spec: { action: 'allow', from: [all], to: [all], ...spec },
    ...more,
  };
}

/** Without the condition on the namespace. */
function conditions(spec: object, ...others: readonly object[]): string[] {
  const loaded = loadValues(policy(spec), ...others);
  expect(violationsIn(loaded)).toEqual([]);
  return conditionsText(loaded.rules[0]!).slice(1);
}

test('[AP1] both groups and the short form give equal rules; the namespace is default if not given', () => {
  const spec = { action: 'deny', from: [labelled({ 'k8s:ns': 'shop' })], to: [all] };
  const ways = [
    { type: 'AccessPolicy', name: 'p', ...spec },
    { type: 'AccessPolicy', name: 'p', namespace: 'default', spec },
    ...['clusterlink.net/v1alpha1', 'placet.dev/v1alpha1'].map((apiVersion) => ({
      apiVersion,
      kind: 'AccessPolicy',
      metadata: { name: 'p' },
      spec,
    })),
  ].map((document) => loadValues(document));
  for (const way of ways) {
    expect(violationsIn(way)).toEqual([]);
    expect(way.rules.map(conditionsText)).toEqual([
      ['destination placet:namespace in default', 'source k8s:ns in shop'],
    ]);
    expect(way.rules.map(tierText)).toEqual(['AccessPolicy/default/p#0 2/2']);
  }
});

test('[AP2] a rule is a pair; its index counts destinations first', () => {
  const from = [labelled({ a: '1' }), labelled({ a: '2' })];
  const to = [labelled({ b: '1' }), labelled({ b: '2' }), all];
  const { rules } = loadValues(policy({ from, to }, { namespace: 'shop' }));
  expect(rules.map((rule) => conditionsText(rule).slice(1).join(', '))).toEqual([
    'destination b in 1, source a in 1',
    'destination b in 2, source a in 1',
    'source a in 1',
    'destination b in 1, source a in 2',
    'destination b in 2, source a in 2',
    'source a in 2',
  ]);
  expect(rules.map((rule) => rule.origin.index)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(rules[4]!.id).toBe('AccessPolicy/shop/p#4');
  expect(rules[4]!.origin.path).toEqual(['spec', 'from', 1]);
});

test('[AP2] matchLabels and matchExpressions must all hold', () => {
  const workloadSelector = {
    matchLabels: { 'k8s:sa': 'web', 'k8s:ns': 'shop' },
    matchExpressions: [
      { key: 'k8s:label:tier', operator: 'In', values: ['a', 'b'] },
      { key: 'k8s:label:tier', operator: 'NotIn', values: ['c'] },
      { key: 'unscoped', operator: 'Exists' },
      { key: 'k8s:label:old', operator: 'DoesNotExist', values: [] },
    ],
  };
  expect(conditions({ from: [{ workloadSelector }] })).toEqual([
    'source k8s:ns in shop',
    'source k8s:sa in web',
    'source k8s:label:tier in a|b',
    'source k8s:label:tier notIn c',
    'source unscoped exists',
    'source k8s:label:old notExists',
  ]);
});

test.each([
  ['AccessPolicy', 'allow', '3/3'],
  ['AccessPolicy', 'deny', '2/2'],
  ['AccessPolicy', 'allowWithShadowDeny', '3/2'],
  ['AccessPolicy', 'denyWithShadowAllow', '2/3'],
  ['PrivilegedAccessPolicy', 'allow', '1/1'],
  ['PrivilegedAccessPolicy', 'deny', '0/0'],
  ['PrivilegedAccessPolicy', 'allowWithShadowDeny', '1/0'],
  ['PrivilegedAccessPolicy', 'denyWithShadowAllow', '0/1'],
])('[AP4] %s %s is in the tiers %s', (type, action, want) => {
  const [rule] = loadValues(policy({ action }, { type })).rules;
  expect(tierText(rule!).split(' ')[1]).toBe(want);
  expect(rule!.origin.effect).toBe(action);
  const labels = { 'kuma.io/effect': 'shadow' };
  expect(loadValues(policy({ action }, { type, labels })).rules[0]!.tier).toBeNull();
});

test('[AP4] a privileged policy has no namespace and binds everywhere', () => {
  const [rule] = loadValues(policy({}, { type: 'PrivilegedAccessPolicy' })).rules;
  expect(rule!.when).toEqual([]);
  expect(rule!.id).toBe('PrivilegedAccessPolicy//p#0');
  expect(rule!.origin.kri).toBe('PrivilegedAccessPolicy//p');
});

test('[AP3] aliases are read by side; on the wrong side the key stays as written', () => {
  const selector = expressed(
    { key: 'client.clusterlink.net/labels.app', operator: 'Exists' },
    { key: 'export.clusterlink.net/name', operator: 'Exists' },
    { key: 'peer.clusterlink.net/labels.region', operator: 'Exists' },
  );
  expect(conditions({ from: [selector], to: [selector] })).toEqual([
    'destination client.clusterlink.net/labels.app exists',
    'destination service:name exists',
    'destination cl:site:region exists',
    'source k8s:label:app exists',
    'source export.clusterlink.net/name exists',
    'source cl:site:region exists',
  ]);
});

test('[OP2] values of hierarchical keys mean themselves and all below', () => {
  const from = [
    expressed(
      { key: 'site:location', operator: 'In', values: ['aws/us-east/', 'aws/eu'] },
      { key: 'spiffe:id', operator: 'NotIn', values: ['spiffe://td.example/ns/a/'] },
      { key: 'peer.clusterlink.net/labels.region', operator: 'In', values: ['eu'] },
      { key: 'cl:site:tier', operator: 'In', values: ['a/'] },
    ),
  ];
  const site = { type: 'Site', name: 's', hierarchical: ['cl:site:region'] };
  expect(conditions({ from }, site)).toEqual([
    'source site:location in /aws/us-east|/aws/eu',
    'source spiffe:id notIn /spiffe://td.example/ns/a',
    'source cl:site:region in /eu',
    'source cl:site:tier in a/',
  ]);
});

test('[UNK4] the floor of an expression goes before that of the policy, which is for sources only', () => {
  const selector = {
    workloadSelector: {
      matchLabels: { a: '1' },
      matchExpressions: [{ key: 'b', operator: 'Exists', trust: 'attested' }],
    },
  };
  expect(conditions({ trust: 'observed', from: [selector], to: [selector] })).toEqual([
    'destination a in 1',
    'destination b exists (attested)',
    'source a in 1 (observed)',
    'source b exists (attested)',
  ]);
});

test('[AP2] a policy lowers to as many rules as the limit, and not to one more', () => {
  const from = Array.from({ length: limits.rulesPerPolicy / 1_000 }, (_, i) => labelled({ a: String(i) }));
  const to = Array.from({ length: 1_000 }, (_, i) => labelled({ b: String(i) }));
  expect(loadValues(policy({ from, to })).rules).toHaveLength(limits.rulesPerPolicy);
  const more = loadValues(policy({ from: [...from, all], to }));
  expect(violationsIn(more)).toEqual([
    `spec: got a policy of ${limits.rulesPerPolicy + 1_000} rules, want at most ${limits.rulesPerPolicy}`,
  ]);
});

test('[AP2] values of one condition and conditions of one rule at their limits', () => {
  const values = Array.from({ length: limits.conditionValues }, (_, i) => String(i));
  const within = (list: readonly string[]) =>
    violationsIn(loadValues(policy({ from: [expressed({ key: 'a', operator: 'In', values: list })] })));
  expect(within(values)).toEqual([]);
  expect(within([...values, 'x'])).toEqual([
    'spec.from[0].workloadSelector.matchExpressions[0].values: got 10001 entries, want at most 10000',
  ]);
  const keys = Array.from({ length: limits.conditionsPerRule - 1 }, (_, i) => ({
    key: `k${i}`,
    operator: 'Exists',
  }));
  expect(violationsIn(loadValues(policy({ from: [expressed(...keys)] })))).toEqual([]);
  const over = loadValues(policy({ from: [expressed(...keys, { key: 'x', operator: 'Exists' })] }));
  expect(violationsIn(over)).toEqual(['spec.from[0]: got 129 conditions in one rule, want at most 128']);
  expect(over.rules).toEqual([]);
});
