import { describe, expect, test } from 'vitest';
import { open } from '../../src/index.ts';
import { loadValues, violationsIn } from './loading.ts';
import { documentsOf, inboundOf } from './tags/documents.ts';

/**
 * Paper 002's MeshTrafficPermissions. Its documents have `targetRef` and `conf` beside the name; its overview has them
 * under `spec`. Its examples of merging write `to` over lists of sources, where `from` is meant.
 */

const policies = documentsOf(`
type: MeshTrafficPermission
mesh: mesh-1
name: allow-only-infra
targetRef:
  kind: Mesh
conf:
  from:
    - targetRef:
        kind: Service
        name: infra-monitoring
      action: ALLOW
    - targetRef:
        kind: Service
        name: infra-logger
      action: ALLOW
    - targetRef:
        kind: Mesh
      action: DENY
---
type: MeshTrafficPermission
mesh: mesh-1
name: backend-permissions
targetRef:
  kind: Service
  name: backend
conf:
  from:
    - targetRef:
        kind: ServiceSubset
        name: web
        tags:
          version: v1
      action: DENY
    - targetRef:
        kind: Mesh
      action: ALLOW
`);

/** The same with everything under `spec`. */
const underSpec = policies.map((policy) => {
  const { targetRef, conf, ...rest } = policy as Record<string, unknown>;
  return { ...rest, spec: { targetRef, conf } };
});

const planes = [
  inboundOf({ 'kuma.io/service': 'backend' }, 'mesh-1', 'backend-1'),
  inboundOf({ 'kuma.io/service': 'other' }, 'mesh-1', 'other-1'),
];

function asker(documents: readonly object[]) {
  const placet = open([...planes, ...documents]);
  return (dataplane: string, service: string, more: Record<string, string> = {}) => {
    const source = { mesh: 'mesh-1', tags: { 'kuma.io/service': service, ...more } };
    const { decision, by } = placet.decide({ source, destination: { mesh: 'mesh-1', dataplane } });
    return `${decision} ${by?.policy}#${by?.index}`;
  };
}

describe.each([
  ['beside the name', policies],
  ['under spec', underSpec],
])('[TAG3] the infra permissions, written %s', (_, documents) => {
  const ask = asker(documents);

  test('all may use backend but the first version of web', () => {
    expect(ask('backend-1', 'web', { version: 'v1' })).toBe('deny backend-permissions#0');
    expect(ask('backend-1', 'web', { version: 'v2' })).toBe('allow backend-permissions#1');
    expect(ask('backend-1', 'infra-monitoring')).toBe('allow backend-permissions#1');
    expect(ask('backend-1', 'infra-logger')).toBe('allow backend-permissions#1');
  });

  test('elsewhere infra alone', () => {
    expect(ask('other-1', 'infra-monitoring')).toBe('allow allow-only-infra#0');
    expect(ask('other-1', 'infra-logger')).toBe('allow allow-only-infra#1');
    expect(ask('other-1', 'web', { version: 'v2' })).toBe('deny allow-only-infra#2');
  });
});

test('[TAG3] the permission of the overview: what comes first counts', () => {
  const ask = asker(
    documentsOf(`
type: MeshTrafficPermission
mesh: mesh-1
name: permissions
spec:
  targetRef: {kind: Service, name: backend}
  conf:
    from:
      - targetRef: {kind: MeshSubset, tags: {kuma.io/zone: us-east}}
        action: ALLOW
      - targetRef: {kind: ServiceSubset, name: backend, tags: {version: v2}}
        action: ALLOW
      - targetRef: {kind: Mesh}
        action: DENY
`),
  );
  expect(ask('backend-1', 'web', { 'kuma.io/zone': 'us-east' })).toBe('allow permissions#0');
  expect(ask('backend-1', 'backend', { version: 'v2' })).toBe('allow permissions#1');
  expect(ask('backend-1', 'backend', { version: 'v1' })).toBe('deny permissions#2');
});

describe('[TAG4] names and forms', () => {
  const first = (name: string, action: string) => ({
    type: 'MeshTrafficPermission',
    mesh: 'mesh-1',
    name,
    conf: { from: [{ action }] },
  });
  const later = (name: string, action: string) => ({
    type: 'MeshTrafficPermission',
    mesh: 'mesh-1',
    name,
    from: [{ default: { action } }],
  });
  const mesh = (nameOrder: string) => ({ type: 'Mesh', name: 'mesh-1', nameOrder });
  const winner = (...documents: object[]) => asker(documents)('other-1', 'web').split(' ')[1];

  test('the larger name of the older form, the smaller one of the later', () => {
    expect(winner(first('a', 'ALLOW'), first('b', 'DENY'))).toBe('b#0');
    expect(winner(later('a', 'ALLOW'), later('b', 'DENY'))).toBe('a#0');
  });

  test('the mesh says which for both', () => {
    expect(winner(mesh('smaller-wins'), first('a', 'ALLOW'), first('b', 'DENY'))).toBe('a#0');
    expect(winner(mesh('smaller-wins'), later('a', 'ALLOW'), later('b', 'DENY'))).toBe('a#0');
    expect(winner(mesh('larger-wins'), first('a', 'ALLOW'), first('b', 'DENY'))).toBe('b#0');
    expect(winner(mesh('larger-wins'), later('a', 'ALLOW'), later('b', 'DENY'))).toBe('b#0');
  });

  test('the later form is above the older one, whatever the names', () => {
    for (const [one, other] of [
      ['a', 'b'],
      ['b', 'a'],
    ] as const)
      expect(winner(first(one, 'ALLOW'), later(other, 'DENY'))).toBe(`${other}#0`);
  });

  test('a narrower target is above a wider one, whatever the forms', () => {
    const narrow = { ...first('z', 'ALLOW'), targetRef: { kind: 'Proxy', name: 'other-1' } };
    expect(winner(narrow, later('a', 'DENY'))).toBe('z#0');
  });
});

test('[TAG3] a form is written in its own way', () => {
  const permission = (spec: object) =>
    violationsIn(loadValues({ type: 'MeshTrafficPermission', name: 'p', spec }));
  expect(permission({ from: [{ action: 'ALLOW' }] })).toEqual([
    'spec.from[0].default: got nothing, want an object',
    'spec.from[0].action: got the unknown field "action", want "targetRef" or "default"',
  ]);
  expect(permission({ conf: { from: [{ default: { action: 'ALLOW' } }] } })).toEqual([
    'spec.conf.from[0].action: got nothing, want "Allow", "Deny", "AllowWithShadowDeny" or "DenyWithShadowAllow"',
    'spec.conf.from[0].default: got the unknown field "default", want "targetRef" or "action"',
  ]);
  expect(permission({ conf: { from: [] }, from: [] })).toEqual([
    'spec.conf: got both "from" and "conf", want one of them',
  ]);
  expect(permission({ conf: { to: [] } })).toHaveLength(2);
});
