import { expect, test } from 'vitest';
import type { Document } from '../../../src/policy/document.ts';
import { load } from '../../../src/policy/load.ts';
import { Inbounds } from '../../../src/policy/migrate/inbounds.ts';
import { checked } from '../../../src/policy/migrate/round-trip.ts';
import { digest } from '../loading.ts';
import { asDocument, planFor } from './brute.ts';
import { all, type Fields, from, inventory, policy } from './shop.ts';

/** Policies that are bound to a namespace or a zone, and proxies of which tags say where they are. */

function universal(app: string, more: Fields = {}): Fields {
  const labels = { app, 'kuma.io/env': 'universal', 'kuma.io/workload': app, ...more };
  const tags = { 'kuma.io/service': app, 'kuma.io/zone': 'east' };
  return { type: 'Dataplane', name: `${app}-1`, labels, inbounds: [{ port: 80, tags }] };
}

const mesh = { type: 'Mesh', name: 'default', certificates: 'tags', trustDomains: ['mesh.local'] };
const everybody = policy(from([all, 'Allow']), { targetRef: all }, { name: 'all' });
const ofZone = { name: 'ban', labels: { 'kuma.io/zone': 'east', 'kuma.io/origin': 'zone' } };
const ban = policy(from(['client', 'Deny']), { targetRef: { kind: 'MeshService', name: 'web' } }, ofZone);

function plansFor(web: Fields) {
  const { meshes } = planFor([mesh, universal('client'), web, everybody, ban]);
  return new Map(meshes.flatMap(({ policies }) => policies.map((one) => [one.info.name, one])));
}

test('[MIG8] [MTP7] a target is not written by labels where only tags say the zone that binds its policy', () => {
  const plans = plansFor(universal('web'));
  expect(plans.get('ban')).toMatchObject({
    status: 'lost',
    written: false,
    documents: [],
    reasons: [
      'no labels select the inbounds that MeshService "web" does, since it is bound to "kuma.io/zone=east", which no label says of some',
    ],
  });
  // Its deny is not written, so that nothing that lets the client in is.
  expect(plans.get('all')).toMatchObject({ status: 'narrower', written: false });
});

test('[MIG8] [MTP7] where a label says it the target is written', () => {
  const plans = plansFor(universal('web', { 'kuma.io/zone': 'east' }));
  expect(plans.get('ban')).toMatchObject({
    status: 'equal-for-inventory',
    written: true,
    documents: [{ spec: { targetRef: { kind: 'Dataplane', labels: { app: 'web' } } } }],
  });
  expect(plans.get('all')).toMatchObject({ written: true });
});

test('[MIG8] [MIG9] what would be read for other inbounds than it was is not written, nor what goes with it', () => {
  const values = [...inventory, everybody, policy(from(['web', 'Allow']), { targetRef: all })];
  const documents = values.map(asDocument);
  const loaded = load(documents, digest);
  const reload = (some: readonly Document[]) => load(some, digest);
  const again = (plan: ReturnType<typeof planFor>) =>
    checked(plan, loaded, new Inbounds(loaded.inventory), documents, reload);
  const plan = planFor(values);
  expect(again(plan)).toBe(plan);
  const meshes = plan.meshes.map((one) => ({
    ...one,
    policies: one.policies.map((own) => ({
      ...own,
      documents: own.documents.map((document) => ({
        ...document,
        spec: {
          ...(document['spec'] as Fields),
          targetRef: { kind: 'Dataplane', labels: { app: 'db' } },
        },
      })),
    })),
  }));
  for (const { written, reasons } of again({ ...plan, meshes }).meshes[0]!.policies)
    expect([written, reasons.at(-1)]).toEqual([
      false,
      expect.stringMatching(/^what would be written for "(all|p)" selects other inbounds$/),
    ]);
});
