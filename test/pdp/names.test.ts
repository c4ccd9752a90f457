import { describe, expect, test } from 'vitest';
import { open } from '../../src/index.ts';
import type { Shape } from './shop.ts';

/** Whether what is said as an identity is one. */

function ask(documents: Shape[], request: Shape) {
  const placet = open(documents);
  const decision = placet.decide(request);
  expect(placet.explain(request).decision).toEqual(decision);
  return [decision.decision, decision.reason, decision.by?.policy ?? null];
}

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
