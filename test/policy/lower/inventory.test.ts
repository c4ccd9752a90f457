import { expect, test } from 'vitest';
import { loadText, loadValues, violationsIn } from '../loading.ts';
import { conditionText } from '../rule-text.ts';

const inventory = (...documents: readonly unknown[]) => {
  const loaded = loadValues(...documents);
  expect(violationsIn(loaded)).toEqual([]);
  return loaded.inventory;
};

test('[MTP1] a mesh that is only named has the defaults', () => {
  const { meshes } = inventory(
    { type: 'MeshTrafficPermission', name: 'p', mesh: 'c', default: {} },
    { type: 'Dataplane', name: 'd', mesh: 'b' },
    { type: 'Mesh', name: 'a', certificates: 'tags', accessPolicies: 'full', trustDomains: ['td.example'] },
  );
  const defaults = { certificates: 'spiffe', accessPolicies: 'denies', trustDomains: [] };
  expect([...meshes]).toEqual([
    [
      'a',
      {
        name: 'a',
        certificates: 'tags',
        accessPolicies: 'full',
        trustDomains: ['td.example'],
        document: 2,
      },
    ],
    ['b', { name: 'b', ...defaults }],
    ['c', { name: 'c', ...defaults }],
  ]);
});

test('[DST6] a dataplane in our form', () => {
  const protocols = ['http', 'http2', 'grpc', 'tcp', 'tls', 'kafka'];
  const inbounds = protocols.map((protocol, index) => ({ port: index + 1, protocol }));
  const tagged = {
    name: 'web',
    port: 80,
    tags: { 'kuma.io/service': 'a', 'kuma.io/protocol': 'tcp' },
  };
  const { dataplanes } = inventory({
    type: 'Dataplane',
    name: 'd',
    labels: { app: 'web' },
    inbounds: [...inbounds, tagged, { port: 90 }],
  });
  const dataplane = dataplanes.get('default/d')!;
  expect(dataplane.labels).toEqual(new Map([['app', 'web']]));
  expect(dataplane.inbounds.map((inbound) => inbound.protocol)).toEqual([
    ...['http', 'http', 'http', 'tcp', 'tcp', 'tcp'],
    'tcp',
    undefined,
  ]);
  expect(dataplane.inbounds[6]).toEqual({
    name: 'web',
    port: 80,
    protocol: 'tcp',
    tags: new Map([
      ['kuma.io/service', ['a']],
      ['kuma.io/protocol', ['tcp']],
    ]),
  });
});

test("[DOC3] Kuma's dataplane is read, what is not used is listed, an ignored inbound does not exist", () => {
  const loaded = loadText(`
apiVersion: kuma.io/v1alpha1
kind: Dataplane
mesh: prod
metadata: {name: web-1, namespace: shop}
spec:
  networking:
    address: 10.0.0.1
    inbound:
      - {port: 80, servicePort: 8080, name: http, state: NotReady, tags: {kuma.io/protocol: http}}
      - {port: 81, state: Ignored}
    outbound: []
  probes: {}
`);
  expect(violationsIn(loaded)).toEqual([]);
  expect(loaded.inventory.dataplanes.get('prod/web-1')).toEqual({
    mesh: 'prod',
    name: 'web-1',
    labels: new Map([['k8s.kuma.io/namespace', 'shop']]),
    inbounds: [{ name: 'http', port: 80, protocol: 'http', tags: new Map([['kuma.io/protocol', ['http']]]) }],
    document: 0,
  });
  expect(loaded.ignored.map((one) => one.path.join('.'))).toEqual([
    'spec.networking.address',
    'spec.networking.inbound.0.servicePort',
    'spec.probes',
  ]);
});

test('[DST3] services, ours and of Kubernetes', () => {
  const { services } = inventory(
    { type: 'Service', name: 'pay', labels: { tier: 'db' }, attributes: { 'cl:service:owner': 'payments' } },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'pay', namespace: 'shop' },
      spec: { ports: [] },
      status: {},
    },
  );
  expect(services.get('default/pay')!.attributes).toEqual(
    new Map([
      ['service:name', 'pay'],
      ['k8s:ns', 'default'],
      ['k8s:label:tier', 'db'],
      ['cl:service:owner', 'payments'],
    ]),
  );
  expect([...services.get('shop/pay')!.attributes.keys()]).toEqual(['service:name', 'k8s:ns']);
});

test('[SRC7] a workload has what Kubernetes would say of it', () => {
  const { workloads } = inventory(
    {
      type: 'Workload',
      name: 'b',
      namespace: 'shop',
      serviceAccount: 'web',
      spiffeId: 'spiffe://td.example/ns/shop/sa/web',
      labels: { app: 'web' },
      containers: [
        { name: 'main', image: 'r.example/web:1', digest: 'sha256:1' },
        { name: 'proxy', image: 'r.example/proxy:1' },
      ],
      initContainers: [{ name: 'setup', image: 'r.example/setup:1', digest: 'sha256:2' }],
      owner: 'Deployment/web',
      attributes: { 'k8s:node': 'n1' },
    },
    { type: 'Workload', name: 'a', images: ['r.example/b', 'r.example/a'], initImages: ['r.example/c'] },
  );
  expect(workloads.map((one) => [one.namespace, one.name, one.spiffeId, one.document])).toEqual([
    ['default', 'a', undefined, 1],
    ['shop', 'b', 'spiffe://td.example/ns/shop/sa/web', 0],
  ]);
  expect([...workloads[1]!.attributes]).toEqual([
    ['k8s:ns', 'shop'],
    ['k8s:pod', 'b'],
    ['k8s:label:app', 'web'],
    ['k8s:sa', 'web'],
    ['k8s:owner', 'Deployment/web'],
    ['k8s:container-image', Buffer.from('r.example/proxy:1,r.example/web:1').toString('base64')],
    ['k8s:container-image:main', 'r.example/web:1'],
    ['k8s:container-image-digest:main', 'sha256:1'],
    ['k8s:container-image:proxy', 'r.example/proxy:1'],
    ['k8s:init-container-image', 'r.example/setup:1'],
    ['k8s:init-container-image:setup', 'r.example/setup:1'],
    ['k8s:init-container-image-digest:setup', 'sha256:2'],
    ['k8s:init-container-image-digest', 'sha256:2'],
    ['k8s:node', 'n1'],
  ]);
  expect([...workloads[0]!.attributes].slice(2)).toEqual([
    ['k8s:container-image', Buffer.from('r.example/a,r.example/b').toString('base64')],
    ['k8s:init-container-image', 'r.example/c'],
  ]);
});

test('[DOC11] this site is the only one or the local one; its peers bring their trust domains', () => {
  const local = {
    type: 'Site',
    name: 'eu-1',
    local: true,
    location: 'aws/eu-west',
    environment: 'production',
    fabric: 'acme',
    attributes: { 'cl:site:tier': 'gold' },
    trustDomains: ['td.example'],
    floor: 'observed',
    hierarchical: ['cl:site:region'],
    attributeRules: [
      {
        keys: ['k8s:label:role'],
        from: [
          { site: { matchLabels: { 'site:location': 'aws/' } }, namespaces: ['shop'] },
          { namespaces: ['a', 'b'] },
        ],
      },
    ],
  };
  const peer = {
    type: 'Site',
    name: 'a-peer',
    trustDomains: [{ name: 'peer.example', template: '/{k8s:ns}' }],
  };
  const { site } = inventory(peer, local);
  expect(site).toMatchObject({
    name: 'eu-1',
    trustDomains: [
      { name: 'td.example', template: '/ns/{k8s:ns}/sa/{k8s:sa}' },
      { name: 'peer.example', template: '/{k8s:ns}' },
    ],
    floor: 'observed',
    hierarchical: ['cl:site:region'],
  });
  expect([...site.attributes]).toEqual([
    ['site:name', 'eu-1'],
    ['site:location', 'aws/eu-west'],
    ['site:environment', 'production'],
    ['cl:fabric', 'acme'],
    ['cl:site:tier', 'gold'],
  ]);
  const [rule] = site.attributeRules;
  expect(rule!.keys).toEqual(['k8s:label:role']);
  expect(rule!.from.map((one) => [one.site.map(conditionText), one.namespaces])).toEqual([
    [['source site:location in /aws'], ['shop']],
    [[], ['a', 'b']],
  ]);
  const { local: _, ...only } = local;
  expect(inventory(only).site.name).toBe('eu-1');
  expect(inventory(only).site.ownTrustDomains).not.toEqual([]);
  expect(site.sharedTrustDomains).toBeUndefined();
  const alike = { ...peer, trustDomains: ['td.example'] };
  expect(inventory(alike, local).site.sharedTrustDomains).toEqual(['td.example']);
  expect(inventory({ ...only, local: false }).site.name).toBeUndefined();
  expect(inventory().site).toEqual({
    attributes: new Map(),
    ownTrustDomains: [],
    trustDomains: [],
    floor: 'reported',
    hierarchical: [],
    attributeRules: [],
  });
});

test('[XCH3] a peer is what its document says, and its site what the Site of its name says', () => {
  const x = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
  const peer = (name: string, more: object = {}) => ({
    type: 'Peer',
    name,
    gateway: `spiffe://${name}.example/gateway`,
    trustDomains: ['b.example', 'a.example', 'b.example'],
    keys: [{ kty: 'OKP', crv: 'Ed25519', kid: 'k', x, alg: 'EdDSA', use: 'sig' }],
    ...more,
  });
  const found = inventory(
    peer('us-1', { trustUpTo: 'observed' }),
    peer('ap-1'),
    { type: 'Site', name: 'eu-1', local: true, gateway: 'spiffe://eu.example/gateway' },
    { type: 'Site', name: 'us-1', location: 'aws/us-east', attributes: { 'cl:site:tier': 'gold' } },
  );
  expect(found.site.gateway).toBe('spiffe://eu.example/gateway');
  const common = {
    trustDomains: ['a.example', 'b.example'],
    keys: [{ kty: 'OKP', crv: 'Ed25519', kid: 'k', x }],
  };
  expect([...(found.peers ?? [])]).toEqual([
    [
      'ap-1',
      {
        name: 'ap-1',
        gateway: 'spiffe://ap-1.example/gateway',
        ...common,
        trustUpTo: 'reported',
        attributes: new Map([['site:name', 'ap-1']]),
      },
    ],
    [
      'us-1',
      {
        name: 'us-1',
        gateway: 'spiffe://us-1.example/gateway',
        ...common,
        trustUpTo: 'observed',
        attributes: new Map([
          ['site:name', 'us-1'],
          ['site:location', 'aws/us-east'],
          ['cl:site:tier', 'gold'],
        ]),
      },
    ],
  ]);
});
