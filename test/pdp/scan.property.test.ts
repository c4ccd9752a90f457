import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseBody } from '../../src/gateway/http/json.ts';
import { BodySheet } from '../../src/gateway/http/sheet.ts';
import type { Written } from '../../src/pdp/index/written.ts';
import { limits } from '../../src/pdp/model/limits.ts';
import { isRequest } from '../../src/pdp/model/read-request.ts';
import { channelOf } from '../../src/pdp/model/request.ts';
import { engineOf } from '../oracle/compare.ts';
import type { Shape } from '../oracle/shapes.ts';

/** What is read off bytes, against the parser and the checks of objects: whatever is sent, both say the same. */

const conditions = [
  { attributes: { 'k8s:ns': 'shop', 'site:name': 'eu-1' } },
  { attributes: { 'k8s:label:app': 'web', 'spiffe:id': 'spiffe://td/web' } },
  { attributes: { 'spiffe:trust-domain': 'td' } },
];
const policies: Shape[] = conditions.map(
  ({ attributes }, i) =>
    ({
      apiVersion: 'placet.dev/v1alpha1',
      kind: 'AccessPolicy',
      metadata: { name: `policy-${i}`, namespace: 'shop' },
      spec: {
        action: i === 1 ? 'deny' : 'allow',
        from: [{ workloadSelector: { matchLabels: attributes } }],
        to: [{ workloadSelector: { matchLabels: i === 0 ? {} : { 'k8s:label:app': 'db' } } }],
      },
    }) as unknown as Shape,
);
const engine = engineOf([
  ...policies,
  {
    type: 'Dataplane',
    mesh: 'default',
    name: 'web-1',
    labels: { app: 'web' },
    inbounds: [{ name: 'http', port: 80 }],
  } as Shape,
]);

const letters = fc.constantFrom(
  'a',
  'web',
  'shop',
  'k8s:ns',
  '"',
  '\\',
  '\n',
  '\u007f',
  'é',
  '😀',
  ' ',
  ':',
  ',',
  '{',
  '}',
  '\ud800',
);
const word = fc.oneof(
  {
    weight: 60,
    arbitrary: fc.constantFrom(
      'shop',
      'web',
      'eu-1',
      'td',
      'db',
      'default',
      'http',
      'web-1',
      'shop/web',
      'spiffe://td/web',
      '',
      '/',
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: letters, maxLength: 6 }) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(
        limits.attributeValueBytes,
        limits.nameBytes,
        limits.methodBytes,
        limits.sniBytes,
        limits.spiffeIdBytes,
        limits.attributeKeyBytes,
      )
      .chain((most) => fc.constantFrom('a'.repeat(most), 'a'.repeat(most + 1))),
  },
);
const keys = [
  'k8s:ns',
  'site:name',
  'k8s:label:app',
  'spiffe:id',
  'spiffe:trust-domain',
  'cl:x',
  'a',
  'client.clusterlink.net/namespace',
  'export.clusterlink.net/namespace',
  '__proto__',
  'prototype',
  'constructor',
  '',
];
const anything = fc.oneof(
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.constant([]),
  fc.constant({}),
  word,
);

const text = word.map((one) => JSON.stringify(one));
const service = fc.oneof({ weight: 3, arbitrary: fc.constant('"shop/web"') }, { weight: 1, arbitrary: text });

function rarely<T>(often: fc.Arbitrary<T>, seldom: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 40, arbitrary: often }, { weight: 1, arbitrary: seldom });
}

/** The text of an object that has some of these fields, and seldom one twice, of another name or sort, or a gap. */
function object(fields: Readonly<Record<string, fc.Arbitrary<string>>>, least: number): fc.Arbitrary<string> {
  const field = (name: string) =>
    fc.tuple(
      rarely(fc.constant(name), fc.constantFrom('extra', ...Object.keys(fields))),
      rarely(
        fields[name]!,
        anything.map((one) => JSON.stringify(one)),
      ),
    );
  return fc
    .tuple(
      fc
        .shuffledSubarray(Object.keys(fields), { minLength: least })
        .chain((names) => fc.tuple(...names.map(field))),
      rarely(fc.constantFrom('', ' '), fc.constant('\n')),
    )
    .map(
      ([all, gap]) =>
        `{${all.map(([key, value]) => `${gap}"${key}"${gap}:${gap}${value}`).join(`${gap},`)}${gap}}`,
    );
}

const attributes = fc
  .tuple(
    fc.shuffledSubarray(keys.slice(0, 7), { minLength: 1 }),
    rarely(
      fc.constant<string[]>([]),
      fc.constantFrom(...keys).map((key) => [key]),
    ),
    fc.array(text, { minLength: 8, maxLength: 8 }),
  )
  .map(
    ([some, more, values]) =>
      `{${[...some, ...more].map((key, i) => `${JSON.stringify(key)}:${values[i]}`).join(',')}}`,
  );
const source = fc.oneof(
  object({ attributes }, 1),
  object({ spiffeId: text }, 1),
  object({ attributes, spiffeId: text }, 0),
);
const destination = fc.oneof(
  object({ service }, 1),
  object({ dataplane: text, mesh: text, inbound: text }, 3),
  object({ attributes, namespace: text }, 2),
  object({ attributes, namespace: text, service, dataplane: text, mesh: text, inbound: text }, 0),
);
const request = rarely(
  object({ source, destination, request: object({ method: text, path: text, sni: text }, 1) }, 3),
  object({ source, destination, request: object({ method: text, path: text, sni: text }, 0) }, 0),
);

/** With some bytes others, more or fewer. */
function broken(body: fc.Arbitrary<string>): fc.Arbitrary<Buffer> {
  const change = fc.tuple(fc.nat(), fc.nat(3), fc.constantFrom(...'{}[]":,\\ \n\0é', '"a":"b",'));
  return fc.tuple(body, fc.array(change, { maxLength: 2 })).map(([whole, changes]) => {
    let now = whole;
    for (const [where, gone, put] of changes) {
      const at = where % (now.length + 1);
      now = now.slice(0, at) + put + now.slice(at + gone);
    }
    return Buffer.from(now);
  });
}

function scan(bytes: Buffer) {
  return engine.scan(new BodySheet(bytes));
}

const channels = [undefined, channelOf('decide'), channelOf('assert'), channelOf('relay')];

function same(read: Written, object: unknown): void {
  expect(read.objects).toEqual(object);
  expect(isRequest(object)).toBe(true);
  for (const channel of channels)
    expect(engine.decide(read, channel)).toEqual(engine.decide(object, channel));
}

const runs = { numRuns: 20_000, seed: 20_261_119 };

describe('what is read off bytes', { timeout: 120_000 }, () => {
  test('[REQ7] is what the parser reads, and nothing else is read', () => {
    let plain = 0;
    fc.assert(
      fc.property(
        fc.oneof(
          request.map((one) => Buffer.from(one)),
          broken(request),
        ),
        (bytes) => {
          const read = scan(bytes).one();
          if (read === undefined) return;
          plain++;
          same(read, parseBody(bytes));
        },
      ),
      runs,
    );
    expect(plain).toBeGreaterThan(runs.numRuns / 10);
  });

  test('[REQ7] is so for each of a batch', () => {
    let plain = 0;
    const readable = request.filter((one) => scan(Buffer.from(one)).one() !== undefined);
    // What follows often has the same keys in the same order, or nearly.
    const others = fc.array(
      fc.constantFrom(['shop', 'web'], ['web', 'eu-1'], ['td', ''], ['k8s:ns', 'k8s:ns2'], ['{"', '{ "']),
      { minLength: 1, maxLength: 4 },
    );
    const alike = fc
      .tuple(readable, others)
      .map(([one, all]) => [one, ...all.map(([from, to]) => one.replaceAll(from!, to!))]);
    const bodies = fc
      .oneof(fc.array(rarely(readable, request), { minLength: 1, maxLength: 6 }), alike)
      .map((all) => `{"requests":[${all.join(',')}]}`);
    fc.assert(
      fc.property(
        fc.oneof(
          bodies.map((one) => Buffer.from(one)),
          broken(bodies),
        ),
        (bytes) => {
          const read = scan(bytes).batch(5);
          if (read === undefined) return;
          plain += read.length;
          const { requests, ...more } = parseBody(bytes) as { requests: unknown[] };
          expect([more, requests.length]).toEqual([{}, read.length]);
          read.forEach((one, i) => {
            same(one, requests[i]);
          });
        },
      ),
      { ...runs, numRuns: 10_000 },
    );
    expect(plain).toBeGreaterThan(10_000);
  });
});
