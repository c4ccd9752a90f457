import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Caller, Evidence } from '../../../src/gateway/service.ts';
import type { Role } from '../../../src/pdp/model/request.ts';
import { settings } from '../given.ts';
import { openWorld, raw, type World } from '../world.ts';

/** Proxies that ask by HTTP. */

const web = 'spiffe://default.zone-1.mesh.local/ns/shop/sa/web';
const asked: Evidence[] = [];
let world: World;
beforeAll(async () => {
  world = await openWorld(join(import.meta.dirname, '../openapi/fixtures'), {
    identify: (evidence) => {
      asked.push(evidence);
      return {
        source: { spiffeId: /URI=([^;,]+)/.exec(evidence.xfcc ?? '')?.[1] ?? '' },
        conflicts: [],
        refused: [],
      };
    },
    callers: { caller: ({ token }) => (token === undefined ? proxy : nobody) },
    settings: {
      ...settings,
      extAuthz: { denial: { status: 451, body: 'not you' }, tellUpstream: true },
    },
  });
});
afterAll(() => world.close());

let proxy: Caller = { name: 'proxy', roles: new Set(['decide', 'relay']) };
const nobody: Caller = { name: 'client', roles: new Set() };

const orders = '/ext_authz/mesh=default;dataplane=orders;inbound=http';
const forward = '/forward_auth/mesh=default;dataplane=orders;inbound=http';
const xfcc = { 'x-forwarded-client-cert': `By=x;URI=${web}` };

interface Said {
  readonly status: number;
  readonly body: string;
  readonly head: string;
}

/** Byte for byte: what asks here resolves and escapes nothing. */
async function ask(path: string, headers: Record<string, string> = xfcc, method = 'GET'): Promise<Said> {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const text = await raw(
    world.port,
    `${method} ${path} HTTP/1.1\r\nhost: shop\r\nconnection: close\r\n${lines.join('')}\r\n`,
  );
  const [head = '', body = ''] = text.split('\r\n\r\n');
  return { status: Number(head.slice(9, 12)), body, head };
}

const status = async (...args: Parameters<typeof ask>) => (await ask(...args)).status;
const last = () => world.decided.at(-1);

describe('ext_authz by HTTP', () => {
  test('[AUTHZ10] allows by 200, denies as configured, with the decision’s id', async () => {
    const allowed = await ask(`${orders}/orders/17?a=b`);
    expect([allowed.status, allowed.body]).toEqual([200, '']);
    expect(allowed.head).toContain(`x-placet-decision-id: ${last()?.id}`);
    expect(allowed.head).toContain('x-placet-reason: rule');
    expect(last()).toMatchObject({
      via: 'ext_authz',
      caller: 'proxy',
      // Who asks this way knows of no server name.
      channel: { serverNames: 'untold', identity: 'attested' },
      request: {
        destination: { mesh: 'default', dataplane: 'orders', inbound: 'http' },
        request: { method: 'GET', path: '/orders/17?a=b' },
      },
    });
    expect(asked.at(-1)).toEqual({ xfcc: `By=x;URI=${web}` });
    const denied = await ask(`${orders}/orders/17`, xfcc, 'PUT');
    expect([denied.status, denied.body]).toEqual([451, 'not you']);
    expect(denied.head).toContain(`x-placet-decision-id: ${last()?.id}`);
    expect(denied.head).not.toMatch(/x-placet-(?:reason|trust)|policy/);
    expect(last()?.decision).toMatchObject({ decision: 'deny', reason: 'default' });
  });

  test('[AUTHZ10] names that clients must not use are taken away in an Envoy', async () => {
    const { head } = await ask(`${orders}/`);
    expect(head).toContain(
      'x-envoy-auth-headers-to-remove: x-placet-mesh,x-placet-dataplane,x-placet-inbound,x-placet-service,x-placet-route,x-placet-namespace',
    );
  });

  test('[AUTHZ10] without a client, or with one whom nobody lets in, it is a denial', async () => {
    expect(await status(`${orders}/`, {})).toBe(451);
    expect(last()?.decision.reason).toBe('unidentified');
    expect(await status(`${orders}/`, { 'x-forwarded-client-cert': 'URI=spiffe://td/ns/a/sa/b' })).toBe(451);
    expect(await status(`${orders}/`, { 'x-forwarded-client-cert': '' })).toBe(451);
    expect(await status('/ext_authz/mesh=default;dataplane=none;inbound=http/')).toBe(451);
    expect(last()?.decision.reason).toBe('unknown-destination');
  });

  test('[AUTHZ10] two headers with certificates are two proxies, nearest last', async () => {
    const both = 'x-forwarded-client-cert: URI=a\r\nx-forwarded-client-cert: URI=b';
    await raw(world.port, `GET ${orders}/ HTTP/1.1\r\nhost: shop\r\n${both}\r\n\r\n`);
    expect(asked.at(-1)?.xfcc).toBe('URI=a, URI=b');
  });

  test.each([
    '/../../live',
    '/../../../../../../live',
    '/..\\..\\..\\live',
    '/%2e%2e/%2e%2e/live',
    '//live',
    '/./../x',
  ])(
    '[AUTHZ11] a path behind the prefix is the client’s as it is, and leads nowhere else: %s',
    async (path) => {
      const before = world.decided.length;
      const { head } = await ask(orders + path);
      expect(world.decided.length).toBe(before + 1);
      expect(last()?.request.request).toEqual({ method: 'GET', path });
      expect(head).toContain(`x-placet-decision-id: ${last()?.id}`);
      expect(await status(orders + path, {})).toBe(451);
    },
  );

  test.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'])(
    '[AUTHZ11] whatever the method, it is the client’s: %s',
    async (method) => {
      await ask(`${orders}/`, { ...xfcc, 'content-length': '0' }, method);
      expect(last()?.request.request).toEqual({ method, path: '/' });
    },
  );

  test.each([
    '/ext_authz/',
    '/ext_authz//live',
    '/ext_authz/live',
    '/ext_authz/../live',
    '/ext_authz/..%2flive/',
    '/ext_authz/dataplane=/a',
    '/ext_authz/dataplane=orders;dataplane=orders/a',
    '/ext_authz/dataplane=orders;who=me/a',
    '/ext_authz/mesh=default/a',
    '/ext_authz/dataplane=%zz/a',
    '/ext_authz/headers/a',
    '/ext_authz/dataplane=orders',
    '/forward_auth/',
    '/forward_auth/dataplane=orders/a',
    '/forward_auth/../live',
  ])('[AUTHZ11] where nothing is named, there is nothing: %s', async (path) => {
    const before = world.decided.length;
    expect(await status(path)).toBe(404);
    expect(world.decided.length).toBe(before);
  });

  test.each([
    ['/ext_authz/', 'nothing is named'],
    [
      '/forward_auth/dataplane=a;inboud=http',
      '"inboud" is none of mesh, dataplane, inbound, service, route, namespace; did you mean "inbound"?',
    ],
    ['/forward_auth/mesh=a;dataplane=b;inbound=', '"inbound" has no value'],
    ['/ext_authz/dataplane=a;dataplane=b/', '"dataplane" stands there twice'],
    ['/ext_authz/mesh=default/', 'neither a dataplane nor a service is named'],
    ['/ext_authz/%zz/', 'its percent-encoding is broken'],
    ['/ext_authz/headers/', 'no header says x-placet-dataplane or x-placet-service'],
    ['/ext_authz/dataplane=a', "the client's path does not stand behind it"],
    [
      '/forward_auth/dataplane=a/b',
      'something stands behind it, and the path of the client is told in headers',
    ],
  ])(
    '[AUTHZ11] what is wrong with a path is named, with an example of that endpoint: %s',
    async (path, why) => {
      const { detail } = JSON.parse((await ask(path)).body);
      const example = 'mesh=default;dataplane=web-1;inbound=http';
      const want = path.startsWith('/ext')
        ? `/ext_authz/${example}/path/of/the/client`
        : `/forward_auth/${example}`;
      expect(detail).toBe(`got ${path}: ${why}; want a dataplane or a service in it, as in ${want}`);
    },
  );

  test('[AUTHZ11] only `headers` in the path believes headers', async () => {
    const said = { 'x-placet-service': 'shop/front', 'x-placet-namespace': 'shop' };
    await ask(`${orders}/`, { ...xfcc, ...said });
    expect(last()?.request.destination).toEqual({ mesh: 'default', dataplane: 'orders', inbound: 'http' });
    await ask('/ext_authz/headers/', { ...xfcc, ...said });
    expect(last()?.request.destination).toEqual({ service: 'shop/front', namespace: 'shop' });
    await ask('/ext_authz/service=shop%2Ffront;namespace=shop/');
    expect(last()?.request.destination).toEqual({ service: 'shop/front', namespace: 'shop' });
  });

  test('[AUTHZ12] a proxy is who its connection says, whatever token a client sends', async () => {
    expect(await status(`${orders}/`, { ...xfcc, authorization: 'Bearer of-a-client' })).toBe(200);
    expect(last()?.caller).toBe('proxy');
  });

  test.each([['decide'], ['relay'], ['assert', 'explain']])(
    '[AUTHZ12] it takes the roles decide and relay: %s %s',
    async (...roles) => {
      const before = proxy;
      proxy = { name: 'proxy', roles: new Set(roles as Role[]) };
      try {
        expect(await status(`${orders}/`)).toBe(403);
        expect(await status(forward)).toBe(403);
      } finally {
        proxy = before;
      }
    },
  );

  const nginx = { 'x-original-method': 'GET', 'x-original-uri': '/orders/17' };
  const traefik = { 'x-forwarded-method': 'GET', 'x-forwarded-uri': '/orders/17?a' };
  test('[AUTHZ13] other proxies tell method and path in headers', async () => {
    for (const [headers, path] of [
      [nginx, '/orders/17'],
      [traefik, '/orders/17?a'],
      [{ 'x-original-method': 'GET', 'x-original-url': 'https://shop.example:8443/orders?b' }, '/orders?b'],
    ] as const) {
      expect(await status(forward, { ...xfcc, ...headers })).toBe(200);
      expect(last()).toMatchObject({ via: 'forward_auth', request: { request: { method: 'GET', path } } });
    }
    expect(await status(forward, { ...xfcc, ...nginx, 'x-original-uri': '/secret/..;/orders' })).toBe(200);
    expect(last()?.request.request).toMatchObject({ path: '/secret/%2e%2e;/orders' });
    expect(await status(forward, xfcc)).toBe(451);
    expect(last()?.decision.reason).toBe('incomplete-request');
    expect(await status(forward, { ...xfcc, ...nginx }, 'POST')).toBe(405);
  });

  test.each<[string, Record<string, string>]>([
    ['another path', { ...nginx, 'x-forwarded-uri': '/orders/18' }],
    ['another method', { ...traefik, 'x-original-method': 'PUT' }],
    ['another URL', { ...nginx, 'x-original-url': 'https://shop.example/orders/18' }],
    ['a host with a query', { 'x-original-method': 'GET', 'x-original-url': 'https://shop?x/orders' }],
    ['a host with a fragment', { 'x-original-method': 'GET', 'x-original-url': 'https://shop#x/orders' }],
    ['a user', { 'x-original-method': 'GET', 'x-original-url': 'https://shop@x/orders' }],
    ['another scheme', { 'x-original-method': 'GET', 'x-original-url': 'ftp://shop/orders' }],
    ['no path', { 'x-original-method': 'GET', 'x-original-uri': 'orders' }],
  ])('[AUTHZ13] headers that do not agree, or are none, are a denial: %s', async (_, headers) => {
    expect(await status(forward, { ...xfcc, ...headers })).toBe(451);
    expect(last()?.decision).toMatchObject({ reason: 'conflict', decision: 'deny' });
    // What is told of it holds no evidence.
    expect(last()?.request.source).toBeUndefined();
  });

  test('[AUTHZ13] one header twice with two values is a denial', async () => {
    const twice = 'x-forwarded-uri: /orders\r\nx-forwarded-uri: /secret\r\nx-forwarded-method: GET';
    const [name, value] = Object.entries(xfcc)[0] as [string, string];
    await raw(world.port, `GET ${forward} HTTP/1.1\r\nhost: shop\r\n${name}: ${value}\r\n${twice}\r\n\r\n`);
    expect(last()?.decision.reason).toBe('conflict');
  });
});
