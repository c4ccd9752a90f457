import { describe, expect, test } from 'vitest';
import type { Channel } from '../../src/pdp/model/request.ts';
import type { Lists, Shape } from './shapes.ts';
import { openTwin } from './twin.ts';

/** The twin itself, against cases worked out by hand: paper 000 to the letter, tiers, unknown values, lists. */

const td = 'spiffe://trust-domain.mesh';

function permission(name: string, lists: Lists, more: object = {}): Shape {
  return { type: 'MeshTrafficPermission', mesh: 'default', name, spec: { default: lists, ...more } };
}

function backend(inbounds: object[] = [{ name: 'http', port: 8080 }], labels = { app: 'backend' }): Shape {
  return { type: 'Dataplane', mesh: 'default', name: 'backend-1', labels, inbounds } as Shape;
}

const toBackend = { dataplane: 'backend-1' };

function verdict(shapes: Shape[], spiffeId: string, request: object = {}) {
  const decision = openTwin(shapes).decide({ source: { spiffeId }, destination: toBackend, request });
  return `${decision.decision} ${decision.tier} ${decision.by?.policy ?? '-'} ${decision.shadow} ${decision.reason}`;
}

describe('paper 000', () => {
  const example = [
    backend(),
    permission('by-mesh-operator', {
      deny: [{ spiffeId: { type: 'Exact', value: `${td}/ns/default/sa/frontend` } }],
    }),
    permission('by-service-owner', {
      deny: [{ spiffeId: { type: 'Exact', value: `${td}/ns/default/sa/api-gateway` } }],
      allowWithShadowDeny: [{ spiffeId: { type: 'Prefix', value: `${td}/ns/legacy` } }],
      allow: [{ spiffeId: { type: 'Prefix', value: `${td}/` } }],
    }),
  ];

  test.each([
    [`${td}/ns/default/sa/frontend`, 'deny 2 by-mesh-operator deny rule'],
    [`${td}/ns/default/sa/api-gateway`, 'deny 2 by-service-owner deny rule'],
    [`${td}/ns/legacy/sa/x`, 'allow 3 by-service-owner deny rule'],
    [`${td}/ns/legacy-2/sa/x`, 'allow 3 by-service-owner deny rule'],
    [`${td}/ns/shop/sa/web`, 'allow 3 by-service-owner allow rule'],
    ['spiffe://other.mesh/ns/shop/sa/web', 'deny null - deny default'],
    ['spiffe://other.mesh//ns', 'deny null - deny invalid-source'],
  ])('[MTP3] the worked example: %s', (id, want) => {
    expect(verdict(example, id)).toBe(want);
  });

  test('[MTP4] reads are public, writes are gated', () => {
    const shapes = [
      backend(),
      permission(
        'by-backend-owner',
        {
          allow: [
            { method: 'GET' },
            { method: 'POST', spiffeId: { type: 'Exact', value: `${td}/ns/default/sa/writer-1` } },
            { method: 'POST', spiffeId: { type: 'Prefix', value: `${td}/ns/writers` } },
          ],
        },
        { targetRef: { kind: 'Dataplane', labels: { app: 'backend' } } },
      ),
    ];
    expect(verdict(shapes, `${td}/ns/a/sa/b`, { method: 'GET' })).toContain('allow 3');
    expect(verdict(shapes, `${td}/ns/a/sa/b`, { method: 'POST' })).toContain('deny null');
    expect(verdict(shapes, `${td}/ns/writers/sa/b`, { method: 'POST' })).toContain('allow 3');
    expect(verdict(shapes, `${td}/ns/a/sa/b`)).toContain('deny null');
  });

  test('[MTP5] a longer prefix whose path fails leaves the decision to a shorter one', () => {
    const shapes = [
      backend(),
      permission('a', {
        allow: [
          {
            spiffeId: { type: 'Prefix', value: `${td}/ns/obs` },
            path: { type: 'PathPrefix', value: '/metrics' },
          },
          { spiffeId: { type: 'Prefix', value: `${td}/` }, path: { type: 'Exact', value: '/health' } },
        ],
      }),
    ];
    expect(verdict(shapes, `${td}/ns/obs/sa/p`, { path: '/metrics/cpu?x' })).toContain('allow 3');
    expect(verdict(shapes, `${td}/ns/obs/sa/p`, { path: '/metricsx' })).toContain('deny null');
    expect(verdict(shapes, `${td}/ns/obs/sa/p`, { path: '/health' })).toContain('allow 3');
    expect(verdict(shapes, `${td}/ns/obs/sa/p`, { path: '/a/%2e%2e//health' })).toContain('allow 3');
    expect(verdict(shapes, `${td}/ns/obs/sa/p`, { path: '/a%2fb' })).toContain('ambiguous-path');
    expect(verdict(shapes, `${td}/ns/obs/sa/p`)).toContain('default');
  });
});

function access(kind: string, name: string, action: string, from: object = {}, more: object = {}): Shape {
  const spec = { action, from: [{ workloadSelector: from }], to: [{ workloadSelector: {} }], ...more };
  return kind === 'AccessPolicy' ? { type: kind, name, namespace: 'shop', spec } : { type: kind, name, spec };
}

const pay: Shape = { type: 'Service', name: 'pay', namespace: 'shop', labels: { tier: 'db' } };

describe('tiers and unknown values', () => {
  const ask = (shapes: Shape[], source: object | undefined, channel?: Channel) => {
    const request = source === undefined ? {} : { source };
    const d = openTwin([pay, ...shapes], channel).decide({
      ...request,
      destination: { service: 'shop/pay' },
    });
    return `${d.decision} ${d.tier} ${d.by?.policy ?? '-'} ${d.shadow} ${d.reason} ${d.trust} ${d.keys ?? ''}`.trim();
  };
  const web = { attributes: { 'k8s:ns': 'shop', 'k8s:sa': 'web' } };
  const shop = { matchLabels: { 'k8s:ns': 'shop' } };

  test('[TIER1] the lowest tier with a match decides', () => {
    const all = [
      access('AccessPolicy', 'allow', 'allow', shop),
      access('AccessPolicy', 'deny', 'deny', shop),
      access('PrivilegedAccessPolicy', 'finally', 'allow', shop),
      access('PrivilegedAccessPolicy', 'never', 'deny', shop),
    ];
    const order = [3, 2, 1, 0].map((kept) =>
      ask(all.slice(0, kept + 1), web)
        .split(' ')
        .slice(0, 3)
        .join(' '),
    );
    expect(order).toEqual(['deny 0 never', 'allow 1 finally', 'deny 2 deny', 'allow 3 allow']);
    expect(ask([], web)).toBe('deny null - deny default null');
  });

  test('[UNK1] [UNK5] an allow needs to know, a deny does not', () => {
    const partly = { attributes: { 'k8s:sa': 'web' }, complete: false };
    expect(ask([access('AccessPolicy', 'a', 'allow', shop)], partly)).toBe('deny null - deny default null');
    expect(ask([access('AccessPolicy', 'd', 'deny', shop)], partly)).toBe(
      'deny 2 d deny unknown-attribute null k8s:ns',
    );
  });

  test('[UNK3] absence out of a complete set is known', () => {
    const notIn = { matchExpressions: [{ key: 'k8s:ns', operator: 'NotIn', values: ['evil'] }] };
    expect(ask([access('AccessPolicy', 'a', 'allow', notIn)], { complete: true })).toContain('allow 3 a');
    expect(
      ask([access('AccessPolicy', 'a', 'allow', notIn)], { attributes: { x: 'y' }, complete: false }),
    ).toContain('deny null');
  });

  test('[UNK4] a value below the floor is unknown', () => {
    const asserted = { attributes: { 'k8s:ns': { value: 'shop', trust: 'asserted' } } };
    expect(ask([access('AccessPolicy', 'a', 'allow', shop)], asserted)).toContain('deny null');
    expect(ask([access('AccessPolicy', 'a', 'allow', shop, { trust: 'asserted' })], asserted)).toBe(
      'allow 3 a allow rule asserted',
    );
    const reported = { attributes: { 'k8s:ns': { value: 'shop', trust: 'reported' } } };
    expect(ask([access('AccessPolicy', 'a', 'allow', shop)], reported)).toContain('allow 3');
  });

  test('[SRC4] an unidentified client passes an allow that asks nothing of it', () => {
    expect(ask([access('AccessPolicy', 'a', 'allow')], undefined)).toContain('allow 3');
    expect(ask([access('AccessPolicy', 'd', 'deny', shop)], undefined)).toContain('unknown-attribute');
  });

  test('[SRC6] [SRC7] conflicts and shared identities', () => {
    const id = 'spiffe://td.example/ns/shop/sa/web';
    const site: Shape = { type: 'Site', name: 'eu-1', trustDomains: ['td.example'] };
    const pods: Shape[] = ['blue', 'green'].map((color, i) => ({
      type: 'Workload',
      name: `web-${i}`,
      namespace: 'shop',
      spiffeId: id,
      labels: { app: 'web', color },
    }));
    const shapes = [
      site,
      ...pods,
      access('AccessPolicy', 'd', 'deny', { matchLabels: { 'k8s:label:color': 'blue' } }),
      access('AccessPolicy', 'a', 'allow', { matchLabels: { 'k8s:label:app': 'web' } }),
    ];
    expect(ask(shapes, { spiffeId: id })).toBe('deny 2 d deny shared-identity null k8s:label:color');
    expect(ask(shapes, { spiffeId: id, attributes: { 'k8s:label:color': 'red' } })).toContain(
      'allow 3 a allow rule observed',
    );
    expect(ask(shapes, { spiffeId: id, attributes: { 'k8s:ns': 'other' } })).toBe(
      'deny null - deny conflict null k8s:ns',
    );
  });

  test('[SHD1] [SHD2] the shadow world has its own verdict and rule', () => {
    const later = {
      ...access('AccessPolicy', 'later', 'deny', shop),
      labels: { 'kuma.io/effect': 'shadow' },
    };
    expect(ask([access('AccessPolicy', 'a', 'allow', shop), later], web)).toContain('allow 3 a deny');
    expect(ask([access('AccessPolicy', 'a', 'allowWithShadowDeny', shop)], web)).toContain('allow 3 a deny');
    expect(ask([access('AccessPolicy', 'a', 'denyWithShadowAllow', shop)], web)).toContain('deny 2 a allow');
  });
});

describe('inbounds', () => {
  const item = (targetRef: object, action: string) => ({ targetRef, default: { action } });
  const list = (from: object[]): Shape =>
    ({ type: 'MeshTrafficPermission', name: 'tags', spec: { targetRef: { kind: 'Mesh' }, from } }) as Shape;
  const ask = (shapes: Shape[], source: object, destination: object = toBackend) => {
    const d = openTwin(shapes).decide({ source, destination });
    return `${d.decision} ${d.tier} ${d.by?.index} ${d.shadow} ${d.shadowBy?.index} ${d.reason} ${d.keys ?? ''}`.trim();
  };
  const v1 = { mesh: 'default', tags: { 'kuma.io/service': 'web', version: ['v1', 'v2'] } };

  test('[LST1] [TAG1] [TAG2] the later item wins, the written default is the last resort', () => {
    const from = [
      item({ kind: 'Mesh' }, 'Deny'),
      item({ kind: 'MeshService', name: 'web' }, 'ALLOW_WITH_SHADOW_DENY'),
      item({ kind: 'MeshSubset', tags: { version: '!v1' } }, 'Deny'),
    ];
    expect(ask([backend(), list(from)], v1)).toBe('allow 3 1 deny 1 rule');
    expect(ask([backend(), list(from)], { ...v1, tags: { version: 'v3' } })).toBe('deny 2 2 deny 2 rule');
    expect(ask([backend(), list(from)], { ...v1, tags: { version: 'v1' } })).toBe('deny 4 0 deny 0 rule');
    const allowed = permission('z', { allow: [{ sni: { type: 'Exact', value: 'A' } }] });
    const d = openTwin([backend(), list(from), allowed]).decide({
      source: { ...v1, tags: { version: 'v1' } },
      destination: toBackend,
      request: { sni: 'a' },
    });
    expect([d.decision, d.tier, d.by?.policy]).toEqual(['allow', 3, 'z']);
  });

  test('[SRC9] a mesh that is not named is unknown', () => {
    const from = [item({ kind: 'Mesh' }, 'Allow')];
    expect(ask([backend(), list(from)], { tags: v1.tags })).toContain('deny null');
    expect(ask([backend(), list([item({ kind: 'Mesh' }, 'Deny')])], { tags: v1.tags })).toBe(
      'deny 4 0 deny 0 unknown-attribute kuma:mesh',
    );
  });

  test('[DST5] where the section is not given a deny for one holds, an allow does not', () => {
    const two = backend([
      { name: 'http', port: 8080 },
      { name: 'admin', port: 9090 },
    ]);
    const at = (sectionName: string) => ({ targetRef: { kind: 'Dataplane', sectionName } });
    const any = { spiffeId: { type: 'Prefix', value: td } } as const;
    const source = { spiffeId: `${td}/ns/a/sa/b` };
    const deny = [two, permission('all', { allow: [any] }), permission('d', { deny: [any] }, at('9090'))];
    expect(ask(deny, source)).toBe('deny 2 0 deny 0 unknown-attribute kuma:section');
    expect(ask(deny, source, { ...toBackend, inbound: 'http' })).toContain('allow 3');
    expect(ask(deny, source, { ...toBackend, inbound: 9090 })).toBe('deny 2 0 deny 0 rule');
    expect(ask([two, permission('a', { allow: [any] }, at('http'))], source)).toContain('deny null');
    expect(ask([two, permission('d', { deny: [any] }, at('none'))], source)).toContain('default');
  });

  test('[DST2] AccessPolicies allow at inbounds only where the mesh says so', () => {
    const mesh = (accessPolicies: 'full' | 'denies'): Shape => ({
      type: 'Mesh',
      name: 'default',
      accessPolicies,
    });
    const plane = backend(undefined, { app: 'backend', 'k8s.kuma.io/namespace': 'shop' } as { app: string });
    const source = { attributes: { 'k8s:ns': 'shop' } };
    const allow = access('AccessPolicy', 'a', 'allow');
    expect(ask([mesh('denies'), plane, allow], source)).toContain('deny null');
    expect(ask([mesh('full'), plane, allow], source)).toContain('allow 3');
    const both = access('AccessPolicy', 'a', 'denyWithShadowAllow');
    expect(ask([mesh('denies'), plane, both], source)).toContain('deny 2 0 deny undefined');
  });

  test('[DST6] [TIER4] guards', () => {
    const http = backend([{ name: 'http', port: 8080, protocol: 'http' }]);
    const source = { spiffeId: `${td}/ns/a/sa/b` };
    expect(ask([http], source)).toContain('incomplete-request');
    expect(ask([http], {})).toContain('unidentified');
    expect(ask([http], { spiffeId: 'spiffe://A' })).toContain('invalid-source');
    expect(ask([http], source, { dataplane: 'none' })).toContain('unknown-destination');
    expect(ask([http], source, {})).toContain('invalid-request');
  });
});
