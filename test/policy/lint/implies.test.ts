import { expect, test } from 'vitest';
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
