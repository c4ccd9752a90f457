import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import type { Asked, Reading } from '../../../src/envoy/authz/ask.ts';
import { authorizationMethods, checkPath } from '../../../src/envoy/authz/service.ts';
import {
  CheckRequestSchema,
  type CheckResponse,
  CheckResponseSchema,
} from '../../../src/envoy/proto/generated/envoy/service/auth/v3/external_auth_pb.js';
import { type Decision, refusal } from '../../../src/pdp/model/decision.ts';

type Init = NonNullable<MessageInitShape<typeof CheckRequestSchema>['attributes']>;

const by = { policy: 'secret-policy', kri: 'kri_secret-policy', effect: 'allow', index: 0 } as const;
const allow: Decision = {
  ...refusal('rule', 'snap'),
  decision: 'allow',
  tier: 3,
  by,
  trust: 'attested',
};

const plain: Reading = {
  destinations: { order: ['extensions', 'labels', 'metadata', 'principal'], ofPrincipal: () => undefined },
  principals: 'certificate-only',
  addresses: false,
};

interface Options {
  readonly decision?: Decision;
  readonly reading?: Partial<Reading>;
  readonly tellUpstream?: boolean;
  readonly later?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

async function ask(
  init: Init,
  { decision = allow, reading = {}, tellUpstream = false, later = false, headers = {} }: Options = {},
): Promise<{ response: CheckResponse; asked: Asked | undefined }> {
  let asked: Asked | undefined;
  const methods = authorizationMethods({
    reading: { ...plain, ...reading },
    denial: { status: 403, body: 'denied' },
    tellUpstream,
    answer(given) {
      asked = given;
      return later ? Promise.resolve({ decision, id: 'd-1' }) : { decision, id: 'd-1' };
    },
  });
  const method = methods.get(checkPath);
  if (method === undefined || !('unary' in method)) throw new Error('no method');
  const message = Buffer.from(toBinary(CheckRequestSchema, create(CheckRequestSchema, { attributes: init })));
  const answer = await method.unary(message, { headers } as never);
  return { response: fromBinary(CheckResponseSchema, answer), asked };
}

const ofDestination = ['mesh', 'dataplane', 'inbound', 'service', 'route', 'namespace'].map(
  (field) => `x-placet-${field}`,
);
const backend = { 'placet.dataplane': 'backend-1', 'placet.mesh': 'shop', 'placet.inbound': 'http' };

describe('ext_authz', () => {
  test('[AUTHZ3] an allow says so by its code, and takes away what a client may not say', async () => {
    for (const later of [false, true]) {
      const { response } = await ask({ contextExtensions: backend }, { later });
      expect(response).toMatchObject({
        status: { code: 0 },
        httpResponse: {
          case: 'okResponse',
          value: {
            headersToRemove: expect.arrayContaining(['x-placet-reason', 'x-placet-trust', ...ofDestination]),
          },
        },
        dynamicMetadata: {
          decision: 'allow',
          decision_id: 'd-1',
          reason: 'rule',
          policy: 'kri_secret-policy',
          shadow: 'deny',
          snapshot: 'snap',
        },
      });
    }
  });

  test('[AUTHZ3] upstream headers overwrite what a client sends', async () => {
    const { response } = await ask({ contextExtensions: backend }, { tellUpstream: true });
    const ok = response.httpResponse.value as {
      headers: { header: object; appendAction: number }[];
      headersToRemove: string[];
    };
    expect(ok.headersToRemove.sort()).toEqual(ofDestination.toSorted());
    expect(ok.headers.map(({ header, appendAction }) => ({ ...header, appendAction }))).toMatchObject([
      { key: 'x-placet-trust', value: 'attested', appendAction: 2 },
      { key: 'x-placet-reason', value: 'rule', appendAction: 2 },
      { key: 'x-placet-decision-id', value: 'd-1', appendAction: 2 },
    ]);
  });

  test('[AUTHZ3] a denial has its status and body, and no policy in what the client sees', async () => {
    const decision: Decision = { ...allow, decision: 'deny', tier: 2 };
    const { response } = await ask({ contextExtensions: backend }, { decision });
    expect(response).toMatchObject({
      status: { code: 7 },
      httpResponse: { case: 'deniedResponse', value: { status: { code: 403 }, body: 'denied' } },
      dynamicMetadata: { decision: 'deny', policy: 'kri_secret-policy' },
    });
    expect(JSON.stringify(response.httpResponse)).not.toContain('secret');
    expect(JSON.stringify(response.httpResponse)).toContain('d-1');
  });

  test('[AUTHZ4] a proxy that does not say what is asked for asks for nothing', async () => {
    for (const contextExtensions of [{}, { 'placet.mesh': 'shop' }, { dataplane: 'backend-1' }]) {
      const { asked } = await ask({ contextExtensions });
      expect(asked).toMatchObject({ destination: undefined });
    }
  });

  test('[AUTHZ4] the first place in the order that says what is asked for counts, whole', async () => {
    const init: Init = {
      contextExtensions: { 'placet.mesh': 'shop' },
      destination: { labels: { 'placet.service': 'shop/pay' }, principal: 'spiffe://td/ns/shop/sa/pay' },
      metadataContext: { filterMetadata: { placet: { dataplane: 'backend-2', inbound: 7 } } },
    };
    const seen: string[] = [];
    const ofPrincipal = (id: string) => {
      seen.push(id);
      return { dataplane: 'of-principal' };
    };
    const of = async (...order: Reading['destinations']['order']) =>
      (await ask(init, { reading: { destinations: { order, ofPrincipal } } })).asked?.destination;
    expect(await of('extensions', 'labels')).toEqual({ service: 'shop/pay' });
    expect(await of('metadata', 'labels')).toEqual({ dataplane: 'backend-2' });
    expect(await of('principal', 'labels')).toEqual({ dataplane: 'of-principal' });
    expect(await of('extensions')).toBeUndefined();
    const headers = { 'x-placet-service': 'shop/call', 'x-placet-mesh': 'shop' };
    const order = ['call', 'labels'] as const;
    const { asked } = await ask(init, { reading: { destinations: { order, ofPrincipal } }, headers });
    expect(asked?.destination).toEqual({ service: 'shop/call' });
    expect(seen).toEqual(['spiffe://td/ns/shop/sa/pay']);
  });

  test('[AUTHZ5] the certificate says who asks; without it a principal is believed only where it is safe', async () => {
    const of = async (source: NonNullable<Init['source']>, reading: Partial<Reading> = {}) => {
      const { asked } = await ask({ contextExtensions: backend, source }, { reading });
      return { certificate: asked?.certificate, spiffeId: asked?.spiffeId, address: asked?.address };
    };
    const principal = 'spiffe://td/ns/a/sa/b';
    const safe = { principals: 'only-spiffe-ids-are-admitted' } as const;
    expect(await of({ principal })).toEqual({});
    expect(await of({ principal }, safe)).toEqual({ spiffeId: principal });
    expect(await of({ principal: 'spiffe://td/ns/a/../b' }, safe)).toEqual({});
    expect(await of({ principal: 'CN=spiffe://td/ns/a/sa/b' }, safe)).toEqual({});
    const certificate = '-----BEGIN%20CERTIFICATE-----%0AMII%2B%0A';
    expect(await of({ principal, certificate }, safe)).toEqual({ certificate });
    expect(await of({ principal, certificate: '%' }, safe)).toEqual({ certificate: '%' });
    const address = { address: { case: 'socketAddress', value: { address: '10.1.2.3' } } } as const;
    expect(await of({ address })).toEqual({});
    expect(await of({ address }, { addresses: true })).toEqual({ address: '10.1.2.3' });
  });

  test('[AUTHZ5] claims count only where the site says under which key they are left', async () => {
    const init: Init = {
      contextExtensions: backend,
      metadataContext: {
        filterMetadata: {
          'envoy.filters.http.jwt_authn': {
            jwt_payload: { iss: 'spiffe://td/gw', list: [1, 'a'] },
            other: 'text',
          },
          somebody: { jwt_payload: { iss: 'spiffe://td/evil' } },
        },
      },
    };
    const of = async (claims?: string) =>
      (await ask(init, { reading: claims === undefined ? {} : { claims } })).asked?.claims;
    expect(await of()).toBeUndefined();
    expect({ ...(await of('jwt_payload')) }).toEqual({ iss: 'spiffe://td/gw', list: [1, 'a'] });
    expect(await of('other')).toBeUndefined();
    expect(await of('none')).toBeUndefined();
  });

  test('[AUTHZ6] method, path with its query and server name are the request; a connection has its server name', async () => {
    const { asked } = await ask({
      contextExtensions: backend,
      request: { http: { method: 'GET', path: '/a?b=c', headers: { ':path': '/other' } } },
      tlsSession: { sni: 'shop.example' },
    });
    expect(asked?.request).toEqual({ method: 'GET', path: '/a?b=c', sni: 'shop.example' });
    const written = { http: { method: 'GET', path: '/a/..;/b?c=/..;' } };
    // Envoy leaves these only where they were written with an escape.
    expect((await ask({ contextExtensions: backend, request: written })).asked?.request.path).toBe(
      '/a/%2e%2e;/b?c=/..;',
    );
    const without = (await ask({ contextExtensions: backend, tlsSession: {} })).asked;
    expect([without?.request, without?.serverNames]).toEqual([{}, undefined]);
  });

  test('[AUTHZ6] [REQ6] where nothing is said of the session, the server name may be any', async () => {
    expect((await ask({ contextExtensions: backend })).asked).toMatchObject({
      request: {},
      serverNames: 'untold',
    });
  });
});
