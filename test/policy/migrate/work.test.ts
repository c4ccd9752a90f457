import { expect, test } from 'vitest';
import { limits } from '../../../src/pdp/model/limits.ts';
import type { Clients } from '../../../src/policy/migrate/clients.ts';
import type { Ground } from '../../../src/policy/migrate/ground.ts';
import { tooMuch } from '../../../src/policy/migrate/work.ts';
import { planFor } from './brute.ts';

const clients = (kinds: number): Clients =>
  ({ kinds: { length: kinds }, ids: { length: 0 } }) as unknown as Clients;
const ground = (groups: number): Ground => ({
  mesh: 'm',
  policies: [],
  scopes: [],
  groups: Array.from({ length: groups }, () => ({
    inbounds: [],
    scopes: [],
    others: [],
    requestsTell: false,
  })),
});

test('[MIG10] a comparison at the limit is made, one over it is refused with its size', () => {
  const kinds = limits.migrationSteps / 10;
  expect(tooMuch(ground(10), clients(kinds))).toBe(undefined);
  expect(tooMuch(ground(10), clients(kinds + 1))).toBe(
    `got 0 policies, 10 kinds of inbounds and ${kinds + 1} of clients, which take ${limits.migrationSteps + 10} steps to compare, want at most ${limits.migrationSteps}: migrate a part of the policies at a time`,
  );
});

/** Services of several proxies each, with a policy each and one for all. */
function services(count: number, proxies: number): object[] {
  const names = Array.from({ length: count }, (_, at) => `s${at}`);
  const dataplane = (app: string, at: number) => ({
    type: 'Dataplane',
    name: `${app}-${at}`,
    labels: {
      app,
      'k8s.kuma.io/namespace': 'shop',
      'kuma.io/zone': 'east',
      'k8s.kuma.io/service-account': app,
    },
    inbounds: [{ port: 80, tags: { 'kuma.io/service': app } }],
  });
  const policy = (name: string, spec: object) => ({ type: 'MeshTrafficPermission', name, spec });
  return [
    { type: 'Mesh', name: 'default', certificates: 'tags', trustDomains: ['default.east.mesh.local'] },
    ...names.flatMap((app) => Array.from({ length: proxies }, (_, at) => dataplane(app, at))),
    policy('all', { from: [{ targetRef: { kind: 'Mesh' }, default: { action: 'Deny' } }] }),
    ...names.map((app, at) =>
      policy(`to-${app}`, {
        targetRef: { kind: 'Dataplane', labels: { app } },
        from: [
          {
            targetRef: { kind: 'MeshService', name: names[(at + 1) % count]! },
            default: { action: 'Allow' },
          },
        ],
      }),
    ),
  ];
}

test('[MIG10] clients and inbounds that are alike are compared once, and all are counted', () => {
  const [few, many] = [planFor(services(20, 1)), planFor(services(20, 30))];
  for (const plan of [few, many]) {
    expect(plan.clients.kinds.length).toBe(20);
    expect(plan.meshes[0]!.ground.groups.length).toBe(20);
    expect(plan.meshes[0]!.policies.every(({ written }) => written)).toBe(true);
  }
  const stays = many.meshes[0]!.policies.map(({ tally }) => tally.enforced.stays).reduce((a, b) => a + b, 0);
  expect(stays).toBe((20 * 30) ** 2);
});

test('[MIG10] names of objects are names of tags, labels and services like any other', () => {
  const odd = JSON.parse(
    JSON.stringify(services(2, 1)).replaceAll('"s0"', '"constructor"').replaceAll('"app"', '"toString"'),
  );
  expect(planFor(odd).meshes[0]!.policies.map(({ status }) => status)).toEqual([
    'equal',
    'equal-for-inventory',
    'equal-for-inventory',
  ]);
});
