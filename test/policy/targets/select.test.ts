import { describe, expect, test } from 'vitest';
import { explicitTop } from '../../../src/policy/targets/explicit.ts';
import { selectsInbound, selectsProxy } from '../../../src/policy/targets/select.ts';
import { loadYaml, saidOf } from './loading.ts';

/** Which proxies and which of their inbounds a target at the top means. */
const proxies = `
type: Dataplane
name: web-1
namespace: shop
labels: {kuma.io/zone: east, app: web}
networking:
  inbound:
    - {port: 80, name: http, tags: {kuma.io/service: web, version: v1}}
    - {port: 81, tags: {kuma.io/service: admin, k8s.kuma.io/namespace: ops}}
---
type: Dataplane
name: db-1
namespace: shop
labels: {kuma.io/zone: west}
networking: {inbound: [{port: 5432, tags: {kuma.io/service: db}}]}
---
type: Dataplane
name: edge-1
networking: {gateway: {type: BUILTIN, tags: {kuma.io/service: edge-gateway}}}
---
type: Dataplane
name: kong-1
networking: {gateway: {tags: {kuma.io/service: kong}}}
---
type: Dataplane
name: idle-1
namespace: shop
networking: {inbound: []}
---
type: Dataplane
name: web-1
mesh: other
networking: {inbound: [{port: 80, tags: {kuma.io/service: web}}]}
---
apiVersion: kuma.io/v1alpha1
kind: MeshGateway
mesh: default
metadata: {name: edge-gateway}
spec:
  selectors: [{match: {kuma.io/service: edge-gateway}}]
  tags: {edge: public}
  conf: {listeners: [{port: 80, tags: {port: http}}, {port: 443, tags: {port: https}}]}
---
apiVersion: kuma.io/v1alpha1
kind: MeshGateway
mesh: default
metadata: {name: any}
spec: {selectors: [{match: {kuma.io/service: "*", kuma.io/zone: "*"}}]}
---
type: MeshGatewayRoute
name: edge-route
selectors: [{match: {kuma.io/service: edge-gateway}}]
---
type: MeshHTTPRoute
name: of-edge
spec: {targetRef: {kind: MeshGateway, name: edge-gateway}, to: []}
---
type: MeshHTTPRoute
name: of-web
namespace: shop
labels: {kuma.io/zone: east}
spec: {targetRef: {kind: MeshSubset, tags: {version: v1}}, to: [{targetRef: {kind: Mesh}}]}
---
type: MeshHTTPRoute
name: circle
spec: {targetRef: {kind: MeshHTTPRoute, name: circle}, to: []}
`;

const loaded = loadYaml(proxies);
const { inventory, resources } = loaded;

/** Inbounds by port, proxies without inbounds by name alone. */
function selected(ref: object): readonly string[] {
  const policy = loadYaml(
    `${proxies}\n---\n${JSON.stringify({ type: 'MeshTimeout', name: 'p', spec: { targetRef: ref, to: [] } })}`,
  );
  expect(saidOf(policy)).toEqual([]);
  const top = explicitTop(policy.targeted[0]!);
  const found = [...inventory.dataplanes.values()].flatMap((dataplane) => {
    const inbounds = dataplane.inbounds.filter((inbound) =>
      selectsInbound(top, 'default', dataplane, inbound, resources),
    );
    const isSelected = selectsProxy(top, 'default', dataplane, resources);
    // A proxy is selected if one of its inbounds is.
    if (dataplane.inbounds.length > 0) expect(isSelected).toBe(inbounds.length > 0);
    return isSelected && inbounds.length === 0
      ? [dataplane.name]
      : inbounds.map(({ port }) => `${dataplane.name}:${port}`);
  });
  return found.sort();
}

const all = ['db-1:5432', 'edge-1', 'idle-1', 'kong-1', 'web-1:80', 'web-1:81'];

describe('[REF4] a target at the top', () => {
  test.each<[object, readonly string[]]>([
    [{}, all],
    [{ kind: 'Mesh' }, all],
    [{ kind: 'Mesh', proxyTypes: ['Gateway'] }, ['edge-1', 'kong-1']],
    [{ kind: 'Mesh', proxyTypes: ['Sidecar'] }, ['db-1:5432', 'idle-1', 'web-1:80', 'web-1:81']],
    [{ kind: 'Mesh', proxyTypes: [] }, all],
    [{ kind: 'MeshSubset' }, all],
    [{ kind: 'MeshSubset', tags: { version: 'v1' } }, ['web-1:80']],
    [{ kind: 'MeshSubset', tags: { version: '!v1', 'kuma.io/zone': 'east' } }, ['web-1:81']],
    [{ kind: 'MeshSubset', tags: { 'k8s.kuma.io/namespace': 'shop' } }, ['db-1:5432', 'idle-1', 'web-1:80']],
    [{ kind: 'MeshSubset', tags: { 'k8s.kuma.io/namespace': 'ops' } }, ['web-1:81']],
    [{ kind: 'MeshSubset', tags: { 'kuma.io/zone': 'west' } }, ['db-1:5432']],
    [{ kind: 'MeshSubset', tags: { app: 'web' } }, []],
    [{ kind: 'MeshService', name: 'web' }, ['web-1:80']],
    [{ kind: 'Service', name: 'kong' }, ['kong-1']],
    [{ kind: 'MeshServiceSubset', name: 'web', tags: { version: 'v1' } }, ['web-1:80']],
    [{ kind: 'ServiceSubset', name: 'web', tags: { version: 'v2' } }, []],
    [{ kind: 'Dataplane', name: 'web-1' }, ['web-1:80', 'web-1:81']],
    [{ kind: 'Proxy', name: 'edge-1' }, ['edge-1']],
    [{ kind: 'Dataplane', name: 'web-1', namespace: 'ops' }, []],
    [{ kind: 'Dataplane', name: 'web-1', namespace: 'shop', sectionName: 'http' }, ['web-1:80']],
    [{ kind: 'Dataplane', sectionName: 81 }, ['web-1:81']],
    [{ kind: 'Dataplane', labels: { app: 'web' }, sectionName: '80' }, ['web-1:80']],
    [{ kind: 'Dataplane', labels: { app: 'web', 'kuma.io/zone': 'west' } }, []],
    [{ kind: 'MeshGateway', name: 'edge-gateway' }, ['edge-1']],
    [{ kind: 'MeshGateway', name: 'edge-gateway', tags: { port: 'https', edge: 'public' } }, ['edge-1']],
    [{ kind: 'MeshGateway', name: 'edge-gateway', tags: { port: 'udp' } }, []],
    [{ kind: 'MeshGateway', name: 'any' }, ['db-1:5432', 'web-1:80', 'web-1:81']],
    [{ kind: 'MeshGateway', name: 'ghost' }, []],
    [{ kind: 'MeshGatewayRoute', name: 'edge-route' }, ['edge-1']],
    [{ kind: 'MeshHTTPRoute', name: 'of-edge' }, ['edge-1']],
    [{ kind: 'HTTPRoute', name: 'of-web', namespace: 'shop' }, ['web-1:80', 'web-1:81']],
    [{ kind: 'MeshHTTPRoute', labels: { 'kuma.io/display-name': 'of-web' } }, ['web-1:80', 'web-1:81']],
    [{ kind: 'MeshHTTPRoute', name: 'circle' }, []],
  ])('%j', (ref, want) => {
    expect(selected(ref)).toEqual(want);
  });

  test('of another mesh means nothing here', () => {
    const other = inventory.dataplanes.get('other/web-1')!;
    expect(selectsProxy({ kind: 'Mesh' }, 'default', other)).toBe(false);
    expect(selectsInbound({ kind: 'Mesh' }, 'default', other, other.inbounds[0]!)).toBe(false);
    expect(selectsInbound({ kind: 'Mesh' }, 'other', other, other.inbounds[0]!)).toBe(true);
  });
});

test('[REF4] what a Dataplane calls is read, in both shapes', () => {
  const { inventory } = loadYaml(`
type: Dataplane
name: a
networking:
  outbound:
    - {address: 10.0.0.1, port: 80, tags: {kuma.io/service: backend}}
    - {port: 81, backendRef: {kind: MeshService, name: backend, namespace: shop, port: 8080}}
---
type: Dataplane
name: b
outbounds: [{tags: {kuma.io/service: backend}}]
`);
  expect(inventory.dataplanes.get('default/a')?.outbounds).toEqual([
    { address: '10.0.0.1', port: 80, tags: new Map([['kuma.io/service', ['backend']]]) },
    {
      port: 81,
      tags: new Map(),
      backendRef: { kind: 'MeshService', name: 'backend', namespace: 'shop', port: 8080 },
    },
  ]);
  expect(inventory.dataplanes.get('default/b')?.outbounds).toEqual([
    { tags: new Map([['kuma.io/service', ['backend']]]) },
  ]);
});
