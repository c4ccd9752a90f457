import { describe, expect, test } from 'vitest';
import type { Dataplane } from '../../../src/pdp/model/inventory.ts';
import { dataplaneKri, findInbound, layoutOf } from '../../../src/policy/inspect/layout.ts';
import { inboundPolicies, outboundPolicies, proxyPolicies } from '../../../src/policy/inspect/policies.ts';
import { Confs } from '../../../src/policy/merge/confs.ts';
import { loadedValues as loadAll } from '../merge/loading.ts';

/** Kuma's shapes, over what papers 000 and 002 show. */

const permission = (name: string, targetRef: object | undefined, lists: object, more = {}) => ({
  type: 'MeshTrafficPermission',
  mesh: 'default',
  name,
  ...more,
  spec: { ...(targetRef === undefined ? {} : { targetRef }), rules: [{ default: lists }] },
});
const id = (value: string, type = 'Exact') => ({ spiffeID: { type, value } });
const frontend = id('spiffe://trust-domain.mesh/ns/default/sa/frontend');
const gateway = id('spiffe://trust-domain.mesh/ns/default/sa/api-gateway');
const legacy = id('spiffe://trust-domain.mesh/ns/legacy', 'Prefix');
const whole = id('spiffe://trust-domain.mesh/', 'Prefix');

const documents = [
  {
    type: 'Dataplane',
    mesh: 'default',
    name: 'backend-1',
    labels: { app: 'backend', 'kuma.io/zone': 'zone-1', 'k8s.kuma.io/namespace': 'ns-1' },
    networking: {
      inbound: [
        { port: 8080, name: 'http', tags: { 'kuma.io/service': 'backend', 'kuma.io/protocol': 'http' } },
        { port: 9090, tags: { 'kuma.io/service': 'backend-admin' } },
      ],
      outbound: [{ port: 3306, tags: { 'kuma.io/service': 'db' } }],
    },
  },
  permission(
    'by-service-owner',
    { kind: 'Dataplane', labels: { app: 'backend' } },
    {
      deny: [gateway],
      allowWithShadowDeny: [legacy],
      allow: [whole],
    },
  ),
  permission('by-mesh-operator', undefined, { deny: [frontend] }),
  permission(
    'admin-only',
    { kind: 'Dataplane', labels: { app: 'backend' }, sectionName: '9090' },
    { deny: [whole] },
  ),
  permission('trial', undefined, { deny: [whole] }, { labels: { 'kuma.io/effect': 'shadow' } }),
  {
    type: 'MeshTimeout',
    mesh: 'default',
    name: 'timeouts',
    spec: {
      targetRef: { kind: 'Mesh' },
      to: [{ targetRef: { kind: 'Mesh' }, default: { connectionTimeout: '1s' } }],
    },
  },
  {
    type: 'ProxyTemplate',
    mesh: 'default',
    name: 'pt',
    conf: { imports: ['default-proxy'] },
    targetRef: { kind: 'Mesh' },
  },
];

function world(shadow = false) {
  const loaded = loadAll(documents);
  const dataplane = loaded.inventory.dataplanes.get('default/backend-1') as Dataplane;
  const all = { ...loaded, shadow };
  const confs = new Confs(all);
  return { all, dataplane, confs, kinds: confs.of(dataplane) };
}

describe('[INS1] the layout', () => {
  test('has identifiers of the proxy, its inbounds and its outbounds', () => {
    const { dataplane, confs } = world();
    expect(layoutOf(dataplane, confs.outboundsOf(dataplane))).toEqual({
      kri: 'kri_dp_default_zone-1_ns-1_backend-1_',
      labels: { app: 'backend', 'kuma.io/zone': 'zone-1', 'k8s.kuma.io/namespace': 'ns-1' },
      inbounds: [
        {
          kri: 'kri_dp_default_zone-1_ns-1_backend-1_http',
          port: 8080,
          protocol: 'http',
          proxyResourceName: 'self_inbound_http',
        },
        {
          kri: 'kri_dp_default_zone-1_ns-1_backend-1_9090',
          port: 9090,
          proxyResourceName: 'self_inbound_9090',
        },
      ],
      outbounds: [{ port: 3306, proxyResourceName: 'db' }],
    });
  });

  test('an inbound is found by name, port and identifier, with its name or its port as the section', () => {
    const { dataplane } = world();
    const kri = (section: string) => dataplaneKri(dataplane, section);
    for (const named of ['http', '8080', kri('http'), kri('8080')])
      expect(findInbound(dataplane, named)?.port).toBe(8080);
    for (const named of ['https', kri(''), kri('other')])
      expect(findInbound(dataplane, named)).toBeUndefined();
  });
});

describe('[INS2] the policies of an inbound', () => {
  const mesh = 'kri_mtp_default___by-mesh-operator_';
  const owner = 'kri_mtp_default___by-service-owner_';

  test('paper 000: each list of a permission with who says it, the mesh’s before the dataplane’s', () => {
    const { all, dataplane, kinds } = world();
    const { policies } = inboundPolicies(all, dataplane, dataplane.inbounds[0]!, kinds);
    expect(policies).toEqual([
      {
        kind: 'MeshTrafficPermission',
        rules: [
          { conf: { deny: [frontend] }, kri: mesh },
          { conf: { deny: [gateway], allowWithShadowDeny: [legacy], allow: [whole] }, kri: owner },
        ],
        origins: [{ kri: mesh }, { kri: owner }],
      },
    ]);
  });

  test('[MTP8] in the order in which they are attributed, whatever the Mesh says of names', () => {
    for (const nameOrder of ['smaller-wins', 'larger-wins']) {
      const mesh = { type: 'Mesh', name: 'default', nameOrder };
      const loaded = loadAll([
        mesh,
        documents[0],
        ...['aaa', 'zzz'].map((name) => permission(name, undefined, { allow: [whole] })),
      ]);
      const dataplane = loaded.inventory.dataplanes.get('default/backend-1') as Dataplane;
      const kinds = new Confs(loaded).of(dataplane);
      const { policies } = inboundPolicies(loaded, dataplane, dataplane.inbounds[0]!, kinds);
      expect(policies[0]?.rules.map(({ kri }) => kri)).toEqual(loaded.policies.map(({ kri }) => kri));
      expect(policies[0]?.rules[0]?.kri).toBe('kri_mtp_default___zzz_');
    }
  });

  test('one that is for a section is of that inbound alone', () => {
    const { all, dataplane, kinds } = world();
    const { policies } = inboundPolicies(all, dataplane, dataplane.inbounds[1]!, kinds);
    expect(policies[0]?.origins.map(({ kri }) => kri)).toEqual([
      mesh,
      owner,
      'kri_mtp_default___admin-only_',
    ]);
  });

  test('one that is never enforced is there where it is asked for', () => {
    const { all, dataplane, kinds } = world(true);
    const { policies } = inboundPolicies(all, dataplane, dataplane.inbounds[0]!, kinds);
    expect(policies[0]?.origins.map(({ kri }) => kri)).toContain('kri_mtp_default___trial_');
  });

  test('permissions by tags are rules for clients, the first that a client matches holds', () => {
    const tagged = (name: string, targetRef: object, action: string) => ({
      type: 'MeshTrafficPermission',
      mesh: 'default',
      name,
      spec: { targetRef: { kind: 'Mesh' }, from: [{ targetRef, default: { action } }] },
    });
    const loaded = loadAll([
      documents[0]!,
      tagged('a', { kind: 'MeshSubset', tags: { v: '!1' } }, 'Deny'),
      tagged('b', { kind: 'Mesh' }, 'Allow'),
    ]);
    const dataplane = loaded.inventory.dataplanes.get('default/backend-1') as Dataplane;
    const { policies } = inboundPolicies(
      loaded,
      dataplane,
      dataplane.inbounds[0]!,
      new Confs(loaded).of(dataplane),
    );
    expect(policies[0]?.rules).toEqual([
      {
        matches: [{ mesh: 'default', tags: {}, except: { v: ['1'] } }],
        conf: { action: 'Deny' },
        kri: 'kri_mtp_default___a_',
      },
      {
        matches: [{ mesh: 'default', tags: {}, except: {} }],
        conf: { action: 'Allow' },
        kri: 'kri_mtp_default___b_',
      },
    ]);
  });

  test('beside lists, the rules for clients have their action alone, and who says that', () => {
    const of = (name: string, spec: object) => ({
      type: 'MeshTrafficPermission',
      mesh: 'default',
      name,
      spec,
    });
    const loaded = loadAll([
      documents[0]!,
      of('a-lists', { targetRef: { kind: 'Dataplane' }, rules: [{ default: { allow: [gateway] } }] }),
      of('tags', { targetRef: { kind: 'Mesh' }, from: [{ default: { action: 'Deny' } }] }),
    ]);
    const dataplane = loaded.inventory.dataplanes.get('default/backend-1') as Dataplane;
    const confs = new Confs(loaded).of(dataplane);
    const { policies } = inboundPolicies(loaded, dataplane, dataplane.inbounds[0]!, confs);
    const lists = 'kri_mtp_default___a-lists_';
    const tags = 'kri_mtp_default___tags_';
    expect(policies).toEqual([
      {
        kind: 'MeshTrafficPermission',
        rules: [
          { conf: { allow: [gateway] }, kri: lists },
          {
            matches: [{ mesh: 'default', tags: {}, except: {} }],
            conf: { action: 'Deny' },
            kri: tags,
          },
        ],
        origins: [{ kri: lists }, { kri: tags }],
      },
    ]);
  });
});

describe('[INS3] the policies of the proxy and of its outbounds', () => {
  test('merged confs with the policies that say them', () => {
    const { kinds } = world();
    expect(proxyPolicies(kinds)).toEqual({
      policies: [
        {
          kind: 'ProxyTemplate',
          conf: { imports: ['default-proxy'] },
          origins: [{ kri: expect.stringContaining('pt') }],
        },
      ],
    });
    expect(outboundPolicies(kinds, ({ outbounds }) => outbounds[0]?.merged)).toEqual({
      policies: [
        {
          kind: 'MeshTimeout',
          conf: { connectionTimeout: '1s' },
          origins: [{ kri: 'kri_mt_default___timeouts_' }],
        },
      ],
    });
  });
});

test('[INS2] a permission for a route says nothing of the inbound, in either form', () => {
  const route = { kind: 'MeshHTTPRoute', name: 'r' };
  const to = [{ targetRef: { kind: 'MeshService', name: 'backend' }, rules: [] }];
  const items = [{ targetRef: { kind: 'MeshService', name: 'web' }, default: { action: 'Deny' } }];
  const loaded = loadAll([
    ...documents,
    { type: 'MeshHTTPRoute', mesh: 'default', name: 'r', spec: { targetRef: { kind: 'Mesh' }, to } },
    permission('of-route', route, { deny: [whole] }),
    { ...permission('tags-of-route', route, {}), spec: { targetRef: route, from: items } },
  ]);
  const { all, dataplane, kinds } = world();
  const [inbound] = dataplane.inbounds;
  const confs = new Confs(loaded).of(dataplane);
  expect(inboundPolicies(loaded, dataplane, inbound!, confs)).toEqual(
    inboundPolicies(all, dataplane, inbound!, kinds),
  );
});
