import { create, fromBinary, type JsonObject, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCheck } from '../../../src/envoy/authz/check-request.ts';
import { type Answer, Answers, checkResponse } from '../../../src/envoy/authz/check-response.ts';
import { GrpcError } from '../../../src/envoy/grpc/status.ts';
import {
  CheckRequestSchema,
  CheckResponseSchema,
} from '../../../src/envoy/proto/generated/envoy/service/auth/v3/external_auth_pb.js';

const namespace = 'envoy.filters.http.jwt_authn';
const text = fc.string({ unit: 'grapheme', maxLength: 200 });
const texts = fc.dictionary(text, text, { maxKeys: 4 });
const peer = fc.record({
  address: fc.record({
    address: fc.record({
      case: fc.constant('socketAddress' as const),
      value: fc.record({
        address: text,
        portSpecifier: fc.record({ case: fc.constant('portValue' as const), value: fc.nat(65_535) }),
      }),
    }),
  }),
  service: text,
  labels: texts,
  principal: text,
  certificate: text,
});
const claims = fc.dictionary(text, fc.jsonValue({ maxDepth: 4 }), { maxKeys: 4 }) as fc.Arbitrary<JsonObject>;
const request = fc.record({
  attributes: fc.record({
    source: peer,
    destination: peer,
    request: fc.record({
      time: fc.record({ seconds: fc.bigInt({ min: 0n, max: 2n ** 40n }), nanos: fc.nat(999_999_999) }),
      http: fc.record({
        id: text,
        method: text,
        headers: texts,
        path: text,
        size: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
        rawBody: fc.uint8Array({ maxLength: 300 }),
      }),
    }),
    contextExtensions: texts,
    metadataContext: fc.record({
      filterMetadata: fc.dictionary(fc.constantFrom(namespace, 'other'), claims),
    }),
    tlsSession: fc.record({ sni: text }),
  }),
});

/** Absent and empty are one in protobuf. */
const given = <T extends object>(object: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(object).filter(([, value]) => value !== '' && value !== undefined),
  ) as Partial<T>;

describe('messages of ext_authz', () => {
  test('[AUTHZ1] a CheckRequest is read as Envoy’s own definitions read it', () => {
    fc.assert(
      fc.property(request, (init) => {
        const message = create(CheckRequestSchema, init);
        const check = readCheck(Buffer.from(toBinary(CheckRequestSchema, message)), new Set([namespace]));
        const {
          source,
          destination,
          request: asked,
          contextExtensions,
          metadataContext,
          tlsSession,
        } = init.attributes;
        const ends = [source, destination].map(({ address, labels, principal, certificate }) => ({
          ...given({ address: address.address.value.address, principal, certificate }),
          labels: new Map(Object.entries(labels)),
        }));
        const found = metadataContext.filterMetadata[namespace];
        expect(
          JSON.parse(JSON.stringify({ ...check, extensions: [...check.extensions], metadata: [] })),
        ).toEqual(
          JSON.parse(
            JSON.stringify({
              source: ends[0],
              destination: ends[1],
              http: given({ method: asked.http.method, path: asked.http.path }),
              extensions: Object.entries(contextExtensions),
              metadata: [],
              sni: tlsSession.sni,
            }),
          ),
        );
        expect(check.source.labels).toEqual(ends[0]?.labels);
        expect(JSON.parse(JSON.stringify(check.metadata.get(namespace) ?? null))).toEqual(
          JSON.parse(JSON.stringify(found ?? null)),
        );
        expect([...check.metadata.keys()]).toEqual(found === undefined ? [] : [namespace]);
      }),
      { numRuns: 300, seed: 8 },
    );
  });

  test('[AUTHZ2] whatever the bytes, a request comes of them or a refusal', () => {
    fc.assert(
      fc.property(
        request,
        fc.array(fc.tuple(fc.nat(4_000), fc.nat(255)), { maxLength: 6 }),
        fc.nat(4_000),
        (init, changes, cut) => {
          const bytes = Buffer.from(toBinary(CheckRequestSchema, create(CheckRequestSchema, init)));
          for (const [at, byte] of changes) if (at < bytes.length) bytes[at] = byte;
          try {
            readCheck(bytes.subarray(0, Math.max(0, bytes.length - cut)), new Set([namespace]));
          } catch (error) {
            expect(error).toBeInstanceOf(GrpcError);
            expect((error as GrpcError).status).toBe(3);
          }
        },
      ),
      { numRuns: 2_000, seed: 8 },
    );
  });

  test.each<[string, number[], string]>([
    ['a field that does not end', [0x0a, 0x05, 0x0a], 'got a field that does not end'],
    [
      'a length without an end',
      [0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
      'more than ten bytes',
    ],
    ['a group', [0x4b], 'the wire type 3'],
    ['field 0', [0x02, 0x00], 'a field without a number'],
    ['a principal that is not UTF-8', [0x0a, 0x06, 0x0a, 0x04, 0x22, 0x02, 0xc3, 0x28], 'not UTF-8'],
    ['a number for a peer', [0x0a, 0x02, 0x08, 0x01], 'a string or message that is none'],
  ])('[AUTHZ2] refused: %s', (_, bytes, words) => {
    expect(() => readCheck(Buffer.from(bytes), new Set())).toThrow(words);
  });

  test('[AUTHZ2] metadata deeper than may be is refused', () => {
    const deep = (depth: number): JsonObject => (depth === 0 ? {} : { a: deep(depth - 1) });
    const read = (depth: number) =>
      readCheck(
        Buffer.from(
          toBinary(
            CheckRequestSchema,
            create(CheckRequestSchema, {
              attributes: { metadataContext: { filterMetadata: { [namespace]: deep(depth) } } },
            }),
          ),
        ),
        new Set([namespace]),
      );
    expect(() => read(64)).not.toThrow();
    expect(() => read(65)).toThrow('got metadata deeper than 64 levels');
  });

  const pairs = fc.array(fc.tuple(text, text), { maxLength: 5 });
  const id = fc.stringMatching(/^[\w.-]{1,20}$/);
  const said = fc.record({ key: fc.constant('decision_id'), header: fc.constant('x-id'), value: id });
  const answers: fc.Arbitrary<Answer> = fc.record({
    allow: fc.boolean(),
    metadata: pairs,
    id: said,
    upstream: pairs,
    remove: fc.array(text, { maxLength: 3 }),
    denial: fc.record({
      status: fc.integer({ min: 100, max: 599 }),
      body: fc.string({ unit: 'grapheme', maxLength: 3_000 }),
    }),
  });

  test('[AUTHZ3] what is answered is read by Envoy’s own definitions, its code always there', () => {
    fc.assert(
      fc.property(answers, fc.boolean(), (one, named) => {
        const { id: own, ...nameless } = one;
        const read = fromBinary(CheckResponseSchema, checkResponse(named ? one : nameless));
        const ofId = (name: 'key' | 'header') => (named && own ? [[own[name], own.value] as const] : []);
        expect(read.status?.code).toBe(one.allow ? 0 : 7);
        expect(read.status).toBeDefined();
        expect(read.dynamicMetadata).toEqual(
          Object.fromEntries([...ofId('key'), ...one.metadata.toReversed()]),
        );
        const headers = (given: Answer['upstream']) =>
          given.map(([key, value]) =>
            expect.objectContaining({ header: expect.objectContaining({ key, value }), appendAction: 2 }),
          );
        if (one.allow) {
          expect(read.httpResponse.case).toBe('okResponse');
          expect(read.httpResponse.value).toMatchObject({ headersToRemove: one.remove.toReversed() });
          expect((read.httpResponse.value as { headers: unknown }).headers).toEqual(
            headers([...one.upstream.toReversed(), ...ofId('header')]),
          );
        } else {
          expect(read.httpResponse.case).toBe('deniedResponse');
          expect(read.httpResponse.value).toMatchObject({
            status: { code: one.denial.status },
            body: one.denial.body,
          });
          expect((read.httpResponse.value as { headers: unknown }).headers).toEqual(headers(ofId('header')));
        }
      }),
      { numRuns: 300, seed: 8 },
    );
  });

  test('[AUTHZ3] an answer that is kept for other IDs is the one that would have been made', () => {
    fc.assert(
      fc.property(answers, fc.array(id, { minLength: 1, maxLength: 6 }), (one, ids) => {
        const of = (value: string): Answer => ({ ...one, id: { key: 'decision_id', header: 'x-id', value } });
        const kept = new Answers(of);
        for (const value of ids) expect(kept.of(value)).toEqual(checkResponse(of(value)));
      }),
      { numRuns: 300, seed: 8 },
    );
  });
});
