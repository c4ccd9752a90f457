import { describe, expect, test } from 'vitest';
import type { KindConf } from '../../../src/policy/merge/confs.ts';
import { confOf, loadedText, rulesOf, type Shown, shown, toService } from './loading.ts';

const world = `
type: Dataplane
name: web-1
networking:
  inbound: [{port: 80, tags: {kuma.io/service: web}}]
  outbound:
    - {port: 1, tags: {kuma.io/service: backend}}
    - {port: 2, tags: {kuma.io/service: pay}}
---
type: Dataplane
name: api-1
networking:
  inbound: [{port: 80, tags: {kuma.io/service: api}}]
  outbound: [{port: 1, tags: {kuma.io/service: backend}}]
---
type: MeshHTTPRoute
name: backend-v2
spec:
  targetRef: {kind: MeshService, name: web}
  to:
    - targetRef: {kind: MeshService, name: backend}
      rules: [{matches: [{path: {type: PathPrefix, value: /v2}}], default: {}}]
---
`;
const timeout = (name: string, spec: string) => `type: MeshTimeout\nname: ${name}\nspec: ${spec}\n---\n`;

function byRoute(conf: KindConf | undefined, service: string): Readonly<Record<string, Shown | undefined>> {
  const found = conf?.outbounds.find(({ outbound }) => outbound.destination.name === service);
  return Object.fromEntries(found!.routes.map(({ route, merged }) => [route.head.name, shown(merged)]));
}

describe('routes', () => {
  const mesh = timeout('mesh', '{to: [{targetRef: {kind: Mesh}, default: {a: mesh, b: mesh, c: mesh}}]}');
  const service = timeout(
    'service',
    '{to: [{targetRef: {kind: MeshService, name: backend}, default: {b: service}}]}',
  );

  test('[MRG9] a route has what its outbound has, and what items about it say', () => {
    const route = timeout(
      'route',
      '{to: [{targetRef: {kind: MeshHTTPRoute, name: backend-v2}, default: {c: route}}]}',
    );
    const loaded = loadedText(world + mesh + service + route);
    const web = confOf(loaded, 'default/web-1', 'MeshTimeout');
    // Of three equally strong policies the smaller name is the stronger one.
    expect(toService(web, 'backend')?.conf).toEqual({ a: 'mesh', b: 'mesh', c: 'mesh' });
    expect(byRoute(web, 'backend')['backend-v2']?.conf).toEqual({ a: 'mesh', b: 'mesh', c: 'mesh' });
    const renamed = loadedText(world + mesh.replace('name: mesh', 'name: zzz') + service + route);
    const other = confOf(renamed, 'default/web-1', 'MeshTimeout');
    expect(toService(other, 'backend')?.conf).toEqual({ a: 'mesh', b: 'service', c: 'mesh' });
    expect(byRoute(other, 'backend')['backend-v2']).toEqual({
      conf: { a: 'mesh', b: 'service', c: 'route' },
      by: { a: 'zzz', b: 'service', c: 'route' },
    });
  });

  test('[MRG9] a policy that is for a route at its top speaks of the route alone, wherever it is', () => {
    const top = timeout(
      'top',
      '{targetRef: {kind: MeshHTTPRoute, name: backend-v2}, to: [{targetRef: {kind: Mesh}, default: {a: top}}]}',
    );
    const loaded = loadedText(world + mesh + service + top);
    const web = confOf(loaded, 'default/web-1', 'MeshTimeout');
    expect(toService(web, 'backend')?.conf).toMatchObject({ a: 'mesh' });
    expect(toService(web, 'pay')?.conf).toMatchObject({ a: 'mesh' });
    expect(byRoute(web, 'backend')['backend-v2']?.conf).toMatchObject({ a: 'top', c: 'mesh' });
    expect(byRoute(web, 'pay')).toEqual({});
  });

  test('[MRG9] a policy that is for one route says nothing of another', () => {
    const other = `type: MeshHTTPRoute
name: backend-v3
spec:
  to: [{targetRef: {kind: MeshService, name: backend}, rules: []}]
---
`;
    const top = timeout(
      'top',
      '{targetRef: {kind: MeshHTTPRoute, name: backend-v2}, to: [{targetRef: {kind: Mesh}, default: {a: top}}]}',
    );
    const routes = byRoute(
      confOf(loadedText(world + other + mesh + top), 'default/web-1', 'MeshTimeout'),
      'backend',
    );
    expect(routes['backend-v2']?.conf).toMatchObject({ a: 'top' });
    expect(routes['backend-v3']?.conf).toMatchObject({ a: 'mesh' });
  });

  test('[MRG9] what a policy for a route says of clients is for requests that take it', () => {
    const log = (name: string, targetRef: string) => `type: MeshAccessLog
name: ${name}
spec:
  targetRef: ${targetRef}
  from: [{targetRef: {kind: Mesh}, default: {a: ${name}}}]
---
`;
    const logs = log('all', '{kind: Mesh}') + log('route', '{kind: MeshHTTPRoute, name: backend-v2}');
    const [inbound] = confOf(loadedText(world + logs), 'default/web-1', 'MeshAccessLog')!.inbounds;
    expect(rulesOf(inbound!.conf)).toEqual([['', { a: 'all' }]]);
    expect(inbound!.routes.map(({ route, conf }) => [route.head.name, rulesOf(conf)])).toEqual([
      ['backend-v2', [['', { a: 'route' }]]],
    ]);
    const [other] = confOf(loadedText(world + logs), 'default/api-1', 'MeshAccessLog')!.inbounds;
    expect(other!.routes).toEqual([]);
  });

  test('[MRG9] a route that is not for the proxy is none of its', () => {
    const loaded = loadedText(world + mesh);
    expect(byRoute(confOf(loaded, 'default/api-1', 'MeshTimeout'), 'backend')).toEqual({});
  });

  test('[MRG9] a route without anything of its own shares the conf of its outbound', () => {
    const web = confOf(loadedText(world + mesh), 'default/web-1', 'MeshTimeout')!;
    const [backend] = web.outbounds;
    expect(backend!.routes[0]!.merged).toBe(backend!.merged);
  });
});

describe('destinations', () => {
  const services = `
type: MeshService
name: backend
labels: {team: red, kuma.io/display-name: backend, k8s.kuma.io/namespace: shop}
spec:
  selector: {dataplaneTags: {kuma.io/service: backend_shop_svc_80}}
  ports: [{port: 80, name: http}, {port: 90, name: admin}]
---
type: MeshService
name: books-svc
spec:
  selector: {dataplaneTags: {kuma.io/service: books}}
  ports: [{port: 70, name: web}]
---
type: MeshExternalService
name: partner
spec: {}
---
`;
  const proxy = (outbounds: string) => `
type: Dataplane
name: web-1
networking:
  inbound: [{port: 80, tags: {kuma.io/service: web}}]
  outbound: [${outbounds}]
---
`;
  const says = (ref: string) => timeout('t', `{to: [{targetRef: ${ref}, default: {a: 1}}]}`);
  const meant = (outbound: string, ref: string) =>
    confOf(loadedText(services + proxy(outbound) + says(ref)), 'default/web-1', 'MeshTimeout')!.outbounds[0]!
      .merged !== undefined;
  const tag = (service: string, more = '') => `{port: 1, tags: {kuma.io/service: ${service}${more}}}`;

  test.each([
    [tag('cart'), '{kind: MeshService, name: cart}', true],
    [tag('cart'), '{kind: MeshService, name: pay}', false],
    [tag('cart_shop_svc_80'), '{kind: MeshService, name: cart, namespace: shop}', true],
    [tag('cart_shop_svc_80'), '{kind: MeshService, name: cart, namespace: other}', false],
    [tag('cart_shop_svc_80'), '{kind: MeshService, name: cart_shop_svc_80}', true],
    [tag('cart_shop_svc_80'), '{kind: MeshService, name: cart_shop_svc_80, namespace: other}', true],
    [tag('books'), '{kind: MeshService, name: books-svc}', true],
    [tag('books'), '{kind: MeshService, name: books}', true],
    [tag('books'), '{kind: MeshService, name: books, sectionName: web}', true],
    [tag('books'), '{kind: MeshService, name: books, sectionName: admin}', false],
    [tag('books'), '{kind: MeshService, labels: {kuma.io/display-name: books}}', false],
    [tag('cart_shop_svc'), '{kind: MeshService, name: cart, namespace: shop}', true],
    [tag('cart_shop_svc_80'), '{kind: MeshService, name: cart, namespace: shop, sectionName: 80}', true],
    [tag('cart_shop_svc_80'), '{kind: MeshService, name: cart, namespace: shop, sectionName: 81}', false],
    [tag('backend_shop_svc_80'), '{kind: MeshService, labels: {team: red}}', true],
    [tag('backend_shop_svc_80'), '{kind: MeshService, labels: {team: blue}}', false],
    [tag('backend_shop_svc_80'), '{kind: MeshService, labels: {team: red}, sectionName: http}', true],
    [tag('backend_shop_svc_80'), '{kind: MeshService, labels: {team: red}, sectionName: admin}', false],
    [tag('cart'), '{kind: MeshService, labels: {kuma.io/display-name: cart}}', true],
    [tag('cart'), '{kind: MeshServiceSubset, name: cart, tags: {version: v1}}', false],
    [tag('cart', ', version: v1'), '{kind: MeshServiceSubset, name: cart, tags: {version: v1}}', true],
    [tag('cart', ', version: v2'), '{kind: MeshServiceSubset, name: cart, tags: {version: v1}}', false],
    [
      '{port: 1, backendRef: {kind: MeshService, name: backend, port: 90}}',
      '{kind: MeshService, name: backend, sectionName: admin}',
      true,
    ],
    [
      '{port: 1, backendRef: {kind: MeshService, name: backend, port: 90}}',
      '{kind: MeshService, name: backend, sectionName: http}',
      false,
    ],
    [
      '{port: 1, backendRef: {kind: MeshService, labels: {team: red}}}',
      '{kind: MeshService, name: backend}',
      true,
    ],
    [
      '{port: 1, backendRef: {kind: MeshExternalService, name: partner}}',
      '{kind: MeshExternalService, name: partner}',
      true,
    ],
    [
      '{port: 1, backendRef: {kind: MeshExternalService, name: partner}}',
      '{kind: MeshService, name: partner}',
      false,
    ],
    ['{port: 1, backendRef: {kind: MeshService, name: unknown}}', '{kind: MeshService, name: unknown}', true],
    ['{port: 1, backendRef: {kind: MeshExternalService, name: partner}}', '{kind: Mesh}', true],
  ])('[MRG8] %s is meant by %s: %s', (outbound, ref, expected) => {
    expect(meant(outbound, ref)).toBe(expected);
  });

  test('[MRG8] a reference of an outbound is looked up in the namespace of its proxy', () => {
    const backend = 'type: MeshService\nname: cart\nnamespace: shop\nlabels: {team: red}\nspec: {}\n---\n';
    const of = (labels: string) =>
      confOf(
        loadedText(
          backend +
            proxy('{port: 1, backendRef: {kind: MeshService, name: cart}}').replace(
              'name: web-1',
              `name: web-1\nlabels: {${labels}}`,
            ) +
            says('{kind: MeshService, labels: {team: red}}'),
        ),
        'default/web-1',
        'MeshTimeout',
      )!.outbounds[0]!.merged !== undefined;
    expect(of('k8s.kuma.io/namespace: shop')).toBe(true);
    expect(of('k8s.kuma.io/namespace: other')).toBe(false);
  });

  test('[MRG8] a proxy that lists no outbounds calls every service of its mesh, by port', () => {
    const books = proxy('').replace('web-1', 'books-1').replace('service: web', 'service: books');
    const loaded = loadedText(services + books + proxy('') + says('{kind: Mesh}'));
    const conf = confOf(loaded, 'default/web-1', 'MeshTimeout')!;
    const names = conf.outbounds.map(
      ({
        outbound: {
          destination: { name, port },
        },
      }) => `${name} ${port ?? '-'}`,
    );
    expect(names).toEqual(['backend 80', 'backend 90', 'books-svc 70', 'partner -', 'web -']);
  });
});
