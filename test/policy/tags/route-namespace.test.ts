import { expect, test } from 'vitest';
import { open } from '../../../src/index.ts';

/** Requests that name a route without its namespace. */

const proxy = {
  type: 'Dataplane',
  name: 'backend',
  networking: { inbound: [{ port: 80, tags: { 'kuma.io/service': 'backend' } }] },
};
const permission = (name: string, action: string, targetRef: object) => ({
  type: 'MeshTrafficPermission',
  name,
  spec: { targetRef, from: [{ targetRef: { kind: 'MeshService', name: 'web' }, default: { action } }] },
});
const all = (action: string) => permission('all', action, { kind: 'Mesh' });
const inShop = (action: string) =>
  permission('shop', action, { kind: 'MeshHTTPRoute', name: 'r', namespace: 'shop' });
const anywhere = (action: string) => permission('any', action, { kind: 'MeshHTTPRoute', name: 'r' });

function ask(route: string, ...policies: readonly object[]): string {
  const source = { mesh: 'default', tags: { 'kuma.io/service': 'web' } };
  const engine = open([{ type: 'Mesh', name: 'default', certificates: 'tags' }, proxy, ...policies]);
  const request = { source, destination: { dataplane: 'backend', inbound: 80, route } };
  const { decision, by, reason } = engine.decide(request);
  expect(engine.explain(request).decision).toEqual(engine.decide(request));
  return `${decision} ${by?.policy} ${reason}`;
}

test('[DST8] a deny for a route of one namespace holds where the namespace is not given', () => {
  expect(ask('r', all('Allow'), inShop('Deny'))).toBe('deny shop unknown-attribute');
  expect(ask('shop/r', all('Allow'), inShop('Deny'))).toBe('deny shop rule');
  expect(ask('obs/r', all('Allow'), inShop('Deny'))).toBe('allow all rule');
  expect(ask('other', all('Allow'), inShop('Deny'))).toBe('allow all rule');
});

test('[DST8] an allow for a route of one namespace does not; one for that name in all of them does', () => {
  expect(ask('r', all('Deny'), inShop('Allow'))).toBe('deny all rule');
  expect(ask('shop/r', all('Deny'), inShop('Allow'))).toBe('allow shop rule');
  expect(ask('r', all('Deny'), anywhere('Allow'))).toBe('allow any rule');
  // Of the two the smaller name is the stronger one.
  expect(ask('r', all('Deny'), inShop('Allow'), anywhere('Allow'))).toBe('allow any rule');
});

test('[DST8] so it is among policies for many routes, which are told apart by a tree', () => {
  const route = (name: string, namespace?: string) => ({
    kind: 'MeshHTTPRoute',
    name,
    ...(namespace === undefined ? {} : { namespace }),
  });
  const many = Array.from({ length: 30 }, (_, i) => [
    permission(`any-${i}`, 'Allow', route(`r${i}`)),
    permission(`shop-${i}`, i % 2 === 0 ? 'Allow' : 'Deny', route(`s${i}`, 'shop')),
    permission(`placed-${i}`, 'Allow', route(`r${i}`, 'shop')),
  ]).flat();
  for (const at of [0, 7, 29]) expect(ask(`r${at}`, all('Deny'), ...many)).toBe(`allow any-${at} rule`);
  expect(ask('s4', all('Deny'), ...many)).toBe('deny all rule');
  expect(ask('s5', all('Allow'), ...many)).toBe('deny shop-5 unknown-attribute');
});

test('[DST8] [PATH3] what governs one route is not kept for another', () => {
  const spiffeID = { type: 'PathPrefix', value: 'spiffe://td/' };
  const policy = (name: string, targetRef: object, matcher: object) => ({
    type: 'MeshTrafficPermission',
    name,
    spec: { targetRef, rules: [{ default: { allow: [{ spiffeID, ...matcher }] } }] },
  });
  const documents = [
    proxy,
    policy('all', { kind: 'Mesh' }, { method: 'GET' }),
    policy('r', { kind: 'MeshHTTPRoute', name: 'r' }, { path: { type: 'PathPrefix', value: '/a' } }),
  ];
  for (const order of [
    ['r', 'x'],
    ['x', 'r'],
  ]) {
    const engine = open(documents);
    const reasons = order.map((route) => {
      const destination = { dataplane: 'backend', inbound: 80, route };
      const request = { method: 'GET', path: '/a%2fb' };
      return `${route} ${engine.decide({ source: { spiffeId: 'spiffe://td/x' }, destination, request }).reason}`;
    });
    expect(reasons.sort()).toEqual(['r ambiguous-path', 'x rule']);
  }
});
