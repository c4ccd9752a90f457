import { once } from 'node:events';
import type { ClientHttp2Session } from 'node:http2';
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkPath } from '../../../../src/envoy/authz/service.ts';
import { Frames, frame } from '../../../../src/envoy/grpc/frames.ts';
import {
  CheckRequestSchema,
  CheckResponseSchema,
} from '../../../../src/envoy/proto/generated/envoy/service/auth/v3/external_auth_pb.js';
import {
  DeltaDiscoveryRequestSchema,
  DiscoveryRequestSchema,
} from '../../../../src/envoy/proto/generated/envoy/service/discovery/v3/discovery_pb.js';
import { extensionType } from '../../../../src/envoy/xds/resource.ts';
import { extensionsOf } from '../../../support/envoy/extensions.ts';
import { type Answer, mostGrowth, open, RawClient } from './raw-client.ts';
import { certificateFor, friend, type Serving, serveShop, web } from './world.ts';

/** What proxies may send that is none of what they should, to the service as a user starts it. */

let placet: Serving;
let certificate: string;
beforeAll(async () => {
  placet = await serveShop({}, { limits: { requestTime: 1 } });
  certificate = encodeURIComponent((await certificateFor(friend)).chain);
});
const client = new RawClient(() => placet);
const session = client.session.bind(client);
const resident = client.resident.bind(client);
afterAll(async () => {
  client.close();
  await placet.close();
});

const service = '/envoy.service.discovery.v3.AggregatedDiscoveryService';

async function send(over: ClientHttp2Session, bytes: Uint8Array): Promise<Answer> {
  const { stream, answer } = open(over, checkPath);
  stream.end(frame(bytes));
  return await answer;
}

type Attributes = NonNullable<MessageInitShape<typeof CheckRequestSchema>['attributes']>;
const toWeb = {
  contextExtensions: extensionsOf(web),
};
const get = { request: { http: { method: 'GET', path: '/' } } };
const bytesOf = (attributes: Attributes) =>
  toBinary(CheckRequestSchema, create(CheckRequestSchema, { attributes }));
const good = () => bytesOf({ ...toWeb, ...get, source: { certificate } });

function verdict({ status, words, body }: Answer): unknown {
  if (status !== '0') return [status, words];
  const response = fromBinary(CheckResponseSchema, body.subarray(5));
  return [response.status?.code, response.dynamicMetadata?.['reason']];
}

/** Everybody else gets what they got before. */
async function others(): Promise<void> {
  expect(verdict(await send(session(), good()))).toEqual([0, 'rule']);
}

describe('input of proxies that is none', () => {
  test.each<[string, () => Attributes, unknown]>([
    ['all in order', () => ({ ...toWeb, ...get, source: { certificate } }), [0, 'rule']],
    ['no source', () => ({ ...toWeb, ...get }), [7, 'unidentified']],
    ['no destination', () => ({ ...get, source: { certificate } }), [7, 'unknown-destination']],
    ['no request', () => ({ ...toWeb, source: { certificate } }), [7, 'incomplete-request']],
    [
      '1 MB of headers',
      () => ({
        ...toWeb,
        source: { certificate },
        request: { http: { ...get.request.http, headers: { a: 'x'.repeat(1_048_576) } } },
      }),
      [0, 'rule'],
    ],
    [
      'a path of 1 MB',
      () => ({
        ...toWeb,
        source: { certificate },
        request: { http: { method: 'GET', path: `/${'a'.repeat(1e6)}` } },
      }),
      [7, 'invalid-request'],
    ],
    [
      'no certificate in it',
      () => ({ ...toWeb, ...get, source: { certificate: 'x' } }),
      [7, 'invalid-source'],
    ],
    ['broken encoding', () => ({ ...toWeb, ...get, source: { certificate: '%' } }), [7, 'invalid-source']],
    [
      'half a certificate',
      () => ({ ...toWeb, ...get, source: { certificate: certificate.slice(0, 400) } }),
      [7, 'invalid-source'],
    ],
    [
      'another letter in a certificate',
      () => ({ ...toWeb, ...get, source: { certificate: certificate.replace('MII', 'MIJ') } }),
      [7, 'invalid-source'],
    ],
    [
      'a certificate of 1 MB',
      () => ({ ...toWeb, ...get, source: { certificate: 'x'.repeat(1_048_576) } }),
      [7, 'invalid-request'],
    ],
  ])('[AUTHZ14] is a denial or makes no difference: %s', async (_, attributes, expected) => {
    expect(verdict(await send(session(), bytesOf(attributes())))).toEqual(expected);
    await others();
  });

  test('[AUTHZ4] who does not say what is asked for finds out: the denial has an id, and is counted', async () => {
    const counted = async () => {
      const metrics = await (await fetch(`http://127.0.0.1:${placet.httpPort()}/metrics`)).text();
      const line = metrics
        .split('\n')
        .find((one) => /^placet_decisions_total\{.*unknown-destination/.test(one));
      return Number(line?.split(' ').at(-1) ?? 0);
    };
    const before = await counted();
    const { body } = await send(session(), bytesOf({ ...get, source: { certificate } }));
    const { dynamicMetadata, httpResponse } = fromBinary(CheckResponseSchema, body.subarray(5));
    expect(dynamicMetadata).toMatchObject({ decision: 'deny', decision_id: expect.stringMatching(/./) });
    expect(JSON.stringify(httpResponse)).toContain(String(dynamicMetadata?.['decision_id']));
    await expect.poll(counted).toBe(before + 1);
  });

  test('[AUTHZ14] is refused with a reason: text that is none, no message, too much of it', async () => {
    const over = session();
    const text = bytesOf({ ...toWeb, source: { principal: 'abc' } });
    const at = Buffer.from(text).indexOf('abc');
    text.set([0xff, 0xfe, 0xff], at);
    expect((await send(over, text)).status).toBe('3');
    expect((await send(over, Buffer.alloc(64, 0xff))).status).toBe('3');
    expect((await send(over, Buffer.alloc(5 * 1_048_576))).status).toBe('8');
    expect(verdict(await send(over, good()))).toEqual([0, 'rule']);
  });

  test('[AUTHZ14] a header with quotes that are not closed, and its like, is a denial', async () => {
    const ask = async (xfcc: string) => {
      const url = `http://127.0.0.1:${placet.httpPort()}/ext_authz/mesh=default;dataplane=web-1;inbound=http/`;
      return (await fetch(url, { headers: { 'x-forwarded-client-cert': xfcc } })).status;
    };
    expect(await ask(`URI=${friend}`)).toBe(200);
    for (const xfcc of [
      `URI="${friend}`,
      `URI=${friend}"`,
      `URI=${friend};Subject="x`,
      `URI=${friend};`,
      '"',
      ',',
    ])
      expect([xfcc, await ask(xfcc)]).toEqual([xfcc, 403]);
  });

  test('[RPC3] half a frame is ended in time', async () => {
    const { stream, answer } = open(session(), checkPath);
    stream.write(frame(good()).subarray(0, 50));
    await others();
    expect(await answer).toMatchObject({ status: '4', words: 'the call was not said whole in time' });
  });

  test('[RPC5] a client that never reads its answers loses them, and nobody else waits for it', async () => {
    const before = resident();
    const deaf = session({ settings: { initialWindowSize: 0 } });
    await once(deaf, 'remoteSettings');
    const { maxConcurrentStreams = 0 } = deaf.remoteSettings;
    const all = Array.from({ length: 2 * maxConcurrentStreams }, () => send(deaf, good()));
    await others();
    const ends = new Set((await Promise.all(all)).map(({ status, body }) => `${status} ${body.length}`));
    expect([...ends]).toEqual(['none 0']);
    expect(resident() - before).toBeLessThan(mostGrowth);
    await others();
  });

  const first = (node: string) =>
    frame(
      toBinary(
        DiscoveryRequestSchema,
        create(DiscoveryRequestSchema, {
          node: { id: node },
          typeUrl: extensionType,
          resourceNames: ['placet/http/http/0'],
        }),
      ),
    );

  test('[XDS9] a node that acknowledges what it never got is told nothing new, and disturbs nobody', async () => {
    const { stream, answer } = open(session(), `${service}/StreamAggregatedResources`);
    const frames = new Frames(1_048_576);
    let messages = 0;
    const arrived = new Promise<void>((resolve) => {
      stream.on('data', (chunk: Buffer) => {
        messages += frames.push(chunk).length;
        if (messages > 0) resolve();
      });
    });
    stream.write(first('default/web-1'));
    await arrived;
    for (let n = 0; n < 2_000; n++)
      stream.write(
        frame(
          toBinary(
            DiscoveryRequestSchema,
            create(DiscoveryRequestSchema, {
              typeUrl: extensionType,
              responseNonce: `nonsense-${n}`,
              versionInfo: 'made up',
              resourceNames: [`x-${n}`],
              ...(n % 2 === 0 ? {} : { errorDetail: { code: 3, message: 'x'.repeat(1_000) } }),
            }),
          ),
        ),
      );
    await others();
    stream.end();
    expect((await answer).status).toBe('0');
    expect(messages).toBe(1);
  });

  test('[XDS9] a node that wants more and more is ended with a reason', async () => {
    const { stream, answer } = open(session(), `${service}/DeltaAggregatedResources`);
    for (let n = 0; n < 3; n++)
      stream.write(
        frame(
          toBinary(
            DeltaDiscoveryRequestSchema,
            create(DeltaDiscoveryRequestSchema, {
              node: { id: 'default/web-1' },
              typeUrl: extensionType,
              resourceNamesSubscribe: Array.from({ length: 600 }, (_, at) => `${n}-${at}`),
            }),
          ),
        ),
      );
    expect(await answer).toMatchObject({ status: '3', words: 'got 1200 names in all, want at most 1000' });
  });

  test('[XDS9] of 10,000 streams of one connection as many are taken as one may have, and calls go on', async () => {
    const before = resident();
    const greedy = session();
    const statuses = new Set<string>();
    let [answered, ended] = [0, 0];
    const refused = new Promise<void>((resolve) => {
      for (let n = 0; n < 10_000; n++) {
        const { stream, answer } = open(greedy, `${service}/StreamAggregatedResources`);
        stream.write(first('default/web-1'));
        stream.once('data', () => answered++);
        void answer.then(({ status }) => {
          statuses.add(status);
          if (++ended === 9_900) resolve();
        });
      }
    });
    await others();
    await refused;
    await others();
    // Each waits for its turn with whoever renders filters, on a machine that does other things too.
    await expect
      .poll(() => ({ answered, ended }), { timeout: 30_000 })
      .toEqual({ answered: 100, ended: 9_900 });
    // Node itself resets streams that a connection opens faster than they can be refused.
    expect(['14', 'none']).toEqual(expect.arrayContaining([...statuses]));
    expect(resident() - before).toBeLessThan(mostGrowth);
    greedy.destroy();
    await others();
  });
});
