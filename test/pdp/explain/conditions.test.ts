import { describe, expect, test } from 'vitest';
import type { Workload } from '../../../src/pdp/model/inventory.ts';
import { type Channel, channelOf, operatorChannel, type Request } from '../../../src/pdp/model/request.ts';
import { ask, backend, condition, from, id, inbound, outright, rule, saw, site, toBackend } from './small.ts';

describe('what a condition on the source saw', () => {
  test('[EXP2] [REQ5] a value that is stated', () => {
    expect(saw('role in x', from({ attributes: { 'k8s:label:role': 'x' } }))).toMatchObject({
      truth: 'true',
      seen: ['x'],
      from: 'stated in the request',
      trust: 'attested',
    });
    const stated = { 'k8s:label:role': { value: 'x', trust: 'attested', since: 5 } } as const;
    expect(saw('role in x', from({ attributes: stated }), {}, channelOf('assert'))).toMatchObject({
      trust: 'reported',
      since: 5,
    });
  });

  test('[EXP2] [UNK2] [UNK3] one that is not there', () => {
    expect(saw('role in x', from({ attributes: {} }))).toMatchObject({ truth: 'false', seen: [] });
    expect(saw('role in x', from({ attributes: {}, complete: false, spiffeId: id }))).toMatchObject({
      truth: 'unknown',
      cause: 'not-given',
    });
  });

  test('[EXP2] [UNK4] one below the floor', () => {
    const floored = { ...rule(2, []), when: [{ ...condition('role in x'), floor: 'configured' as const }] };
    const attributes = { 'k8s:label:role': { value: 'x', trust: 'reported' } } as const;
    expect(ask([floored], from({ attributes })).rules[0]?.conditions[0]).toMatchObject({
      truth: 'unknown',
      cause: 'below-floor',
      seen: ['x'],
      trust: 'reported',
      floor: 'configured',
    });
  });

  test('[EXP2] [SRC5] what the SPIFFE ID gives', () => {
    expect(saw('k8s:ns in shop', from({ spiffeId: id }), { site })).toMatchObject({
      truth: 'true',
      from: 'template of td',
      trust: 'attested',
    });
    expect(saw('spiffe:trust-domain in td', from({ spiffeId: id }))).toMatchObject({
      truth: 'true',
      from: 'SPIFFE ID',
    });
    expect(
      saw('k8s:ns in shop', from({ spiffeId: 'spiffe://other/ns/shop/sa/web', complete: false }), { site }),
    ).toMatchObject({
      truth: 'unknown',
    });
  });

  test('[EXP2] [SRC7] what the workloads with its ID agree on, or not', () => {
    const workload = (name: string, role: string): Workload => {
      const attributes = new Map([
        ['k8s:label:role', role],
        ['k8s:label:app', 'web'],
      ]);
      return { namespace: 'shop', name, spiffeId: id, attributes };
    };
    const workloads = [workload('web-2', 'b'), workload('web-1', 'a')];
    const request = from({ spiffeId: id, complete: false });
    expect(saw('app in web', request, { workloads })).toMatchObject({
      truth: 'true',
      from: 'workloads of the inventory',
      trust: 'observed',
    });
    expect(saw('role in a', request, { workloads })).toMatchObject({
      truth: 'unknown',
      cause: 'shared-identity',
      pods: ['shop/web-1', 'shop/web-2'],
    });
    expect(saw('k8s:owner exists', request, { workloads })).toMatchObject({ truth: 'false' });
    expect(ask([rule(2, ['role in a'])], request, { workloads }).decision).toMatchObject({
      reason: 'shared-identity',
      keys: ['k8s:label:role'],
    });
  });

  test('[EXP2] [SRC8] what may not be set where it was set', () => {
    const attributeRules = [
      { keys: ['k8s:label:*'], from: [{ site: [condition('site:name in eu')], namespaces: ['shop'] }] },
    ];
    const stated = (ns: string, name?: string) =>
      from({
        attributes: {
          'k8s:label:role': 'x',
          'k8s:ns': ns,
          ...(name === undefined ? {} : { 'site:name': name }),
        },
      });
    const seen = (request: Request) => saw('role in x', request, { site: { ...site, attributeRules } });
    expect(seen(stated('shop', 'eu'))).toMatchObject({ truth: 'true' });
    for (const request of [stated('shop', 'us'), stated('shop'), stated('other', 'eu')])
      expect(seen(request)).toMatchObject({ truth: 'unknown', cause: 'not-trusted-here', seen: [] });
  });

  test('[EXP2] [SRC9] [SRC10] mesh and tags', () => {
    const request = from({ tags: { version: ['v1', 'v2'] } });
    expect(saw('kuma:tag:version in v2', request)).toMatchObject({ truth: 'true', seen: ['v1', 'v2'] });
    expect(saw('kuma:tag:version notIn v2', request)).toMatchObject({ truth: 'false' });
    expect(saw('kuma:mesh in a', request)).toMatchObject({ truth: 'unknown', cause: 'not-given' });
  });

  test('[EXP2] [AP3] a name of the other side is absent, whatever is complete', () => {
    const request = from({ spiffeId: id, complete: false });
    expect(saw('export.clusterlink.net/name:x exists', request)).toMatchObject({ truth: 'unknown' });
    const wrong = {
      ...rule(2, []),
      when: [{ ...condition('x exists'), key: 'export.clusterlink.net/name' }],
    };
    expect(ask([wrong], request).rules[0]?.conditions[0]).toMatchObject({ truth: 'false' });
  });
});

describe('what a condition on the destination saw', () => {
  test.each([
    ['to.k8s:ns in shop', ['shop'], 'configured'],
    ['to.app in backend', ['backend'], 'configured'],
    ['to.service:name in backend', ['backend'], 'configured'],
    ['to.kuma:label:app in backend', ['backend'], undefined],
    ['to.kuma:section in 8080', ['http', '8080'], undefined],
    ['to.placet:namespace in shop', ['shop'], undefined],
  ])('[EXP2] [DST3] %s', (written, seen, trust) => {
    const shown = saw(written, toBackend, backend());
    expect(shown).toMatchObject({ truth: 'true', seen, from: 'Dataplane default/backend-1' });
    expect(shown?.trust).toBe(trust);
  });

  test('[EXP2] [DST5] one of several inbounds', () => {
    const more = backend([inbound, { name: 'admin', port: 8081, tags: new Map() }]);
    for (const written of ['to.kuma:section in admin', 'to.service:name in backend'])
      expect(saw(written, toBackend, more)).toMatchObject({ truth: 'unknown', cause: 'section-not-given' });
    const admin: Request = { ...toBackend, destination: { dataplane: 'backend-1', inbound: 8081 } };
    expect(saw('to.kuma:section in admin', admin, more)).toMatchObject({ truth: 'true' });
  });

  test('[EXP2] [DST1] rules for other destinations are not there', () => {
    expect(ask([rule(3, ['to.app in other'])], toBackend, backend()).rules).toEqual([]);
    const permission = { ...rule(3, []), origin: { ...rule(3, []).origin, kind: 'MeshTrafficPermission' } };
    expect(ask([permission], from({ spiffeId: id })).rules).toEqual([]);
    expect(ask([permission], toBackend, backend()).rules).toHaveLength(1);
  });

  test('[EXP2] [DST2] an allow of an AccessPolicy where only denies count', () => {
    const { decision, rules } = ask([rule(3, [])], toBackend, backend([inbound], 'denies'));
    expect(decision.reason).toBe('default');
    expect(rules[0]).toMatchObject({ barred: true, outcome: 'no' });
  });
});

test.each<[string, string, boolean]>([
  ['a/b', 'a/b', true],
  ['a/b', 'A/b', false],
  ['a/b*', 'a/bc/d', true],
  ['a/b*', 'a/', false],
  ['a/b/**', 'a/b', true],
  ['a/b/**', 'a/b/c', true],
  ['a/b/**', 'a/bc', false],
])('[OP1] %s over %s: %s', (written, value, holds) => {
  const request = from({ attributes: { 'k8s:label:x': value } });
  expect(saw(`x in ${written}`, request)?.truth).toBe(String(holds));
  expect(saw(`x notIn ${written}`, request)?.truth).toBe(String(!holds));
});

test.each<[Request['source'], Channel, boolean]>([
  [undefined, operatorChannel, false],
  [{}, operatorChannel, false],
  [{ mesh: 'm' }, operatorChannel, false],
  [{ tags: {} }, operatorChannel, false],
  [{ attributes: {} }, operatorChannel, true],
  [{ attributes: {} }, channelOf('decide'), false],
  [{ complete: true }, channelOf('decide'), true],
  [{ tags: { a: 'b' } }, channelOf('decide'), true],
  [{ attributes: { a: 'b' } }, channelOf('decide'), true],
  [{ spiffeId: id }, channelOf('decide'), true],
])('[SRC1] [SRC2] [SRC4] %j over %j is identified: %s', (source, channel, identified) => {
  const given = source === undefined ? {} : { source };
  const { decision } = ask(
    [rule(3, [])],
    { ...given, destination: { dataplane: 'backend-1' } },
    backend(),
    channel,
  );
  expect(decision.reason).toBe(identified ? 'rule' : 'unidentified');
  const elsewhere = ask(
    [rule(2, ['kuma:mesh in x']), rule(3, [])],
    { ...given, destination: outright },
    {},
    channel,
  );
  const mesh = source?.mesh !== undefined && identified;
  expect(elsewhere.decision).toMatchObject(mesh ? {} : { reason: 'unknown-attribute', keys: ['kuma:mesh'] });
});

test('[DST4] the namespace whose policies bind: as it is given, else of the destination, else unknown', () => {
  const to = (destination: Request['destination']) =>
    saw('to.placet:namespace in shop', { source: { spiffeId: id }, destination })?.truth;
  expect(to({ attributes: {}, namespace: 'shop' })).toBe('true');
  expect(to({ attributes: { 'k8s:ns': 'shop' } })).toBe('true');
  expect(to({ attributes: { 'k8s:ns': 'other' }, namespace: 'shop' })).toBe('true');
  expect(to({ attributes: { 'k8s:ns': 'other' } })).toBeUndefined();
  expect(to({ attributes: {} })).toBe('unknown');
});

test('[REQ6] methods as they are, server names in lower case, none is known absence', () => {
  const parts = { method: 'get', sni: 'Shop.Example' };
  const request: Request = { source: { spiffeId: id }, destination: outright, request: parts };
  expect(saw('request:method in GET', request)?.truth).toBe('false');
  expect(saw('request:sni in shop.example', request)?.truth).toBe('true');
  expect(saw('request:sni exists', { ...request, request: {} })?.truth).toBe('false');
  expect(saw('request:method in GET', { ...request, request: {} })?.truth).toBe('unknown');
});
