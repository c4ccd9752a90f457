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
