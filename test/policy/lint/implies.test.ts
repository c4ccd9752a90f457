import { expect, test } from 'vitest';
import { PatternWork } from '../../../src/pdp/model/pattern-work.ts';
import { neverDeciding } from '../../../src/policy/lint/covered.ts';
import { loadValues } from '../loading.ts';

/** Cases that random sets hardly ever have. */

function pair(from: object, to: object, more: object = {}): object {
  const selector = (matchExpressions: object) => [{ workloadSelector: { matchExpressions } }];
  return { action: 'allow', from: selector(from), to: selector(to), ...more };
}

function never(...values: object[]): string[] {
  const loaded = loadValues(...values);
  expect(loaded.violations).toEqual([]);
  return [...neverDeciding(loaded)].map(([rule, by]) =>
    [rule, by].map((id) => loaded.rules[id]!.origin.policy).join(' by '),
  );
}

const policy = (name: string, spec: object) => ({ type: 'AccessPolicy', name, namespace: 'shop', spec });
const site = { type: 'Site', name: 'here', floor: 'attested' };

test('[LINT2] [UNK4] the floor of a site asks no more of destinations than to be configured', () => {
  const key = { key: 'k8s:label:tier', operator: 'In', values: ['gold'] };
  const strict = policy('a', pair([], [{ ...key, trust: 'attested' }]));
  expect(never(site, strict, policy('b', pair([], [key])))).toEqual([]);
  expect(
    never(site, policy('a', pair([], [key])), policy('b', pair([], [{ ...key, trust: 'attested' }]))),
  ).toEqual(['b by a']);
});

test('[LINT2] [UNK4] keys of our own meet whatever floor is written beside them', () => {
  const mesh = { key: 'kuma:mesh', operator: 'In', values: ['default'] };
  const plain = policy('a', pair([], [mesh]));
  expect(never(plain, policy('b', pair([], [{ ...mesh, trust: 'asserted' }])))).toEqual(['b by a']);
  const deny = (name: string, to: object) => policy(name, pair([], [to], { action: 'deny' }));
  expect(never(deny('a', mesh), deny('b', { ...mesh, trust: 'attested' }))).toEqual(['b by a']);
});

test('[LINT2] [OP2] what a hierarchical value has below it may be what another refuses', () => {
  const location = (operator: string, value: string) => [{ key: 'site:location', operator, values: [value] }];
  const refusing = policy('a', pair(location('NotIn', 'aws/us'), []));
  expect(never(refusing, policy('b', pair(location('In', 'aws'), [])))).toEqual([]);
  expect(never(refusing, policy('b', pair(location('NotIn', 'aws'), [])))).toEqual(['b by a']);
});

test('[LINT2] [DST1] a permission is no reason for an AccessPolicy not to decide, whatever a destination is said to be', () => {
  const permission = {
    type: 'MeshTrafficPermission',
    name: 'a',
    default: { deny: [{ spiffeId: { type: 'PathPrefix', value: 'spiffe://td' } }] },
  };
  const id = [{ key: 'spiffe:id', operator: 'In', values: ['spiffe://td/a'] }];
  const mesh = [{ key: 'kuma:mesh', operator: 'In', values: ['default'] }];
  expect(never(permission, policy('b', pair(id, mesh)))).toEqual([]);
});

const most = 1_000_000;

function workOf(values: object[]): { found: number; spent: number } {
  const loaded = loadValues(...values);
  expect(loaded.violations).toEqual([]);
  const work = new PatternWork(most);
  const found = neverDeciding(loaded, work).size;
  return { found, spent: most - work.left };
}

test('[LINT2] exact values are compared once each, in whatever order', () => {
  const values = Array.from({ length: 5000 }, (_, i) => `v${i}`);
  const turned = values.toReversed();
  const notIn = (list: string[]) => [{ key: 'k8s:label:role', operator: 'NotIn', values: list }];
  const policies = [values, turned, values, turned].map((list, i) => policy(`p${i}`, pair(notIn(list), [])));
  const { found, spent } = workOf(policies);
  expect(found).toBe(3);
  expect(spent).toBeLessThan(20 * values.length);
});

test('[LINT2] patterns that reach further are compared within the bound', () => {
  const values = Array.from({ length: 2000 }, (_, i) => `aws/${i}`);
  const notIn = (list: string[]) => [{ key: 'site:location', operator: 'NotIn', values: list }];
  const policies = [values, values.toReversed()].map((list, i) => policy(`p${i}`, pair(notIn(list), [])));
  expect(workOf(policies)).toEqual({ found: 0, spent: most });
});

test('[LINT2] a long value is not looked up by each of its beginnings', () => {
  const key = { key: 'k8s:label:role', operator: 'In' };
  const rule = (name: string, value: string) => policy(name, pair([{ ...key, values: [value] }], []));
  const one = (length: number) => workOf([rule('a', `a/${'b'.repeat(length - 2)}`)]).spent;
  expect(one(512)).toBeLessThan(10);
  expect(workOf([rule('a', 'a/'.repeat(400))]).spent).toBeLessThan(10);
  expect(workOf([rule('a', 'a/'.repeat(200))]).spent).toBeGreaterThanOrEqual(200);
});
