import { describe, expect, test } from 'vitest';
import { channelOf, open } from '../../src/index.ts';
import { limits } from '../../src/pdp/model/limits.ts';
import { access, ask, db, is, type Shape, service } from './shop.ts';

/** Ways in which a caller might make evidence count for more than it is: each was open once. */

describe('[SRC7] a weaker claim does not hide what the inventory knows', () => {
  const spiffeId = 'spiffe://td/ns/a/sa/b';
  const workload = { type: 'Workload', name: 'w', namespace: 'a', serviceAccount: 'b', spiffeId };
  const documents = [
    service,
    { ...workload, labels: { banned: 'yes' } },
    access('banned', 'deny', is('k8s:label:banned', 'yes')),
    access('known', 'allow', is('spiffe:id', spiffeId)),
  ];
  const relay = channelOf('relay');
  const ban = ['deny', 'rule', 'banned'];

  test('a label stated by a caller who may not vouch for it', () => {
    expect(ask(documents, { source: { spiffeId }, destination: db }, relay)).toEqual(ban);
    const attributes = { 'k8s:label:banned': 'no' };
    expect(ask(documents, { source: { spiffeId, attributes }, destination: db }, relay)).toEqual(ban);
    expect(ask(documents, { source: { spiffeId, attributes }, destination: db })).toEqual([
      'allow',
      'rule',
      'known',
    ]);
  });

  test('a label that the inventory knows the workload not to have', () => {
    const set = [
      service,
      workload,
      access('admins', 'allow', { matchLabels: { 'k8s:label:role': 'admin' } }),
    ];
    set.push({ type: 'Site', name: 's', floor: 'asserted' } as never);
    const attributes = { 'k8s:label:role': 'admin' };
    expect(ask(set, { source: { spiffeId, attributes }, destination: db }, relay)[0]).toBe('deny');
  });

  test('[SRC6] a namespace that the inventory does not have for the ID', () => {
    const request = { source: { spiffeId, attributes: { 'k8s:ns': 'infra' } }, destination: db };
    expect(ask(documents, request, relay)).toEqual(['deny', 'conflict', null]);
  });
});

describe('[SRC8] where a value is from is known no better than what says so', () => {
  const site = {
    type: 'Site',
    name: 's',
    attributeRules: [
      { keys: ['k8s:label:role'], from: [{ site: is('site:name', 'hq'), namespaces: ['infra'] }] },
    ],
  };
  const spiffeId = 'spiffe://foreign/w';
  const workload = { type: 'Workload', name: 'w', namespace: 'infra', spiffeId, labels: { role: 'admin' } };
  const documents = [site, service, workload, access('admins', 'allow', is('k8s:label:role', 'admin'))];

  test('an asserted site does not vouch for an observed label', () => {
    const source = { spiffeId, attributes: { 'site:name': 'hq' } };
    expect(ask(documents, { source, destination: db }, channelOf('relay'))[0]).toBe('deny');
    expect(ask(documents, { source, destination: db })).toEqual(['allow', 'rule', 'admins']);
  });

  test('a trust domain read off the ID says where it is from', () => {
    const rule = {
      keys: ['k8s:label:role'],
      from: [{ site: is('spiffe:trust-domain', 'foreign'), namespaces: ['infra'] }],
    };
    const set = [{ ...site, attributeRules: [rule] }, ...documents.slice(1)];
    expect(ask(set, { source: { spiffeId }, destination: db })).toEqual(['allow', 'rule', 'admins']);
  });
});

describe('[DST4] a caller does not choose whose policies bind', () => {
  const documents = [service, access('shut', 'deny', {}), access('open', 'allow', {}, 'evil')];

  test('the inventory knows the namespace of a service', () => {
    const source = { attributes: { 'k8s:ns': 'a' } };
    expect(ask(documents, { source, destination: db })).toEqual(['deny', 'rule', 'shut']);
    expect(ask(documents, { source, destination: { ...db, namespace: 'shop' } })).toEqual([
      'deny',
      'rule',
      'shut',
    ]);
    expect(ask(documents, { source, destination: { ...db, namespace: 'evil' } })).toEqual([
      'deny',
      'conflict',
      null,
    ]);
  });

  test('[DST4] an asserted namespace of a dataplane allows nothing', () => {
    const set = [
      { type: 'Mesh', name: 'default', accessPolicies: 'full' },
      { type: 'Dataplane', name: 'd', inbounds: [{ port: 80 }] },
      {
        type: 'PrivilegedAccessPolicy',
        name: 'p',
        spec: {
          action: 'allow',
          from: [{ workloadSelector: {} }],
          to: [{ workloadSelector: { matchLabels: { 'k8s:ns': 'shop' } } }],
        },
      },
    ];
    const request = {
      source: { spiffeId: 'spiffe://td/a' },
      destination: { dataplane: 'd', namespace: 'shop' },
    };
    expect(open(set).decide(request).decision).toBe('allow');
    const demanding = [...set, { type: 'Site', name: 'eu', floor: 'observed' }];
    const asked = (documents: Shape[]) => ask(documents, request, channelOf('assert'))[0];
    expect([asked(set), asked(demanding)]).toEqual(['allow', 'deny']);
  });

  test('a dataplane without inbounds has no section', () => {
    const set = [
      { type: 'Dataplane', name: 'd', labels: { 'k8s.kuma.io/namespace': 'shop' }, inbounds: [] },
      { type: 'MeshTrafficPermission', name: 'p', spec: { default: { allow: [{ method: 'GET' }] } } },
    ];
    const request = {
      source: { spiffeId: 'spiffe://td/a' },
      destination: { dataplane: 'd' },
      request: { method: 'GET' },
    };
    expect(ask(set, request)).toEqual(['allow', 'rule', 'p']);
  });
});

test('[REQ6] host names fold as DNS does: a Kelvin sign is no k', () => {
  const sni = { type: 'Exact', value: 'kube.example' };
  const set = [
    { type: 'Dataplane', name: 'd', inbounds: [{ port: 1 }] },
    { type: 'MeshTrafficPermission', name: 'p', spec: { default: { allow: [{ sni }] } } },
  ];
  const at = { source: { spiffeId: 'spiffe://td/a' }, destination: { dataplane: 'd' } };
  expect(ask(set, { ...at, request: { sni: 'KUBE.example' } })).toEqual(['allow', 'rule', 'p']);
  expect(ask(set, { ...at, request: { sni: '\u212aube.example' } })[0]).toBe('deny');
});

test('[REQ1] what a prototype has is no evidence', () => {
  const documents = [service, access('admins', 'allow', is('k8s:label:role', 'admin'))];
  const attributes = Object.create({ 'k8s:label:role': 'admin' });
  expect(ask(documents, { source: { attributes }, destination: db })).toEqual([
    'deny',
    'invalid-request',
    null,
  ]);
});

test('[DOC6] one policy with many conditions does not make compiling explode', () => {
  const expressions = (i: number) =>
    Array.from({ length: 100 }, (_, k) => ({
      key: `k8s:label:l${k}`,
      operator: 'In',
      values: [`${i}`, `${i + 1}`],
    }));
  const from = Array.from({ length: 300 }, (_, i) => ({
    workloadSelector: { matchExpressions: expressions(i) },
  }));
  const spec = { action: 'deny', from, to: [{ workloadSelector: {} }] };
  const placet = open([service, { type: 'AccessPolicy', name: 'wide', namespace: 'shop', spec }]);
  const attributes = Object.fromEntries(Array.from({ length: 100 }, (_, k) => [`k8s:label:l${k}`, '7']));
  const decision = placet.decide({ source: { attributes }, destination: db });
  expect([decision.decision, decision.by?.index]).toEqual(['deny', 6]);
});

describe('[SRC11] what nobody can tell', () => {
  const documents = [
    service,
    access('blue', 'allow', is('k8s:label:colour', 'blue')),
    access('anybody', 'allow', is('k8s:ns', 'shop')),
    access('red', 'deny', is('k8s:label:colour', 'red')),
  ];
  const source = (colour: unknown) => ({ attributes: { 'k8s:ns': 'shop', 'k8s:label:colour': colour } });

  test('a value that workloads differ in allows nothing, and keeps every deny', () => {
    expect(ask(documents, { source: source('blue'), destination: db })).toEqual(['allow', 'rule', 'anybody']);
    const shared = { unknown: 'shared-identity', pods: ['shop/a', 'shop/b'] };
    expect(ask(documents, { source: source(shared), destination: db })).toEqual([
      'deny',
      'shared-identity',
      'red',
    ]);
    expect(ask(documents.slice(0, 2), { source: source(shared), destination: db })).toEqual([
      'deny',
      'default',
      null,
    ]);
  });

  test('it does not hide what the ID itself tells', () => {
    const site = { type: 'Site', name: 'here', trustDomains: [{ name: 'td' }] };
    const attributes = {
      'k8s:ns': { unknown: 'shared-identity' },
      'spiffe:id': { unknown: 'shared-identity' },
    };
    const request = { source: { spiffeId: 'spiffe://td/ns/shop/sa/web', attributes }, destination: db };
    expect(ask([...documents.slice(0, 3), site], request)).toEqual(['allow', 'rule', 'anybody']);
  });

  test.each([
    [{ unknown: 'whatever' }],
    [{ unknown: 'shared-identity', value: 'blue' }],
    [{ unknown: 'shared-identity', pods: 'a' }],
    [{ unknown: 'shared-identity', pods: [''] }],
    [{ unknown: 'shared-identity', pods: Array.from({ length: limits.sharingPods + 1 }, () => 'a') }],
  ])('%j is no attribute', (colour) => {
    expect(ask(documents, { source: source(colour), destination: db })).toEqual([
      'deny',
      'invalid-request',
      null,
    ]);
    const request = { source: source(colour), destination: db };
    expect(open(documents).decide(request).violations?.length).toBe(1);
  });

  test('it stands at sources only', () => {
    const attributes = { 'k8s:ns': { unknown: 'shared-identity' } };
    expect(ask(documents, { destination: { attributes } })).toEqual(['deny', 'invalid-request', null]);
  });
});

describe('[SRC12] complete below some prefixes', () => {
  const none = { matchExpressions: [{ key: 'k8s:label:banned', operator: 'DoesNotExist' }] };
  const documents = [service, access('clean', 'allow', none)];
  const by = (complete: unknown) => ({ source: { attributes: { a: 'b' }, complete }, destination: db });

  test('absent below a prefix, unknown beside it', () => {
    expect(ask(documents, by({ 'k8s:': 'observed' }))).toEqual(['allow', 'rule', 'clean']);
    expect(ask(documents, by({ 'k8s:label:b': 'reported' }))).toEqual(['allow', 'rule', 'clean']);
    expect(ask(documents, by({ 'site:': 'observed' }))).toEqual(['deny', 'default', null]);
    expect(ask(documents, by({}))).toEqual(['deny', 'default', null]);
  });

  test('as well known as the best of them says, and no better than the channel', () => {
    expect(ask(documents, by({ 'k8s:': 'asserted' }))).toEqual(['deny', 'default', null]);
    expect(ask(documents, by({ 'k8s:': 'asserted', 'k8s:label:': 'observed' }))).toEqual([
      'allow',
      'rule',
      'clean',
    ]);
    expect(ask(documents, by({ 'k8s:': 'attested' }), channelOf('decide'))).toEqual([
      'deny',
      'default',
      null,
    ]);
    expect(ask(documents, by({ 'k8s:': 'attested' }), channelOf('assert'))).toEqual([
      'allow',
      'rule',
      'clean',
    ]);
  });

  test('a prefix identifies a source, none does not', () => {
    const request = (complete: object) => ({ source: { complete }, destination: db });
    expect(ask(documents, request({ 'k8s:': 'observed' }))).toEqual(['allow', 'rule', 'clean']);
    expect(ask(documents, request({}))).toEqual(['deny', 'default', null]);
  });

  test.each([[{ '': 'observed' }], [{ 'k8s:': 'much' }], [{ 'k8s:': true }], [['k8s:']], ['k8s:']])(
    '%j is no completeness',
    (complete) => {
      expect(ask(documents, by(complete))).toEqual(['deny', 'invalid-request', null]);
    },
  );

  test('prefixes are bounded', () => {
    const many = (size: number) =>
      Object.fromEntries(Array.from({ length: size }, (_, i) => [`p${i}:`, 'observed']));
    expect(ask(documents, by({ ...many(limits.completePrefixes - 1), 'k8s:': 'observed' }))[0]).toBe('allow');
    expect(ask(documents, by(many(limits.completePrefixes + 1)))[1]).toBe('invalid-request');
  });
});
