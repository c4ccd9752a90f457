import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { open } from '../../../src/index.ts';
import { asRequest } from '../../../src/pdp/model/as-request.ts';
import { limits } from '../../../src/pdp/model/limits.ts';
import type { RequestDestination } from '../../../src/pdp/model/request.ts';
import { requestViolations } from '../../../src/pdp/model/request-violations.ts';
import { formatPath, formatViolation } from '../../../src/pdp/model/violation.ts';
import { generate } from '../../oracle/generate.ts';

const service = { service: 'shop/pay' };
const plane = { dataplane: 'backend-1' };

/** Where something is wrong, and which way. */
function wrong(value: unknown): string[] {
  const violations = requestViolations(value);
  expect(asRequest(value) !== undefined).toBe(violations.length === 0);
  return violations.map(({ path, code }) => `${formatPath(path)} ${code}`);
}

describe('[REQ1] what a request is', () => {
  test.each<[string, unknown]>([
    ['null', null],
    ['a string', '{}'],
    ['a list', [{ destination: service }]],
    ['nothing asked for', {}],
  ])('%s is none', (_, value) => {
    const placet = open([]);
    const decision = placet.decide(value);
    expect([decision.decision, decision.tier, decision.by, decision.shadow]).toEqual([
      'deny',
      null,
      null,
      'deny',
    ]);
    expect(decision.reason).toBe('invalid-request');
    expect(decision.violations?.length).toBeGreaterThan(0);
    expect(placet.explain(value).decision).toEqual(decision);
  });

  test('a destination is enough', () => {
    expect(wrong({ destination: service })).toEqual([]);
    expect(wrong({ destination: plane, source: {}, request: {}, at: 0 })).toEqual([]);
  });

  test('everything that is wrong is said at once', () => {
    const value = {
      destination: { dataplane: '' },
      source: { spiffeId: 1, attributes: { a: 2, b: { value: 'x', trust: 'absolute' } } },
      request: { method: '' },
      at: 'now',
    };
    expect(wrong(value).length).toBeGreaterThanOrEqual(6);
  });

  test('decide and explain throw for no data, and agree on what is a request', () => {
    const world = generate(7);
    const placet = open(world.documents);
    const spoilt = fc.constantFrom(...world.requests).chain((request) =>
      fc
        .tuple(fc.constantFrom('source', 'destination', 'request', 'at', 'more'), fc.jsonValue())
        .map(([key, value]) => ({
          ...(request as object),
          [key]: value,
        })),
    );
    fc.assert(
      fc.property(fc.oneof(fc.anything({ withNullPrototype: true }), fc.jsonValue(), spoilt), (value) => {
        wrong(value);
        const decision = placet.decide(value);
        expect(decision.reason === 'invalid-request').toBe(asRequest(value) === undefined);
        expect(placet.explain(value).decision).toEqual(decision);
      }),
      { seed: 20_261_118, numRuns: 1_500 },
    );
  });
});

test('[REQ1] what is wrong is said as of documents: what was got, and what is wanted', () => {
  const value = {
    destination: { ...service, ...plane, inbound: 0, complete: true },
    source: { mesh: 7, attributes: { a: {}, b: { value: 'x', trust: 'reportd' } } },
    sorce: {},
  };
  expect(requestViolations(value).map(formatViolation)).toEqual([
    'sorce: got the unknown field "sorce", want "source", "destination", "request" or "at" (did you mean "source"?)',
    'destination: got both "dataplane" and "service", want one of them',
    'destination.inbound: got the number 0, want a port from 1 to 65535 or a name',
    'destination.complete: got "complete" without "attributes", want it beside that alone',
    'source.mesh: got the number 7, want a string',
    'source.attributes.a.value: got nothing, want a string',
    expect.stringMatching(/trust: got "reportd", want "attested", .* \(did you mean "reported"\?\)$/),
  ]);
});

describe('[REQ2] fields', () => {
  test('an unknown one is named with the nearest known', () => {
    const [violation] = requestViolations({ destination: service, sorce: {} });
    expect(violation?.code).toBe('unknown-field');
    expect(violation?.hint).toContain('source');
    expect(wrong({ destination: { ...service, labels: {} } })).toEqual(['destination.labels unknown-field']);
  });

  test.each(['__proto__', 'constructor', 'toString'])('%s is a field like any other', (key) => {
    const value = JSON.parse(`{"destination": {"service": "shop/pay"}, "${key}": {}}`) as unknown;
    expect(wrong(value)).toEqual([`${key} unknown-field`]);
    const attributes = JSON.parse(`{"${key}": "x"}`) as object;
    expect(wrong({ destination: service, source: { attributes } })).toEqual([]);
  });
});

test('[REQ2] an undefined field is not there, whatever its name, and a hole in a list is no value', () => {
  const value = {
    destination: { ...service, more: undefined },
    more: undefined,
    source: { more: undefined },
  };
  expect(wrong(value)).toEqual([]);
  expect(wrong({ destination: service, source: { tags: { t: new Array(2) } } })).toHaveLength(2);
});

describe('[REQ3] destinations', () => {
  test.each<[string, object]>([
    ['none', {}],
    ['a dataplane and a service', { ...plane, ...service }],
    ['a service and attributes', { ...service, attributes: {} }],
    ['a namespace alone', { namespace: 'shop' }],
    ['an inbound without a dataplane', { ...service, inbound: 'http' }],
    ['a mesh without a dataplane', { attributes: {}, mesh: 'default' }],
    ['a service without a namespace', { service: 'pay' }],
    ['a service with too many parts', { service: 'a/b/c' }],
    ['a port that is none', { ...plane, inbound: 65_536 }],
    ['a port that is no whole number', { ...plane, inbound: 80.5 }],
    ['a route without a dataplane', { ...service, route: 'r' }],
    ['a route without a name', { ...plane, route: 'shop/' }],
    ['a route with too many parts', { ...plane, route: 'a/b/c' }],
    ['a route that is no text', { ...plane, route: 1 }],
  ])('%s is none', (_, destination) => {
    expect(wrong({ destination })).not.toEqual([]);
  });

  test('none, two, and what stands beside another one do not compile either', () => {
    const compiled: readonly RequestDestination[] = [
      // @ts-expect-error none of the three
      {},
      // @ts-expect-error two of them
      { ...plane, ...service },
      // @ts-expect-error a route is one of an inbound
      { ...service, route: 'r' },
      // @ts-expect-error only attributes are complete or not
      { ...plane, complete: true },
    ];
    for (const destination of compiled) expect(wrong({ destination })).not.toEqual([]);
  });

  test('a namespace may stand beside each', () => {
    for (const way of [plane, service, { attributes: {} }])
      expect(wrong({ destination: { ...way, namespace: 'shop' } })).toEqual([]);
  });

  test('[DST8] a route beside a dataplane', () => {
    for (const route of ['r', 'shop/r']) expect(wrong({ destination: { ...plane, route } })).toEqual([]);
  });

  test('a mesh and an inbound beside a dataplane', () => {
    for (const inbound of ['http', '8080', 8080, 65_535])
      expect(wrong({ destination: { ...plane, mesh: 'other', inbound } })).toEqual([]);
  });
});

describe('[REQ1] limits hold, and end where they say', () => {
  const text = (length: number) => 'a'.repeat(length);
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'v']));

  test.each<[keyof typeof limits, (size: number) => object]>([
    ['pathBytes', (size) => ({ destination: plane, request: { path: text(size) } })],
    ['methodBytes', (size) => ({ destination: plane, request: { method: text(size) } })],
    ['sniBytes', (size) => ({ destination: plane, request: { sni: text(size) } })],
    ['nameBytes', (size) => ({ destination: { dataplane: text(size) } })],
    ['attributes', (size) => ({ destination: plane, source: { attributes: many(size) } })],
    ['attributeKeyBytes', (size) => ({ destination: plane, source: { attributes: { [text(size)]: 'v' } } })],
    ['attributeValueBytes', (size) => ({ destination: plane, source: { attributes: { k: text(size) } } })],
    ['tagValues', (size) => ({ destination: plane, source: { tags: { t: Array<string>(size).fill('v') } } })],
  ])('%s', (limit, make) => {
    expect(wrong(make(limits[limit]))).toEqual([]);
    expect(wrong(make(limits[limit] + 1))).toHaveLength(1);
  });
});

test.each([
  ['fields', (n: number) => named(n, 'destination'), 'unknown-field'],
  ['attributes', (n: number) => ({ destination: { attributes: named(n) } }), 'type'],
  ['tags', (n: number) => ({ destination: service, source: { tags: named(n) } }), 'type'],
])('[DOC6] at most as many violations of a request are listed as the limit says: %s', (_, request, code) => {
  const most = limits.violationsPerRequest;
  expect(wrong(request(most)).map((line) => line.split(' ').at(-1))).toEqual(Array(most).fill(code));
  for (const n of [most + 1, 2 * most]) {
    const violations = requestViolations(request(n));
    expect(violations).toHaveLength(most + 1);
    expect(violations.slice(0, most).every((one) => one.code === code)).toBe(true);
    expect(violations.at(-1)).toMatchObject({
      code: 'limit',
      message: expect.stringContaining('more than 100'),
    });
  }
});

test('[REQ1] fields that are there and undefined are not there, however many', () => {
  const request = {
    destination: service,
    ...Object.fromEntries(range(1000).map((i) => [`x${i}`, undefined])),
  };
  expect(wrong(request)).toEqual([]);
  expect(wrong({ ...request, x: 1 })).toEqual(['x unknown-field']);
});

function named(n: number, ...more: string[]): Record<string, unknown> {
  return Object.fromEntries([...range(n).map((i) => [`x${i}`, 1]), ...more.map((key) => [key, service])]);
}

function range(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i);
}
