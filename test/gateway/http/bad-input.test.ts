import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { limits } from '../../../src/pdp/model/limits.ts';
import { bounds } from '../given.ts';
import { openWorld, raw, type World } from '../world.ts';

const policies = 'policies/40-shadow';
const good = { source: { attributes: { 'k8s:ns': 'legacy' } }, destination: { service: 'shadow/api' } };

/** Both ways in: without hono in between, and through it. */
describe.each([true, false])('a body that is posted (direct: %s)', (direct) => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld(policies, {}, { direct });
  });
  afterAll(async () => {
    expect(world.failed).toEqual([]);
    await world.close();
  });

  test('[SVC15] is answered alike', async () => {
    const { status, json } = await world.post('/decide', good);
    expect([status, json.decision, json.by.policy]).toEqual([200, 'allow', 'old-clients']);
    expect((await world.post('/decide/batch', { requests: [good] })).json.decisions[0].decision).toBe(
      'allow',
    );
    expect((await world.post('/decide', good, { roles: [] })).status).toBe(403);
  });

  test.each([
    ['application/json; charset=utf-8', 200],
    ['application/json;charset="UTF-8"', 200],
    ['APPLICATION/JSON', 200],
    ['application/json; charset=latin1', 415],
    ['text/plain', 415],
    ['application/jsonp', 415],
    ['application/json, text/plain', 415],
  ])('[SVC10] content-type %s is %i', async (type, status) => {
    const reply = await world.post('/decide', good, { headers: { 'content-type': type } });
    expect(reply.status).toBe(status);
    if (status !== 415) return;
    expect(reply.headers.get('content-type')).toBe('application/problem+json');
    expect(reply.json.detail).toContain(JSON.stringify(type));
  });

  test('[SVC10] an encoded body is refused', async () => {
    const reply = await world.post('/decide', good, { headers: { 'content-encoding': 'gzip' } });
    expect([reply.status, reply.headers.get('accept-encoding')]).toEqual([415, 'identity']);
  });

  const deep = (levels: number) => `{"destination":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
  test.each<[string, string | Uint8Array, string]>([
    ['nothing', '', 'got the end of the text at line 1, column 1'],
    ['no JSON', '{"a":\n tru}', 'line 2, column 2'],
    ['a repeated key', '{"source":{"mesh":"a","mesh":"b"}}', 'key "mesh" stands here a second time'],
    ['a forbidden key', '{"__proto__":{}}', '__proto__'],
    ['too deep', deep(limits.nesting + 1), 'nesting deeper than'],
    ['bytes that are no UTF-8', new Uint8Array([0x22, 0x61, 0xff, 0x22]), 'byte 0xff at offset 2'],
    ['half of a surrogate pair', '"\\ud800"', 'surrogate'],
    ['a number that cannot be held', '{"at":12345678901234567890123}', 'number'],
    ['two values', '{} {}', 'after the end'],
  ])('[SVC10] %s is 400 with the place', async (_, body, words) => {
    const { status, json, headers } = await world.post('/decide', body);
    expect([status, headers.get('content-type')]).toEqual([400, 'application/problem+json']);
    expect(json.detail).toContain(words);
    expect(json).toMatchObject({ status: 400, title: 'the body is not JSON as it is read here' });
    // It is no file to whoever sends it.
    expect(JSON.stringify(json)).not.toContain('file');
  });

  test('[SVC10] what may be nested is nested', async () => {
    expect((await world.post('/decide', deep(limits.nesting))).json.title).toBe('this is not a request');
  });

  test.each<[unknown, string, string]>([
    [null, '(root)', 'type'],
    [[], '(root)', 'type'],
    [{}, 'destination', 'missing'],
    [{ ...good, destinations: 1 }, 'destinations', 'unknown-field'],
    [{ ...good, source: { mesh: 1 } }, 'source.mesh', 'type'],
    [
      { ...good, source: { attributes: { a: { value: 'b', trust: 'much' } } } },
      'source.attributes.a.trust',
      'value',
    ],
    [{ ...good, request: { method: '' } }, 'request.method', 'empty'],
    [{ ...good, request: { path: 'x'.repeat(limits.pathBytes + 1) } }, 'request.path', 'limit'],
  ])('[SVC10] a request that is none is 400 and names the field: %2$s %3$s', async (body, field, code) => {
    const { status, json } = await world.post('/decide', body);
    expect([status, json.violations]).toEqual([400, [expect.objectContaining({ field, code })]]);
  });

  test('[SVC11] a body over the limit is refused, by its announced size and as it comes', async () => {
    const most = 100_000;
    const sized = (bytes: number) =>
      JSON.stringify({ ...good, x: '' }).replace(
        '""',
        `"${'x'.repeat(bytes - JSON.stringify({ ...good, x: '' }).length)}"`,
      );
    expect((await world.post('/decide', sized(most))).json.violations[0].field).toBe('x');
    const over = await world.post('/decide', sized(most + 1));
    expect([over.status, over.json.detail]).toEqual([
      413,
      `got ${most + 1} bytes, want at most ${most} bytes`,
    ]);
    const head = 'POST /decide HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n';
    // Nothing of it was sent yet.
    expect(await raw(world.port, `${head}content-length: 99999999\r\n\r\n`)).toContain(' 413 ');
    const chunk = `8000\r\n${'x'.repeat(0x8000)}\r\n`;
    expect(
      await raw(world.port, `${head}transfer-encoding: chunked\r\n\r\n`, chunk, chunk, chunk, chunk),
    ).toContain(' 413 ');
  });

  test('[SVC11] who is refused while it still sends hears of it', async () => {
    const { status } = await world.post('/decide', 'x'.repeat(4_000_000));
    expect(status).toBe(413);
  });

  test('[SVC13] nothing that is sent is an error of ours', async () => {
    const field = fc.constantFrom(
      'source',
      'destination',
      'request',
      'at',
      'explain',
      'spiffeId',
      'mesh',
      'tags',
      'attributes',
      'complete',
      'dataplane',
      'service',
      'inbound',
      'route',
      'namespace',
      'method',
      'path',
      'sni',
      'certificate',
      'xfcc',
      'jwt',
      'ip',
      'value',
      'trust',
      'since',
      'unknown',
      'pods',
      'requests',
      'defaults',
      'k8s:ns',
      '',
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom('shadow/api', 'legacy', 'reported', 'spiffe://a/b', '/a', '', 'shared-identity'),
        fc.jsonValue({ maxDepth: 1 }),
        fc.dictionary(field, tie('value'), { maxKeys: 5 }),
        fc.array(tie('value'), { maxLength: 3 }),
      ),
    }));
    const broken = fc
      .tuple(value, fc.nat(), fc.constantFrom('', '}', '"', '\\', '\u0000', ',', '\ud800'))
      .map(([one, at, put]) => {
        const text = JSON.stringify(one) ?? '';
        return `${text.slice(0, at % (text.length + 1))}${put}${text.slice((at % (text.length + 1)) + 1)}`;
      });
    const roles = fc.constantFrom(undefined, ['decide'] as const, ['decide', 'assert'] as const);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('/decide', '/decide/batch'),
        fc.oneof(
          value.map((one) => JSON.stringify(one) ?? ''),
          broken,
        ),
        roles,
        async (path, body, as) => {
          const { status, json } = await world.post(path, body, as === undefined ? {} : { roles: as });
          expect([200, 400, 403]).toContain(status);
          expect(json).toBeDefined();
        },
      ),
      { numRuns: 300 },
    );
  });

  test('[SVC13] an error of ours is 500 and says nothing', async () => {
    const broken = await openWorld(
      policies,
      {
        identify: () => {
          throw new TypeError('secret');
        },
      },
      { direct },
    );
    const rejecting = await openWorld(
      policies,
      { identify: () => Promise.reject(new TypeError('secret')) },
      { direct },
    );
    for (const one of [broken, rejecting]) {
      const { status, text } = await one.post('/decide', { ...good, source: { ip: '::1' } });
      expect([status, text]).toEqual([500, '{"title":"something went wrong here","status":500}']);
      expect(one.failed).toEqual([new TypeError('secret')]);
      await one.close();
    }
  });
});

describe('everything else that comes over HTTP', () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld(policies);
  });
  afterAll(() => world.close());

  test.each(['/', '/nothing'])(
    '[API5] where there is nothing, it is said what there is: %s',
    async (path) => {
      const detail = `got ${path}; GET /docs and GET /openapi.json say what there is`;
      expect((await world.fetch(path)).json).toMatchObject({ status: 404, detail });
    },
  );

  test('[SVC12] other methods, OPTIONS, HEAD and paths that lead nowhere', async () => {
    for (const path of ['/decide', '/decide/batch'])
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'HEAD']) {
        const reply = await world.fetch(path, { method });
        expect([method, reply.status, reply.headers.get('allow')]).toEqual([method, 405, 'POST, OPTIONS']);
        expect(reply.text === '').toBe(method === 'HEAD');
      }
    const options = await world.fetch('/decide', { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow'), options.text]).toEqual([204, 'POST, OPTIONS', '']);
    expect((await world.fetch('/nothing', { method: 'OPTIONS' })).status).toBe(404);
    expect(
      (
        await world.fetch('/decide?x=1', {
          method: 'POST',
          body: '{',
          headers: { 'content-type': 'application/json' },
        })
      ).status,
    ).toBe(400);
  });

  test.each<[string, string, number]>([
    ['no HTTP', 'nonsense\r\n\r\n', 400],
    ['an unknown method', 'DECIDE / HTTP/1.1\r\nhost: x\r\n\r\n', 400],
    ['no host', 'GET /decide HTTP/1.1\r\n\r\n', 400],
    ['a host that is none', 'GET /decide HTTP/1.1\r\nhost: a b/c\r\n\r\n', 400],
    ['no path', 'OPTIONS * HTTP/1.1\r\nhost: x\r\n\r\n', 400],
    ['a path that is none', 'GET http://[ HTTP/1.1\r\nhost: x\r\n\r\n', 400],
    [
      'two lengths',
      'POST /decide HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
      400,
    ],
    [
      'a length and chunks',
      'POST /decide HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n',
      400,
    ],
    ['an expectation', 'POST /decide HTTP/1.1\r\nhost: x\r\nexpect: miracles\r\n\r\n', 417],
    ['a proxy', 'CONNECT a:1 HTTP/1.1\r\nhost: a:1\r\n\r\n', 405],
    ['a large head', `GET /decide HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(bounds.headerBytes)}\r\n\r\n`, 431],
  ])('[SVC12] %s', async (_, text, status) => {
    const reply = await raw(world.port, text);
    expect(reply).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(reply).toContain('application/problem+json');
    expect(JSON.parse(reply.slice(reply.indexOf('\r\n\r\n'))).status).toBe(status);
  });

  test('[SVC11] a request that takes too long to arrive is ended with 408', async () => {
    const slow = await openWorld(policies, {}, { bounds: { ...bounds, headTime: 100, requestTime: 300 } });
    expect(await raw(slow.port, 'POST /decide HTTP/1.1\r\nhost: x\r\n')).toMatch(/^HTTP\/1.1 408 /);
    const head =
      'POST /decide HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n';
    expect(await raw(slow.port, head, '{')).toMatch(/^HTTP\/1.1 408 /);
    await slow.close();
  });

  test('[CALL7] a host that is not meant is refused before anything else', async () => {
    const local = await openWorld(policies, {}, { host: (host) => host.startsWith('localhost') });
    const ask = (host: string) => raw(local.port, `GET /nothing HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
    expect(await ask('evil.example')).toMatch(/^HTTP\/1.1 421 /);
    expect(await ask('localhost:80')).toMatch(/^HTTP\/1.1 404 /);
    await local.close();
  });
});
