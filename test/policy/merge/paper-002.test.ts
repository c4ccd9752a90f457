import { describe, expect, test } from 'vitest';
import { confOf, loadedText, rulesOf, shown, toService } from './loading.ts';

/** The worked examples of the paper on matching and merging. */

const proxy = (name: string, service: string, ...outbounds: readonly string[]) => `
type: Dataplane
mesh: mesh-1
name: ${name}
networking:
  inbound: [{port: 8080, tags: {kuma.io/service: ${service}}}]
  outbound: [${outbounds.map((one, at) => `{port: ${8081 + at}, tags: {kuma.io/service: ${one}}}`).join(', ')}]
`;

describe('UpstreamTimeout', () => {
  // The paper's base policy writes "streamIdleTimeout: 1h"; all merged results of it say "idleTimeout". Fields are
  // merged by the names they have, so the document has the name that the results have; see the test below for the other.
  const timeouts = (idle: string) => `
type: UpstreamTimeout
mesh: mesh-1
name: 00-base-timeouts
targetRef:
  kind: Mesh
conf:
  to:
    - targetRef:
        kind: Mesh
      connectTimeout: 10s
      http:
        requestTimeout: 5s
        ${idle}: 1h
---
type: UpstreamTimeout
mesh: mesh-1
name: 01-consume-backend-timeouts
targetRef:
  kind: Mesh
conf:
  to:
    - targetRef:
        kind: Service
        name: backend
      connectTimeout: 20s
      http:
        idleTimeout: 0s
---
type: UpstreamTimeout
mesh: mesh-1
name: web-timeouts
targetRef:
  kind: Service
  name: web
conf:
  to:
    - targetRef:
        kind: Mesh
      connectTimeout: 5s
    - targetRef:
        kind: Service
        name: backend
      http:
        requestTimeout: 15s
---
${proxy('web', 'web', 'backend', 'payments')}
`;
  const web = confOf(loadedText(timeouts('idleTimeout')), 'mesh-1/web', 'UpstreamTimeout');

  test('[MRG6] what web gets for backend', () => {
    expect(toService(web, 'backend')).toEqual({
      conf: { connectTimeout: '5s', http: { requestTimeout: '15s', idleTimeout: '0s' } },
      by: {
        connectTimeout: 'web-timeouts',
        'http.requestTimeout': 'web-timeouts',
        'http.idleTimeout': '01-consume-backend-timeouts',
      },
    });
  });

  test('[MRG6] what web gets for payments', () => {
    expect(toService(web, 'payments')).toEqual({
      conf: { connectTimeout: '5s', http: { requestTimeout: '5s', idleTimeout: '1h' } },
      by: {
        connectTimeout: 'web-timeouts',
        'http.requestTimeout': '00-base-timeouts',
        'http.idleTimeout': '00-base-timeouts',
      },
    });
  });

  test('[MRG6] the policies of web, the strongest first', () => {
    expect(web?.policies.map(({ head }) => head.name)).toEqual([
      'web-timeouts',
      '01-consume-backend-timeouts',
      '00-base-timeouts',
    ]);
  });

  test('[MRG1] with the field as the paper writes it, both names are fields', () => {
    const written = confOf(loadedText(timeouts('streamIdleTimeout')), 'mesh-1/web', 'UpstreamTimeout');
    expect(toService(written, 'backend')?.conf).toEqual({
      connectTimeout: '5s',
      http: { requestTimeout: '15s', idleTimeout: '0s', streamIdleTimeout: '1h' },
    });
    expect(toService(written, 'payments')?.conf).toEqual({
      connectTimeout: '5s',
      http: { requestTimeout: '5s', streamIdleTimeout: '1h' },
    });
  });
});

test('[MRG6] items are not sorted: the first that says a field wins, whatever it is about', () => {
  const loaded = loadedText(`
type: UpstreamTimeout
mesh: mesh-1
name: params
targetRef: {kind: Mesh}
conf:
  to:
    - targetRef: {kind: Mesh}
      param1: value1
    - targetRef: {kind: Service, name: backend}
      param1: value2
      param2: value3
    - targetRef: {kind: Mesh}
      param2: value4
---
${proxy('web', 'web', 'backend', 'payments')}
`);
  const web = confOf(loaded, 'mesh-1/web', 'UpstreamTimeout');
  expect(toService(web, 'backend')?.conf).toEqual({ param1: 'value1', param2: 'value3' });
  expect(toService(web, 'payments')?.conf).toEqual({ param1: 'value1', param2: 'value4' });
});

test('[MRG10] the same of clients', () => {
  // The paper calls this array "to" and its result that of the "backend" outbound; it is about traffic from backend.
  const loaded = loadedText(`
type: TrafficLog
mesh: mesh-1
name: params
targetRef: {kind: Mesh}
conf:
  from:
    - targetRef: {kind: ServiceSubset, name: backend, tags: {version: v2}}
      param1: value1
    - targetRef: {kind: Service, name: backend}
      param1: value2
      param2: value3
    - targetRef: {kind: Mesh}
      param2: value4
---
${proxy('web', 'web')}
`);
  const [inbound] = confOf(loaded, 'mesh-1/web', 'TrafficLog')!.inbounds;
  expect(rulesOf(inbound?.conf)).toEqual([
    ['kuma.io/service=backend version=v2', { param1: 'value1', param2: 'value3' }],
    ['kuma.io/service=backend', { param1: 'value2', param2: 'value3' }],
    ['', { param2: 'value4' }],
  ]);
});

test('[MRG10] permissions: infra may talk to all, and backend denies an old web', () => {
  const loaded = loadedText(`
type: MeshTrafficPermission
mesh: mesh-1
name: allow-only-infra
targetRef: {kind: Mesh}
conf:
  from:
    - targetRef: {kind: Service, name: infra-monitoring}
      action: ALLOW
    - targetRef: {kind: Service, name: infra-logger}
      action: ALLOW
    - targetRef: {kind: Mesh}
      action: DENY
---
type: MeshTrafficPermission
mesh: mesh-1
name: backend-permissions
targetRef: {kind: Service, name: backend}
conf:
  from:
    - targetRef: {kind: ServiceSubset, name: web, tags: {version: v1}}
      action: DENY
    - targetRef: {kind: Mesh}
      action: ALLOW
---
${proxy('backend', 'backend')}
---
${proxy('payments', 'payments')}
`);
  const backend = confOf(loaded, 'mesh-1/backend', 'MeshTrafficPermission')!.inbounds[0]?.conf;
  expect(rulesOf(backend)).toEqual([
    ['kuma.io/service=infra-logger', { action: 'ALLOW' }],
    ['kuma.io/service=infra-monitoring', { action: 'ALLOW' }],
    ['kuma.io/service=web version=v1', { action: 'DENY' }],
    ['', { action: 'ALLOW' }],
  ]);
  const actions = backend?.as === 'rules' ? backend.rules.map((rule) => shown(rule)?.by['action']) : [];
  expect(new Set(actions)).toEqual(new Set(['backend-permissions']));
  expect(rulesOf(confOf(loaded, 'mesh-1/payments', 'MeshTrafficPermission')!.inbounds[0]?.conf)).toEqual([
    ['kuma.io/service=infra-logger', { action: 'ALLOW' }],
    ['kuma.io/service=infra-monitoring', { action: 'ALLOW' }],
    ['', { action: 'DENY' }],
  ]);
});

test('[MRG7] ProxyTemplate: lists of the stronger replace those of the weaker, empty ones too', () => {
  const loaded = loadedText(`
type: ProxyTemplate
mesh: default
name: pt-1
spec:
  targetRef: {kind: Service, name: backend}
  conf:
    imports: [default-proxy]
    modifications:
      - cluster:
          operation: add
          value: |
            name: test-cluster
            connectTimeout: 5s
            type: STATIC
---
type: ProxyTemplate
mesh: default
name: pt-2
spec:
  targetRef: {kind: Proxy, name: my-special-backend-dpp}
  conf:
    imports: [default-proxy]
    modifications: []
---
${proxy('my-special-backend-dpp', 'backend').replace('mesh-1', 'default')}
---
${proxy('backend-dpp', 'backend').replace('mesh-1', 'default')}
`);
  expect(shown(confOf(loaded, 'default/my-special-backend-dpp', 'ProxyTemplate')?.own)).toEqual({
    conf: { imports: ['default-proxy'], modifications: [] },
    by: { imports: 'pt-2', modifications: 'pt-2' },
  });
  const value = 'name: test-cluster\nconnectTimeout: 5s\ntype: STATIC\n';
  expect(shown(confOf(loaded, 'default/backend-dpp', 'ProxyTemplate')?.own)).toEqual({
    conf: { imports: ['default-proxy'], modifications: [{ cluster: { operation: 'add', value } }] },
    by: { imports: 'pt-1', modifications: 'pt-1' },
  });
});

test('[REF8] items of TrafficLog may be about routes', () => {
  const text =
    'type: TrafficLog\nname: l\nconf: {to: [{targetRef: {kind: HTTPRoute, name: r}, backends: []}]}\n';
  expect(loadedText(text).targeted).toHaveLength(1);
});

test('[MRG7] TrafficLog: to and from have nothing to do with each other', () => {
  const log = `
type: TrafficLog
mesh: mesh-1
name: tl-1
targetRef:
  kind: Mesh
conf:
  to:
    - targetRef:
        kind: Service
        name: web
      backends:
        - name: logstash
  from:
    - targetRef:
        kind: Mesh
      backends:
        - name: file
`;
  const stronger = `
type: TrafficLog
mesh: mesh-1
name: tl-2
targetRef: {kind: Service, name: api}
conf:
  to:
    - targetRef: {kind: Mesh}
      backends: []
`;
  const dataplane = proxy('api', 'api', 'web', 'payments');
  const alone = confOf(loadedText([log, dataplane].join('---\n')), 'mesh-1/api', 'TrafficLog');
  expect(toService(alone, 'web')?.conf).toEqual({ backends: [{ name: 'logstash' }] });
  expect(toService(alone, 'payments')).toBeUndefined();
  expect(rulesOf(alone?.inbounds[0]?.conf)).toEqual([['', { backends: [{ name: 'file' }] }]]);
  const both = confOf(loadedText([log, stronger, dataplane].join('---\n')), 'mesh-1/api', 'TrafficLog');
  expect(toService(both, 'web')?.conf).toEqual({ backends: [] });
  expect(toService(both, 'payments')?.conf).toEqual({ backends: [] });
  expect(rulesOf(both?.inbounds[0]?.conf)).toEqual([['', { backends: [{ name: 'file' }] }]]);
});
