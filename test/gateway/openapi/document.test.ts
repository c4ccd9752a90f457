import { Validator } from '@seriousme/openapi-schema-validator';
import type { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { createApp } from '../../../src/gateway/app.ts';
import type { Env } from '../../../src/gateway/http/env.ts';
import { documentOf } from '../../../src/gateway/openapi/document.ts';
import { methods } from '../../../src/gateway/openapi/operation.ts';
import { operations } from '../../../src/gateway/openapi/operations.ts';
import type { Service } from '../../../src/gateway/service.ts';
import { fixture, open, type World } from '../authzen/world.ts';

let world: World;
// biome-ignore lint/suspicious/noExplicitAny: it is looked into
let document: any;
beforeAll(async () => {
  world = await open(fixture('certification.yaml'), { callers: { caller: () => undefined } });
  const response = await fetch(`${world.url}/openapi.json`);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
  document = await response.json();
});
afterAll(() => world.close());

/** As the routers have them; what is in between has all methods. */
function routesOf(app: Hono<Env>): string[] {
  return app.routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => `${method.toLowerCase()} ${path.replace(/:(\w+)(?:\{[^}]*\})?/g, '{$1}')}`)
    .sort();
}

describe('the OpenAPI document', () => {
  test('[API1] is open to everybody, valid, and of this version', async () => {
    expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true });
    expect([document.openapi, document.info.version]).toEqual(['3.1.1', manifest.version]);
  });

  test('[API1] a validator that is asked finds what is wrong', async () => {
    const broken = structuredClone(document);
    delete broken.paths['/decide'].post.responses;
    broken.paths['/decide'].post.tags = 'Decide';
    expect((await new Validator().validate(broken)).valid).toBe(false);
  });

  test('[API2] has every route of the service and no other', () => {
    const whole = { settings: { ttl: 5, bodyBytes: 1 }, inspector: {}, metrics() {} } as unknown as Service;
    const described = operations.map(({ method, path }) => `${method} ${path}`).sort();
    // What proxies ask never gets as far as a router.
    const asked = described.filter((one) => /^\w+ \/(?:ext_authz|forward_auth)\//.test(one));
    expect(asked).toHaveLength(methods.length + 1);
    expect(described).toEqual([...routesOf(createApp(whole)), ...asked].sort());
    const listed = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods as object).map((method) => `${method} ${path}`),
    );
    expect(listed.sort()).toEqual(described);
  });

  test('[API2] names each operation once, each parameter of its path, and the role that it takes', () => {
    expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
    for (const { path, parameters = {} } of operations) {
      const inPath = Object.entries(parameters).filter(([, one]) => one.in === 'path');
      expect([path, inPath.map(([name]) => name)]).toEqual([
        path,
        [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
      ]);
    }
    expect(document.paths['/decide'].post['x-role']).toBe('decide');
    expect(document.paths['/openapi.json'].get.security).toEqual([]);
  });

  test('[API2] refers to nothing that is not there, and has nothing that nobody refers to', () => {
    const text = JSON.stringify(document);
    const referred = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
    expect([...new Set(referred)].sort()).toEqual(Object.keys(document.components.schemas));
    expect(text).not.toContain('#/$defs/');
  });

  test('[API3] examples are what their schemas take', () => {
    for (const { path, body } of operations) {
      for (const [name, example] of Object.entries(body?.examples ?? {}))
        expect([path, name, body?.schema.safeParse(example).error?.issues]).toEqual([path, name, undefined]);
    }
  });

  test('[API3] one name is not given to two schemas', () => {
    const [first] = operations.filter(({ body }) => body !== undefined);
    const other = operations.find(({ id }) => id === 'evaluate')!;
    const twice = {
      ...first!,
      body: { ...first!.body!, schema: other.body!.schema.meta({ id: 'DecideRequest' }) },
    };
    expect(() => documentOf([first!, twice], '1')).toThrow('two schemas with the name DecideRequest');
  });
});
