import fc from 'fast-check';
import { expect, test } from 'vitest';
import { open } from '../../../src/index.ts';
import { explicitDocument } from '../../../src/policy/targets/additions.ts';
import { loadObjects } from './loading.ts';
import { dataplanes, type Policy, policies } from './random.ts';
import { isRight } from './twin.ts';

/** The same policies as permissions: what is written in sugar and what is written in full decide the same. */

const actions = ['Allow', 'Deny', 'AllowWithShadowDeny', 'DenyWithShadowAllow'];
const clients = [
  { kind: 'Mesh' },
  { kind: 'MeshSubset', tags: { version: '!v1' } },
  { kind: 'MeshService', name: 'db' },
];

function permissionOf({ spec, ...policy }: Policy, index: number): Policy {
  const action = actions[index % actions.length]!;
  const targetRef = index % 2 === 0 ? undefined : clients[index % clients.length];
  const item = { ...(targetRef && { targetRef }) };
  const body =
    spec.conf === undefined
      ? { from: [{ ...item, default: { action } }] }
      : { conf: { from: [{ ...item, action }] } };
  const full = { ...policy, type: 'MeshTrafficPermission', name: `${policy.name}${index}` };
  return { ...full, spec: { ...(spec.targetRef && { targetRef: spec.targetRef }), ...body } };
}

const permissions = policies.map((all) => all.map(permissionOf).filter(isRight));

test('[NS3] [NS4] [NS6] permissions in sugar and in full decide the same, and name the same rule', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(permissions, dataplanes, (all, proxies) => {
      const { targeted, violations } = loadObjects(...all);
      expect(violations).toEqual([]);
      const full = targeted.map((policy) => explicitDocument(all[policy.head.document], policy));
      const [sugar, written] = [open([...all, ...proxies]), open([...full, ...proxies] as object[])];
      for (const proxy of proxies)
        for (const [index] of proxy.networking.inbound.entries())
          for (const tags of [{ version: 'v1' }, { 'kuma.io/service': 'db' }]) {
            const request = {
              source: { mesh: 'default', tags },
              destination: { dataplane: proxy.name, inbound: 80 + index },
            };
            const [one, other] = [sugar.decide(request), written.decide(request)];
            expect({ ...one, snapshot: '' }).toEqual({ ...other, snapshot: '' });
            seen.add(`${one.decision} ${one.tier}`);
          }
    }),
    { seed: 20261118, numRuns: 300 },
  );
  expect([...seen].sort()).toEqual(['allow 3', 'deny 2', 'deny 4', 'deny null']);
});
