import { expect, test } from 'vitest';
import { open } from '../../src/index.ts';

/** So many that they stand in a tree and not in one leaf. */
const sections = ['one', 'two', 'three', 'four', 'five', 'six'];

const world = [
  { type: 'Mesh', name: 'default', trustDomains: ['td.example'] },
  {
    type: 'Dataplane',
    mesh: 'default',
    name: 'backend',
    inbounds: sections.map((name, i) => ({ name, port: 8080 + i, tags: { 'kuma.io/service': 'backend' } })),
  },
];

function permission(section: string, effect: 'allow' | 'deny') {
  const matcher = { spiffeID: { type: 'Exact', value: 'spiffe://td.example/client' } };
  return {
    type: 'MeshTrafficPermission',
    mesh: 'default',
    name: `${effect}-${section}`,
    spec: {
      targetRef: { kind: 'Dataplane', sectionName: section },
      rules: [{ default: { [effect]: [matcher] } }],
    },
  };
}

test('[DST5] one of many sections is unknown: no allow for one of them holds, and any deny does', () => {
  const allows = sections.map((section) => permission(section, 'allow'));
  const source = { spiffeId: 'spiffe://td.example/client' };
  const whole = { source, destination: { dataplane: 'backend' } };
  const second = { source, destination: { dataplane: 'backend', inbound: 'two' } };

  const allowing = open([...world, ...allows]);
  expect(allowing.decide(whole)).toMatchObject({ decision: 'deny', reason: 'default' });
  expect(allowing.decide(second)).toMatchObject({ decision: 'allow', reason: 'rule' });

  const both = open([...world, ...allows, permission('five', 'deny')]);
  expect(both.decide(whole)).toMatchObject({ decision: 'deny', reason: 'unknown-attribute' });
  expect(both.decide(second)).toMatchObject({ decision: 'allow', reason: 'rule' });
});
