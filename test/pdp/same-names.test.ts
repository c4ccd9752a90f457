import { describe, expect, test } from 'vitest';
import { open } from '../../src/index.ts';

/** As a StatefulSet's pods are called in every namespace that has one. */
const pods = ['a', 'b'].map((namespace) => ({
  apiVersion: 'kuma.io/v1alpha1',
  kind: 'Dataplane',
  metadata: { name: 'db-0', namespace },
  mesh: 'default',
  spec: {
    networking: { inbound: [{ port: 5432, name: 'db', tags: { 'kuma.io/service': `db_${namespace}` } }] },
  },
}));

const mesh = { type: 'Mesh', name: 'default', trustDomains: ['td.example'] };
const client = 'spiffe://td.example/client';

function allowing(targetRef: object, namespace = 'kuma-system') {
  const matcher = { spiffeID: { type: 'Exact', value: client } };
  return {
    apiVersion: 'kuma.io/v1alpha1',
    kind: 'MeshTrafficPermission',
    metadata: { name: 'own', namespace },
    spec: { targetRef, rules: [{ default: { allow: [matcher] } }] },
  };
}

function verdicts(documents: readonly object[], destinations: readonly object[]): readonly string[] {
  const placet = open([mesh, ...documents]);
  return destinations.map((destination) => {
    const request = { source: { spiffeId: client }, destination };
    const decision = placet.decide(request);
    expect(placet.explain(request).decision).toEqual(decision);
    return `${decision.decision} ${decision.reason}`;
  });
}

describe('[DST9] dataplanes of one name in several namespaces', () => {
  const named = allowing({ kind: 'Dataplane', name: 'db-0', namespace: 'a' });

  test('are told apart by name and namespace, in one or two fields', () => {
    const destinations = [
      { dataplane: 'db-0.a' },
      { dataplane: 'db-0', namespace: 'a' },
      { dataplane: 'db-0.a', namespace: 'a', inbound: 'db' },
      { dataplane: 'db-0.b' },
      { dataplane: 'db-0', namespace: 'b' },
    ];
    expect(verdicts([...pods, named], destinations)).toEqual([
      'allow rule',
      'allow rule',
      'allow rule',
      'deny default',
      'deny default',
    ]);
  });

  test('are none without it, or with another', () => {
    const destinations = [
      { dataplane: 'db-0' },
      { dataplane: 'db-0', namespace: 'c' },
      { dataplane: 'db-0.c' },
      { dataplane: 'db-0.a', namespace: 'b' },
      { dataplane: 'db-0.a.a' },
    ];
    expect(verdicts([...pods, allowing({ kind: 'Mesh' })], destinations)).toEqual([
      'deny unknown-destination',
      'deny unknown-destination',
      'deny unknown-destination',
      'deny conflict',
      'deny unknown-destination',
    ]);
  });

  test('have their own name in policies', () => {
    const everywhere = allowing({ kind: 'Dataplane', name: 'db-0' });
    const here = allowing({ kind: 'Dataplane', name: 'db-0' }, 'b');
    const called = allowing({ kind: 'Dataplane', name: 'db-0.a' });
    const both = [{ dataplane: 'db-0.a' }, { dataplane: 'db-0.b' }];
    expect(verdicts([...pods, everywhere], both)).toEqual(['allow rule', 'allow rule']);
    expect(verdicts([...pods, here], both)).toEqual(['deny default', 'allow rule']);
    expect(verdicts([...pods, called], both)).toEqual(['deny default', 'deny default']);
  });

  test('whatever the order of documents', () => {
    const [a, b] = pods as [object, object];
    const destinations = [{ dataplane: 'db-0.a' }, { dataplane: 'db-0.b' }, { dataplane: 'db-0' }];
    expect(verdicts([b, a, named], destinations)).toEqual(verdicts([a, b, named], destinations));
  });
});

test('[DST9] one that is alone with its name may be called with its namespace too, unless that is the name of another', () => {
  const [a] = pods as [object, object];
  const other = { type: 'Dataplane', name: 'db-0.a', inbounds: [{ port: 1 }] };
  const named = allowing({ kind: 'Dataplane', name: 'db-0' });
  const destinations = [{ dataplane: 'db-0' }, { dataplane: 'db-0.a' }];
  expect(verdicts([a, named], destinations)).toEqual(['allow rule', 'allow rule']);
  expect(verdicts([a, other, named], destinations)).toEqual(['allow rule', 'deny default']);
});
