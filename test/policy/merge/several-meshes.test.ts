import { describe, expect, test } from 'vitest';
import { byStrength } from '../../../src/policy/targets/order.ts';
import { confOf, loadedValues, toService } from './loading.ts';

/** Of two meshes each has its own order of names, and neither has a say in what the other's policies come to. */

const dataplane = {
  type: 'Dataplane',
  mesh: 'default',
  name: 'web',
  networking: {
    inbound: [{ port: 80, tags: { 'kuma.io/service': 'web' } }],
    outbound: [{ port: 90, tags: { 'kuma.io/service': 'db' } }],
  },
};
const permission = (mesh: string, name: string, action: string) => ({
  type: 'MeshTrafficPermission',
  mesh,
  name,
  spec: { targetRef: { kind: 'Mesh' }, from: [{ targetRef: { kind: 'Mesh' }, default: { action } }] },
});
const timeout = (mesh: string, name: string, connectionTimeout: string) => ({
  type: 'MeshTimeout',
  mesh,
  name,
  spec: {
    targetRef: { kind: 'Mesh' },
    to: [{ targetRef: { kind: 'Mesh' }, default: { connectionTimeout } }],
  },
});

/** In every order in which they may come. */
function* orders<T>(all: readonly T[]): Generator<readonly T[]> {
  if (all.length === 0) yield [];
  for (const [at, one] of all.entries())
    for (const rest of orders(all.toSpliced(at, 1))) yield [one, ...rest];
}

const meshes = [
  { type: 'Mesh', name: 'default' },
  { type: 'Mesh', name: 'other', nameOrder: 'larger-wins' },
  dataplane,
];

describe('[NS6] [TIER2] policies of meshes with different orders of names', () => {
  test('merge the same, however documents come', () => {
    const policies = [
      timeout('default', 'c', '3s'),
      timeout('other', 'a', '1s'),
      timeout('default', 'b', '2s'),
    ];
    for (const some of orders(policies)) {
      const loaded = loadedValues([...meshes, ...some]);
      const merged = toService(confOf(loaded, 'default/web', 'MeshTimeout'), 'db');
      expect(merged?.conf, some.map(({ name }) => name).join()).toEqual({ connectionTimeout: '2s' });
    }
  });

  test('by tags too, where the winner is that of decisions', () => {
    const policies = [
      permission('default', 'c', 'Deny'),
      permission('other', 'a', 'Allow'),
      permission('default', 'b', 'Allow'),
    ];
    for (const some of orders(policies)) {
      const loaded = loadedValues([...meshes, ...some]);
      const conf = confOf(loaded, 'default/web', 'MeshTrafficPermission')?.inbounds[0]?.conf;
      expect(conf?.as === 'rules' && conf.rules.map(({ conf }) => conf)).toEqual([{ action: 'Allow' }]);
    }
  });

  test('have one order', () => {
    const names = ['a', 'b', 'c', 'd'];
    const policies = names.flatMap((name) => ['default', 'other'].map((mesh) => timeout(mesh, name, '1s')));
    const { targeted, nameOrder } = loadedValues([...meshes, ...policies]);
    const compare = byStrength(nameOrder);
    for (const a of targeted)
      for (const b of targeted) {
        expect(Math.sign(compare(a, b))).toBe(-Math.sign(compare(b, a)) + 0);
        for (const c of targeted)
          if (compare(a, b) < 0 && compare(b, c) < 0) expect(compare(a, c)).toBeLessThan(0);
      }
  });
});
