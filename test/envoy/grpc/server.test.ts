import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { frame } from '../../../src/envoy/grpc/frames.ts';
import { GrpcError, status } from '../../../src/envoy/grpc/status.ts';
import { callUnary, echo, finish, grpcJs, head, path, raw, say, start } from './echo.ts';

describe('gRPC', () => {
  test('[RPC1] the client of grpc-js gets its answers, many at once, small and large', async () => {
    const client = grpcJs(await start(echo));
    const texts = ['', 'a', 'x'.repeat(200_000), ...Array.from({ length: 300 }, (_, n) => `call ${n}`)];
    const answers = await Promise.all(texts.map((text) => callUnary(client, text)));
    expect(answers.map(({ value }) => value)).toEqual(texts.map((text) => `got ${text}`));
  });

  test('[RPC1] a conversation of grpc-js: messages both ways, then the end with a status', async () => {
    const port = await start({
      streaming: (conversation) => ({
        message: (message) => {
          if (message.toString() === 'bad')
            conversation.end(new GrpcError(status.invalidArgument, 'no ü, 100 %'));
          else conversation.send(Buffer.from(`${message}!`));
        },
        half: () => conversation.end(),
        closed: () => undefined,
      }),
    });
    const open = () => grpcJs(port).makeBidiStreamRequest(path, (text: string) => Buffer.from(text), String);
    const call = open();
    const got: string[] = [];
    call.on('data', (text: string) => got.push(text));
    call.write('a');
    call.write('b');
    call.end();
    const [found] = await once(call, 'status');
    expect([got, found]).toMatchObject([['a!', 'b!'], { code: 0 }]);
    const other = open();
    other.on('error', () => undefined);
    other.on('data', () => undefined);
    other.write('bad');
    const ended = await new Promise((resolve) => other.on('status', resolve));
    expect(ended).toMatchObject({
      code: status.invalidArgument,
      details: 'no ü, 100 %',
    });
  });

  test('[RPC1] errors reach the client with status and words; what is ours does not', async () => {
    const seen: unknown[] = [];
    const port = await start(
      {
        unary: (message) => {
          if (message.toString() === 'known') throw new GrpcError(status.permissionDenied, 'not you');
          if (message.toString() === 'later')
            return Promise.reject(new GrpcError(status.unavailable, 'later'));
          throw new Error('secret');
        },
      },
      { onError: (error) => seen.push((error as Error).message) },
    );
    const client = grpcJs(port);
    const found = [];
    for (const text of ['known', 'later', 'ours']) found.push((await callUnary(client, text)).error);
    expect(found.map((error) => [error?.code, error?.details])).toEqual([
      [7, 'not you'],
      [14, 'later'],
      [13, 'an error of the server'],
    ]);
    expect(seen).toEqual(['secret']);
  });

  test('[RPC2] a message in single bytes, and with more than its bytes', async () => {
    const session = raw(await start(echo));
    const message = frame(Buffer.from('in pieces'));
    const bytes = [...message].map((byte) => Buffer.from([byte]));
    expect(await say(session, bytes)).toMatchObject({
      status: '0',
      body: frame(Buffer.from('got in pieces')),
    });
  });

  test('[RPC2] several messages in one write, for those who converse', async () => {
    const got: string[] = [];
    const port = await start({
      streaming: (conversation) => ({
        message: (message) => void got.push(message.toString()),
        half: () => conversation.end(),
        closed: () => undefined,
      }),
    });
    const all = Buffer.concat(['one', 'two', '', 'four'].map((text) => frame(Buffer.from(text))));
    await say(raw(port), [all.subarray(0, 11), all.subarray(11, 20), all.subarray(20)]);
    expect(got).toEqual(['one', 'two', '', 'four']);
  });

  const two = Buffer.concat([frame(Buffer.from('a')), frame(Buffer.from('b'))]);
  const compressed = frame(Buffer.from('a'));
  compressed[0] = 1;
  const strange = frame(Buffer.from('a'));
  strange[0] = 2;
  const huge = Buffer.from([0, 0xff, 0xff, 0xff, 0xff]);
  test.each<[string, Uint8Array[], object, number, string]>([
    ['no message', [], {}, status.internal, 'got no whole message, want one'],
    [
      'half a message',
      [frame(Buffer.from('abc')).subarray(0, 6)],
      {},
      status.internal,
      'got no whole message, want one',
    ],
    ['half a head', [Buffer.from([0, 0])], {}, status.internal, 'got no whole message, want one'],
    ['two messages', [two], {}, status.internal, 'got two messages, want one'],
    [
      'compression',
      [compressed],
      {},
      status.unimplemented,
      'got a compressed message, want grpc-encoding identity',
    ],
    ['a strange flag', [strange], {}, status.internal, 'got the flag 2 before a message, want 0'],
    [
      'a message of 4 GB',
      [huge],
      {},
      status.resourceExhausted,
      'got a message of 4294967295 bytes, want at most 1000',
    ],
    [
      'one byte over the limit',
      [frame(Buffer.alloc(1_001))],
      {},
      status.resourceExhausted,
      'got a message of 1001 bytes, want at most 1000',
    ],
    [
      'another method',
      [frame(Buffer.from('a'))],
      { ':path': '/test.Echo/Other' },
      status.unimplemented,
      'there is no /test.Echo/Other',
    ],
    [
      'a timeout that is none',
      [frame(Buffer.from('a'))],
      { 'grpc-timeout': '1d' },
      status.internal,
      'got a grpc-timeout that is none, want up to 8 digits and a unit',
    ],
    [
      'a timeout of nine digits',
      [frame(Buffer.from('a'))],
      { 'grpc-timeout': '123456789m' },
      status.internal,
      'got a grpc-timeout that is none, want up to 8 digits and a unit',
    ],
  ])('[RPC2] refused in a word, and the connection goes on: %s', async (_, parts, headers, code, message) => {
    const session = raw(await start(echo, { limits: { messageBytes: 1_000 } }));
    const answer = await say(session, parts, headers);
    expect([answer.status, decodeURIComponent(answer.message ?? '')]).toEqual([String(code), message]);
    const next = await say(session, [frame(Buffer.alloc(1_000, 'a'))]);
    expect(next.status).toBe('0');
  });

  test('[RPC2] what is no gRPC is told so in the words of HTTP', async () => {
    const session = raw(await start(echo));
    const status = async (headers: object) => {
      const stream = session.request({ ...head, ...headers });
      stream.end();
      return (await finish(stream)).headers[':status'];
    };
    expect(await status({ ':method': 'GET' })).toBe(405);
    expect(await status({ 'content-type': 'application/json' })).toBe(415);
    expect(await status({ 'content-type': 'application/grpcx' })).toBe(415);
  });
});
