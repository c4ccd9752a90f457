import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { apart } from '../../../src/gateway/decide/evidence.ts';
import { decideRequest } from '../../../src/gateway/openapi/describe/request.ts';
import { asRequest } from '../../../src/pdp/model/as-request.ts';
import { limits } from '../../../src/pdp/model/limits.ts';
import { isObject } from '../../../src/pdp/model/read-request.ts';
import { requestViolations } from '../../../src/pdp/model/request-violations.ts';
import { generate } from '../../oracle/generate.ts';

/** `POST /decide` is read by hand; what it takes is what the schemas of the document take. */

function taken(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { explain, ...body } = value;
  if (explain !== undefined && typeof explain !== 'boolean') return false;
  const { request, violations } = apart(body);
  return violations.length === 0 && asRequest(request) !== undefined;
}

/** No schema can say that two keys mean one attribute. */
function saysTwice(value: unknown): boolean {
  return requestViolations(value).some(({ message }) => message.startsWith('got the same as'));
}

function agree(value: unknown): boolean {
  const expected = taken(value);
  const { success } = decideRequest.safeParse(value);
  if (success !== expected && !saysTwice(value))
    throw new Error(`the reader says ${expected}, the schema ${success}: ${JSON.stringify(value)}`);
  return expected;
}

/** Nearly always what is taken, so that not everything is refused for one field. */
const mostly = <T>(good: readonly T[], bad: readonly T[]) =>
  fc.oneof(
    { arbitrary: fc.constantFrom(...good), weight: 40 },
    { arbitrary: fc.constantFrom(...bad), weight: 1 },
  );
const name = mostly<unknown>(['a', 'x'.repeat(253)], ['', 'x'.repeat(254), 'a/b/c', '/', 7, null]);
const serviceName = mostly<unknown>(
  ['a/b', `${'x'.repeat(253)}/${'x'.repeat(253)}`],
  ['a', 'a/', '/b', 'a/b/c', 7],
);
const route = mostly<unknown>(['a', 'a/b'], ['a/', '/', 'x'.repeat(254), 7]);
const text = (most: number) => mostly<unknown>(['a', 'x'.repeat(most)], ['', 'x'.repeat(most + 1), 7, null]);
const key = mostly(['k8s:ns', 'a', 'unknown'], ['', 'x'.repeat(limits.attributeKeyBytes + 1)]);
const trust = mostly<unknown>(['attested', 'reported'], ['none', 7]);
const number = mostly<unknown>([0, -1, 1.5, 8080], ['1', null]);
const port = mostly<unknown>([1, 8080, 65_535, 'a'], [0, 1.5, 65_536, '']);
const value = text(limits.attributeValueBytes);
const some = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined, freq: 2 });
const object = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc
    .record(fields, { requiredKeys: [] })
    .chain((all) => mostly<object>([all], [{ ...all, more: 1 }]))
    .map((all) => JSON.parse(JSON.stringify(all)) as unknown);
const stated = fc.oneof(
  value,
  object({ value, trust, since: number }),
  object({
    unknown: mostly<unknown>(['shared-identity', 'not-known'], ['x']),
    pods: fc.array(name, { maxLength: 17 }),
  }),
);
const keyed = (one: fc.Arbitrary<unknown>) => fc.dictionary(key, one, { maxKeys: 3 });
const complete = fc.oneof(mostly<unknown>([true, false], ['x']), keyed(trust));
const evidence = mostly<unknown>(['x'], ['', 7]);

const body = object({
  source: object({
    spiffeId: mostly<unknown>(['spiffe://a/b', ''], [7]),
    mesh: name,
    tags: keyed(fc.oneof(value, fc.array(value, { maxLength: 3 }))),
    attributes: keyed(stated),
    complete,
    certificate: some(evidence),
    jwt: some(evidence),
  }),
  destination: fc.oneof(
    object({
      dataplane: name,
      mesh: name,
      inbound: port,
      route,
      namespace: some(name),
    }),
    object({ service: serviceName, namespace: name }),
    object({ attributes: keyed(stated), namespace: name, complete }),
    object({ attributes: keyed(value), service: name, dataplane: name }),
  ),
  request: object({
    method: text(limits.methodBytes),
    path: text(limits.pathBytes),
    sni: text(limits.sniBytes),
  }),
  at: number,
  explain: mostly<unknown>([true, false], ['x']),
});

describe('[API3] the reader of requests and their schema agree', () => {
  test('on requests and what is nearly one', () => {
    let accepted = 0;
    fc.assert(
      fc.property(body, (one) => {
        if (agree(one)) accepted++;
      }),
      { numRuns: 20_000, seed: 7 },
    );
    expect(accepted).toBeGreaterThan(1_000);
  });

  test('on the requests of random worlds', () => {
    let accepted = 0;
    for (let seed = 1; seed <= 300; seed++)
      for (const request of generate(seed, 10).requests) if (agree(request)) accepted++;
    expect(accepted).toBeGreaterThan(1_000);
  });

  const destination = { service: 'a/b' };
  const many = (count: number, one: unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, one]));
  test.each<[string, (more: number) => object]>([
    ['attributes', (more) => ({ destination, source: { attributes: many(limits.attributes + more, 'x') } })],
    ['tags', (more) => ({ destination, source: { tags: many(limits.attributes + more, 'x') } })],
    [
      'prefixes',
      (more) => ({ destination, source: { complete: many(limits.completePrefixes + more, 'reported') } }),
    ],
    [
      'values of a tag',
      (more) => ({ destination, source: { tags: { a: Array(limits.tagValues + more).fill('x') } } }),
    ],
    [
      'attributes asked for',
      (more) => ({ destination: { attributes: many(limits.attributes + more, 'x') } }),
    ],
  ])('at the limit of %s and above', (_, of) => {
    expect([agree(of(0)), agree(of(1))]).toEqual([true, false]);
  });
});
