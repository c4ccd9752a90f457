import { describe, expect, test } from 'vitest';
import { loadValues } from '../loading.ts';
import { planFor } from './brute.ts';
import {
  all,
  dataplane,
  everybody,
  exact,
  type Fields,
  from,
  inventory,
  plansOf,
  policy,
  toDb,
} from './shop.ts';

describe('documents', () => {
  test('[MIG8] [MIG1] in the shape of Kubernetes, without what the server added', () => {
    const { documents } = plansOf({
      apiVersion: 'kuma.io/v1alpha1',
      kind: 'MeshTrafficPermission',
      metadata: {
        name: 'p',
        namespace: 'kuma-system',
        uid: '1',
        resourceVersion: '2',
        labels: { 'kuma.io/mesh': 'default', team: 'shop' },
        annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}', note: 'x' },
      },
      spec: { ...toDb, from: from([all, 'Allow']) },
      status: {},
    }).get('p')!;
    expect(documents).toEqual([
      {
        apiVersion: 'kuma.io/v1alpha1',
        kind: 'MeshTrafficPermission',
        metadata: {
          name: 'p',
          namespace: 'kuma-system',
          labels: { 'kuma.io/mesh': 'default', team: 'shop' },
          annotations: { note: 'x' },
        },
        spec: { ...toDb, rules: [{ default: { allow: [everybody] } }] },
      },
    ]);
  });

  test('[MIG8] out of a list, and with fields beside the name', () => {
    const { mesh: _, ...item } = policy(from([all, 'Allow']), toDb);
    const inline = { type: 'MeshTrafficPermission', name: 'q', ...toDb, from: from([all, 'Allow']) };
    const plan = planFor([...inventory, inline, { apiVersion: 'v1', kind: 'List', items: [item] }]);
    const documents = plan.meshes[0]!.policies.flatMap((one) => one.documents);
    const spec = { ...toDb, rules: [{ default: { allow: [everybody] } }] };
    expect(documents).toContainEqual({ type: 'MeshTrafficPermission', name: 'p', spec });
    expect(documents).toContainEqual({ type: 'MeshTrafficPermission', name: 'q', spec });
    expect(plan.meshes[0]!.policies.every(({ written }) => written)).toBe(true);
  });

  test('[MIG8] [MIG4] the second one has a name and a display name of its own', () => {
    const labels = { 'kuma.io/display-name': 'mine' };
    const plans = plansOf(
      policy(from(['web', 'DenyWithShadowAllow']), toDb, { labels }),
      policy(from([all, 'Deny']), toDb, { name: 'p-shadow' }),
    );
    expect(plans.get('mine')!.documents).toMatchObject([
      { name: 'p-shadow-2', labels: { 'kuma.io/display-name': 'p-shadow-2', 'kuma.io/effect': 'shadow' } },
    ]);
    expect(plans.get('mine')!.written).toBe(true);
  });

  test('[MIG8] one that is never enforced stays so', () => {
    const labels = { 'kuma.io/effect': 'shadow' };
    const { documents } = plansOf(policy(from(['web', 'Allow']), toDb, { labels })).get('p')!;
    expect(documents).toMatchObject([
      { name: 'p', labels, spec: { rules: [{ default: { allow: [exact('web-v1'), exact('web-v2')] } }] } },
    ]);
  });

  test('[MIG8] what the default says becomes nothing, and is done', () => {
    expect(plansOf(policy(from([all, 'Deny']))).get('p')).toMatchObject({
      status: 'equal',
      written: true,
      documents: [],
    });
  });

  test.each<[string, Fields, Fields | undefined]>([
    ['the mesh', { kind: 'Mesh' }, { kind: 'Mesh' }],
    ['a subset without tags', { kind: 'MeshSubset' }, { kind: 'Mesh' }],
    ['a service', { kind: 'MeshService', name: 'web' }, { kind: 'Dataplane', labels: { app: 'web' } }],
    [
      'a proxy by its older name',
      { kind: 'Proxy', labels: { app: 'db' } },
      { kind: 'Dataplane', labels: { app: 'db' } },
    ],
    [
      'a version of a service',
      { kind: 'MeshServiceSubset', name: 'web', tags: { version: 'v2' } },
      { kind: 'Dataplane', labels: { 'k8s.kuma.io/service-account': 'web-v2' } },
    ],
    ['versions that no label tells apart', { kind: 'MeshSubset', tags: { version: 'v1' } }, undefined],
    ['a service that is not there', { kind: 'MeshService', name: 'x' }, undefined],
    ['a route', { kind: 'MeshHTTPRoute', name: 'x' }, undefined],
    ['gateways', { kind: 'Mesh', proxyTypes: ['Gateway'] }, undefined],
  ])('[MIG8] the target %s', (_, targetRef, wanted) => {
    const found = plansOf(policy(from([all, 'Allow']), { targetRef })).get('p')!;
    if (wanted === undefined) expect(found).toMatchObject({ status: 'lost', written: false, documents: [] });
    else expect(found.documents).toMatchObject([{ spec: { targetRef: wanted } }]);
  });

  test('[MIG8] one of several inbounds is told by its name or its port', () => {
    const inbounds = [
      { port: 80, name: 'main', tags: { 'kuma.io/service': 'cache' } },
      { port: 81, tags: { 'kuma.io/service': 'cache-admin' } },
    ];
    const cache = dataplane('cache', 'v1', { inbounds });
    const target = (name: string) => {
      const items = policy(from([all, 'Allow']), { targetRef: { kind: 'MeshService', name } });
      return planFor([...inventory, cache, items]).meshes[0]!.policies[0]!.documents[0]?.['spec'];
    };
    expect(target('cache')).toMatchObject({ targetRef: { labels: { app: 'cache' }, sectionName: 'main' } });
    expect(target('cache-admin')).toMatchObject({
      targetRef: { labels: { app: 'cache' }, sectionName: '81' },
    });
  });

  test('[MIG8] [MIG9] what is written is read without a violation', () => {
    const plan = planFor([...inventory, policy(from([all, 'Allow'], ['web', 'DenyWithShadowAllow']), toDb)]);
    const documents = plan.meshes[0]!.policies.flatMap((one) => one.documents);
    expect(documents.length).toBe(2);
    expect(loadValues(...inventory, ...documents).violations).toEqual([]);
  });
});
