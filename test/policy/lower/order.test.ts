import { expect, test } from 'vitest';
import { loadValues } from '../loading.ts';

const allow = { default: { allow: [{ method: 'GET' }] } };
const permission = (name: string, more: object = {}, labels: object = {}, rest: object = {}) => ({
  type: 'MeshTrafficPermission',
  name,
  labels,
  ...rest,
  spec: { ...allow, ...more },
});
const order = (...documents: readonly unknown[]) =>
  loadValues(...documents).policies.map((policy) => policy.name);

const byLabel = { kind: 'Dataplane', labels: { app: 'web' } };
const bySection = { ...byLabel, sectionName: 'http' };

test('[MTP8] [NS6] kind, section, origin, role, display name descending', () => {
  const want = [
    permission('mesh-global', {}, { 'kuma.io/origin': 'global' }),
    permission('mesh-b'),
    permission('mesh-a'),
    permission('mesh-zone', {}, { 'kuma.io/origin': 'zone' }),
    // Of a namespace, so that its most explicit form is a MeshSubset.
    permission('mesh-owner', {}, {}, { namespace: 'shop' }),
    permission('proxy-global', { targetRef: byLabel }, { 'kuma.io/origin': 'global' }),
    permission('proxy', { targetRef: byLabel }),
    permission('section-global', { targetRef: bySection }, { 'kuma.io/origin': 'global' }),
    permission('section', { targetRef: bySection }),
  ];
  const names = want.map((document) => document.name);
  expect(order(...want)).toEqual(names);
  expect(order(...want.toReversed())).toEqual(names);
});

test('[MTP8] [TIER2] equal display names go by namespace, zone, identifier', () => {
  const copy = (name: string, namespace: string, zone: string) =>
    permission(
      name,
      {},
      { 'kuma.io/display-name': 'p', 'k8s.kuma.io/namespace': namespace, 'kuma.io/zone': zone },
    );
  const documents = [copy('4', 'b', 'a'), copy('3', 'a', 'b'), copy('2', 'a', 'a')];
  const kris = loadValues(...documents).policies.map((policy) => policy.kri);
  expect(kris).toEqual(['kri_mtp_default_a_a_p_', 'kri_mtp_default_b_a_p_', 'kri_mtp_default_a_b_p_']);
});

test('[AP5] permissions, then privileged policies, then the rest by namespace and name', () => {
  const spec = { action: 'deny', from: [{ workloadSelector: {} }], to: [{ workloadSelector: {} }] };
  const documents = [
    permission('permission'),
    { type: 'PrivilegedAccessPolicy', name: 'a', spec },
    { type: 'PrivilegedAccessPolicy', name: 'b', spec },
    { type: 'AccessPolicy', name: 'z', namespace: 'a', spec },
    { type: 'AccessPolicy', name: 'B', namespace: 'b', spec },
    { type: 'AccessPolicy', name: 'a', namespace: 'b', spec },
  ];
  const want = ['permission', 'a', 'b', 'z', 'B', 'a'];
  expect(order(...documents)).toEqual(want);
  expect(order(...documents.toReversed())).toEqual(want);
});

test('[AP5] a policy says which rules are its own', () => {
  const two = { default: { deny: [{ method: 'PUT' }], allow: [{ method: 'GET' }] } };
  const loaded = loadValues(permission('b', two), permission('a', two));
  expect(loaded.policies.map(({ name, order, first, count }) => [name, order, first, count])).toEqual([
    ['b', 0, 0, 2],
    ['a', 1, 2, 2],
  ]);
  for (const policy of loaded.policies)
    for (const rule of loaded.rules.slice(policy.first, policy.first + policy.count))
      expect(rule.origin.kri).toBe(policy.kri);
});
