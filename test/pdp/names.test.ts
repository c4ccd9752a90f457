import { describe, expect, test } from 'vitest';
import { open } from '../../src/index.ts';
import { access, db, is, type Shape, service } from './shop.ts';

/** By which names things are said of who asks, and whether what is said as an identity is one. */

function ask(documents: Shape[], request: Shape) {
  const placet = open(documents);
  const decision = placet.decide(request);
  expect(placet.explain(request).decision).toEqual(decision);
  return [decision.decision, decision.reason, decision.by?.policy ?? null];
}

describe('[REQ8] ClusterLink names attributes in requests too', () => {
  const documents = [
    service,
    access('evil', 'deny', is('client.clusterlink.net/namespace', 'evil')),
    access('shop', 'deny', {}, 'shop', is('export.clusterlink.net/namespace', 'other')),
    access('all', 'allow', {}),
  ];

  test.each([
    [{ 'client.clusterlink.net/namespace': 'evil' }, ['deny', 'rule', 'evil']],
    [{ 'client.clusterlink.net/namespace': { value: 'evil', trust: 'reported' } }, ['deny', 'rule', 'evil']],
    [{ 'client.clusterlink.net/namespace': 'good' }, ['allow', 'rule', 'all']],
    // Of the other side: nothing of a source is called so.
    [{ 'export.clusterlink.net/namespace': 'evil' }, ['allow', 'rule', 'all']],
    [{ 'client.clusterlink.net/namespace': 'evil', 'k8s:ns': 'evil' }, ['deny', 'invalid-request', null]],
  ])('of a source: %j', (attributes, want) => {
    expect(ask(documents, { source: { attributes }, destination: db })).toEqual(want);
  });

  test('of a destination', () => {
    const attributes = { 'export.clusterlink.net/namespace': 'other' };
    const destination = { namespace: 'shop', attributes };
    expect(ask(documents, { source: { attributes: {} }, destination })).toEqual(['deny', 'rule', 'shop']);
  });

  test('one attribute by two names is said to be one', () => {
    const attributes = { 'peer.clusterlink.net/name': 'a', 'site:name': 'a' };
    const { violations } = open(documents).decide({ source: { attributes }, destination: db });
    expect(violations).toEqual([
      {
        path: ['source', 'attributes', 'peer.clusterlink.net/name'],
        code: 'conflict',
        message: 'got the same as "site:name" by another of its names, want one of them',
      },
    ]);
  });
});

describe('[SRC3] a SPIFFE ID among the attributes is one, or nobody is known', () => {
  const plane = { type: 'Dataplane', name: 'b', inbounds: [{ port: 80 }] };
  const under = { type: 'PathPrefix', value: 'spiffe://td/ns/a' };
  const friends = {
    type: 'MeshTrafficPermission',
    name: 'y',
    spec: { default: { allow: [{ spiffeId: under }] } },
  };

  test.each([
    ['spiffe://td/ns/a/sa/b', ['allow', 'rule', 'y']],
    ['spiffe://td/ns/a/../../evil', ['deny', 'invalid-source', null]],
    ['spiffe://td/ns/a/%2e%2e?x#y', ['deny', 'invalid-source', null]],
    ['', ['deny', 'invalid-source', null]],
  ])('%s', (id, want) => {
    for (const stated of [id, { value: id, trust: 'attested' }]) {
      const source = { attributes: { 'spiffe:id': stated } };
      expect(ask([plane, friends], { source, destination: { dataplane: 'b' } })).toEqual(want);
    }
  });
});
