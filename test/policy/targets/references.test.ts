import { describe, expect, test } from 'vitest';
import { explicit } from '../../../src/policy/targets/explicit.ts';
import { loadObjects, loadYaml, saidOf, statusesOf } from './loading.ts';

const web = {
  type: 'Dataplane',
  name: 'web-1',
  namespace: 'shop',
  labels: { 'kuma.io/zone': 'zone-1' },
  networking: {
    inbound: [{ port: 80, tags: { 'kuma.io/service': 'web' } }],
    outbound: [
      { port: 81, tags: { 'kuma.io/service': 'backend_backend-ns_svc_8080' } },
      { port: 82, tags: { 'kuma.io/service': 'plain' } },
    ],
  },
};

const timeout = (name: string, spec: object, more: object = {}) => ({
  type: 'MeshTimeout',
  name,
  ...more,
  spec,
});
const to = (...refs: readonly object[]) => ({ to: refs.map((targetRef) => ({ targetRef, default: {} })) });

describe('[REF6] a reference that leads nowhere is a status, and the rest keeps working', () => {
  test.each([
    [
      'a service that no document and no proxy has',
      { kind: 'MeshService', name: 'ghost' },
      'the MeshService "ghost"',
    ],
    [
      'a service of another namespace',
      { kind: 'MeshService', name: 'backend', namespace: 'other-ns' },
      'the MeshService "backend" in the namespace "other-ns"',
    ],
    ['a route', { kind: 'MeshHTTPRoute', name: 'ghost' }, 'the MeshHTTPRoute "ghost"'],
    ['a route by labels', { kind: 'MeshHTTPRoute', labels: { a: 'b' } }, 'a MeshHTTPRoute with these labels'],
    [
      'an external service',
      { kind: 'MeshExternalService', name: 'ghost' },
      'the MeshExternalService "ghost"',
    ],
    [
      'a service of several zones',
      { kind: 'MeshMultiZoneService', name: 'x' },
      'the MeshMultiZoneService "x"',
    ],
  ])('%s', (_title, ref, words) => {
    const loaded = loadObjects(web, timeout('a', to(ref)), timeout('b', to({ kind: 'Mesh' })));
    expect(saidOf(loaded)).toEqual([]);
    expect(loaded.statuses).toEqual([
      expect.objectContaining({
        code: 'reference',
        kind: 'MeshTimeout',
        name: 'a',
        mesh: 'default',
        document: 1,
        path: ['spec', 'to', 0, 'targetRef'],
        message: `got ${words}, which these documents do not have`,
      }),
    ]);
    expect(loaded.targeted.map(({ head }) => head.name)).toEqual(['a', 'b']);
  });

  test.each([
    ['by the tag of an outbound', { kind: 'MeshService', name: 'plain' }],
    ['by its long name', { kind: 'MeshService', name: 'backend_backend-ns_svc_8080' }],
    [
      'by the name and the namespace of the tag',
      { kind: 'MeshService', name: 'backend', namespace: 'backend-ns' },
    ],
    ['by the label of its name', { kind: 'MeshService', labels: { 'kuma.io/display-name': 'backend' } }],
    ['as a subset', { kind: 'MeshServiceSubset', name: 'web', tags: { version: 'v1' } }],
  ])('a service is known %s', (_title, ref) => {
    expect(statusesOf(loadObjects(web, timeout('a', to(ref))))).toEqual([]);
  });

  test('where no proxy and no service is known, none is missing', () => {
    expect(statusesOf(loadObjects(timeout('a', to({ kind: 'MeshService', name: 'ghost' }))))).toEqual([]);
  });

  test.each([
    [{ kind: 'Dataplane', name: 'web-2' }, 'the Dataplane "web-2"'],
    [{ kind: 'MeshService', name: 'wbe' }, 'the MeshService "wbe"'],
    [{ kind: 'MeshGateway', name: 'edge' }, 'the MeshGateway "edge"'],
    [{ kind: 'MeshGatewayRoute', name: 'edge' }, 'the MeshGatewayRoute "edge"'],
  ])('at the top: %j', (targetRef, words) => {
    const loaded = loadObjects(web, timeout('a', { targetRef, ...to({ kind: 'Mesh' }) }));
    expect(loaded.statuses.map(({ path, message }) => [path.join('.'), message])).toEqual([
      ['spec.targetRef', `got ${words}, which these documents do not have`],
    ]);
  });

  test('near names are named, and where an external service is looked for', () => {
    const hint = (ref: object, more: object = {}) =>
      loadObjects(web, timeout('a', to(ref), more)).statuses.map((status) => status.hint)[0];
    expect(hint({ kind: 'MeshService', name: 'plai' })).toBe('did you mean "plain"?');
    expect(hint({ kind: 'MeshExternalService', name: 'x' }, { namespace: 'shop' })).toBe(
      'write the namespace in which it is: "kuma-system"',
    );
  });

  test('a backend of a route', () => {
    const rules = [{ default: { backendRefs: [{ kind: 'MeshService', name: 'ghost' }] } }];
    const route = {
      type: 'MeshHTTPRoute',
      name: 'r',
      spec: { to: [{ targetRef: { kind: 'MeshService', name: 'plain' }, rules }] },
    };
    expect(statusesOf(loadObjects(web, route))).toEqual([
      'spec.to[0].rules[0].default.backendRefs[0]: got the MeshService "ghost", which these documents do not have',
    ]);
  });
});

describe('[REF6] namespaces and zones', () => {
  const from = { from: [{ default: {} }] };

  test('a namespace in which the zone has no proxy', () => {
    const inZone = (namespace: string, zone: string) =>
      statusesOf(loadObjects(web, timeout('a', from, { namespace, labels: { 'kuma.io/zone': zone } })));
    expect(inZone('shop', 'zone-1')).toEqual([]);
    expect(inZone('shops', 'zone-1')).toEqual([
      'namespace: got the namespace "shops", in which there is no dataplane of the zone "zone-1"',
    ]);
    // Nothing is known of that zone.
    expect(inZone('shops', 'zone-2')).toEqual([]);
    expect(statusesOf(loadObjects(timeout('a', from, { namespace: 'shops' })))).toEqual([]);
  });

  test('a zone that is none', () => {
    const zone = { type: 'Zone', name: 'zone-1' };
    const said = statusesOf(loadObjects(zone, timeout('a', from, { labels: { 'kuma.io/zone': 'zone-2' } })));
    expect(said).toEqual([
      'labels["kuma.io/zone"]: got the zone "zone-2", which no Zone of these documents is (did you mean "zone-1"?)',
    ]);
  });
});

describe('[REF6] equal names from two files', () => {
  const policy = (conf: object, more: object = {}) =>
    timeout('same', { to: [{ targetRef: { kind: 'Mesh' }, default: conf }] }, more);

  test('equal documents count once', () => {
    const loaded = loadObjects(
      policy({ a: 1, b: 2 }),
      policy({ b: 2, a: 1 }),
      timeout('other', to({ kind: 'Mesh' })),
    );
    expect(saidOf(loaded)).toEqual([]);
    expect(loaded.statuses.map(({ document, hint }) => [document, hint])).toEqual([
      [1, 'this one does not count'],
    ]);
    expect(loaded.targeted.map(({ head }) => head.name)).toEqual(['same', 'other']);
  });

  test('of documents that differ none counts, whatever their order', () => {
    for (const both of [
      [policy({ a: 1 }), policy({ a: 2 })],
      [policy({ a: 2 }), policy({ a: 1 })],
    ]) {
      const loaded = loadObjects(...both, timeout('other', to({ kind: 'Mesh' })));
      expect(loaded.statuses.map(({ code, name, hint }) => [code, name, hint])).toEqual([
        ['duplicate-document', 'same', 'they differ, and neither counts: remove one'],
        ['duplicate-document', 'same', 'they differ, and neither counts: remove one'],
      ]);
      expect(loaded.targeted.map(({ head }) => head.name)).toEqual(['other']);
    }
  });

  test('an original goes before its copy', () => {
    const labels = { 'kuma.io/display-name': 'same', 'k8s.kuma.io/namespace': 'shop' };
    const copy = { ...policy({ a: 2 }), name: 'same-0123456789abcdef', namespace: 'kuma-system', labels };
    const loaded = loadObjects(copy, policy({ a: 1 }, { namespace: 'shop' }));
    expect(loaded.targeted.map(({ head }) => head.name)).toEqual(['same']);
    expect(loaded.statuses.map(({ document }) => document)).toEqual([0]);
  });

  test('services too, by name and namespace', () => {
    const service = (value: string) => ({
      type: 'MeshService',
      name: 'backend',
      spec: { selector: { dataplaneTags: { 'kuma.io/service': value } } },
    });
    const loaded = loadObjects(service('a'), service('b'));
    expect(loaded.statuses).toHaveLength(2);
    expect(loaded.resources.all).toEqual([]);
  });
});

describe('[REF7] routes in a circle', () => {
  const route = (name: string, ...refs: readonly string[]) => ({
    type: 'MeshHTTPRoute',
    name,
    spec: to(...refs.map((other) => ({ kind: 'MeshHTTPRoute', name: other }))),
  });

  test('each of them says who the others are; what leads into the circle does not', () => {
    const loaded = loadObjects(
      route('a', 'b'),
      route('b', 'c'),
      route('c', 'a'),
      route('d', 'a'),
      route('e', 'e'),
    );
    expect(loaded.statuses.map(({ name, message }) => [name, message])).toEqual([
      ...['a', 'b', 'c'].map((name) => [
        name,
        'got routes that refer to each other, "a" in the mesh "default", "b" in the mesh "default", "c" in the mesh "default": policies for them are for nothing',
      ]),
      ['e', 'got a route that refers to itself, "e" in the mesh "default": policies for it are for nothing'],
    ]);
  });

  test('a chain of 20,000 routes is none, and its end in a circle is said of the circle alone', () => {
    const chain = Array.from({ length: 20_000 }, (_, at) => route(`r${at}`, `r${at + 1}`));
    const loaded = loadObjects(...chain, route('r20000', 'r19999'));
    expect(loaded.statuses.map(({ name }) => name)).toEqual(['r19999', 'r20000']);
  });
});

test('[REF5] what is not used of what references lead to is listed as ignored, not refused', () => {
  const loaded = loadYaml(`
type: MeshService
name: backend
spec:
  selector: {dataplaneTags: {kuma.io/service: backend}, x: 1}
  ports: [{port: 80, targetPort: 8080, appProtocol: http}]
  identities: []
---
apiVersion: kuma.io/v1alpha1
kind: MeshGateway
mesh: default
metadata: {name: edge-gateway}
spec:
  conf: {listeners: [{port: 80, protocol: HTTP}]}
  selectors: [{match: {kuma.io/service: edge-gateway}}]
`);
  expect(saidOf(loaded)).toEqual([]);
  expect(loaded.ignored.map(({ path }) => path.join('.'))).toEqual([
    'spec.selector.x',
    'spec.ports.0.targetPort',
    'spec.ports.0.appProtocol',
    'spec.identities',
    'spec.conf',
  ]);
});

test('[REF5] several things may have the labels, one the name', () => {
  const service = (name: string, namespace: string, labels: object = {}) => ({
    type: 'MeshService',
    name,
    namespace,
    labels,
    spec: {},
  });
  const loaded = loadObjects(
    service('backend', 'a'),
    service('backend', 'b'),
    service('backend-0123', 'kuma-system', {
      'kuma.io/display-name': 'backend',
      'k8s.kuma.io/namespace': 'c',
    }),
    timeout('t', to({ kind: 'MeshService', labels: { 'kuma.io/display-name': 'backend' } }), {
      namespace: 'a',
    }),
  );
  const { resources, targeted } = loaded;
  const found = (ref: object) =>
    resources
      .resolve({ kind: 'MeshService', ...ref }, 'default')
      .map(({ head }) => `${head.namespace}/${head.name}`);
  expect(found(explicit(targeted[0]!).to![0]!.targetRef)).toEqual([
    'a/backend',
    'b/backend',
    'kuma-system/backend-0123',
  ]);
  expect(found({ labels: { 'kuma.io/display-name': 'backend', 'k8s.kuma.io/namespace': 'c' } })).toEqual([
    'kuma-system/backend-0123',
  ]);
  expect(found({ name: 'backend', namespace: 'b' })).toEqual(['b/backend']);
  expect(found({ name: 'backend' })).toEqual([]);
  expect(found({ name: 'backend-0123' })).toEqual(['kuma-system/backend-0123']);
  expect(found({ labels: {} })).toEqual([]);
});

test('[REF6] 5,000 policies for one proxy, each with a reference that leads nowhere', () => {
  const policies = Array.from({ length: 5_000 }, (_, at) =>
    timeout(`p${at}`, to({ kind: 'MeshService', name: `ghost-${at}` }, { kind: 'Mesh' })),
  );
  const start = performance.now();
  const loaded = loadObjects(web, ...policies);
  expect(performance.now() - start).toBeLessThan(20_000);
  expect(loaded.statuses).toHaveLength(5_000);
  expect(loaded.targeted).toHaveLength(5_000);
});
