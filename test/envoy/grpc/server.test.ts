import { once } from 'node:events';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type Http2Server,
  type IncomingHttpHeaders,
} from 'node:http2';
import { type AddressInfo, connect as connectSocket } from 'node:net';
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { afterEach, describe, expect, test } from 'vitest';
import type { Call, Method } from '../../../src/envoy/grpc/call.ts';
import { frame } from '../../../src/envoy/grpc/frames.ts';
import { createGrpcServer, type GrpcServerOptions } from '../../../src/envoy/grpc/server.ts';
import { GrpcError, status } from '../../../src/envoy/grpc/status.ts';

const path = '/test.Echo/Say';
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function start(method: Method, options: Partial<GrpcServerOptions> = {}): Promise<number> {
  const server: Http2Server = createGrpcServer({ methods: new Map([[path, method]]), ...options });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

function raw(port: number): ClientHttp2Session {
  const session = connect(`http://127.0.0.1:${port}`);
  session.on('error', () => undefined);
  closing.push(() => session.destroy());
  return session;
}

const head = {
  ':method': 'POST',
  ':path': path,
  'content-type': 'application/grpc',
  te: 'trailers',
} as const;

interface Answer {
  readonly headers: IncomingHttpHeaders;
  readonly status: string | undefined;
  readonly message: string | undefined;
  readonly body: Buffer;
}

async function finish(stream: ClientHttp2Stream): Promise<Answer> {
  let [headers, trailers]: IncomingHttpHeaders[] = [{}, {}];
  const chunks: Buffer[] = [];
  stream.on('response', (found) => {
    headers = found;
  });
  stream.on('trailers', (found) => {
    trailers = found;
  });
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('error', () => undefined);
  await once(stream, 'close');
  const of = { ...headers, ...trailers };
  return {
    headers: headers ?? {},
    status: of['grpc-status'] as string | undefined,
    message: of['grpc-message'] as string | undefined,
    body: Buffer.concat(chunks),
  };
}

function say(
  session: ClientHttp2Session,
  parts: readonly Uint8Array[],
  headers: object = {},
): Promise<Answer> {
  const stream = session.request({ ...head, ...headers });
  const answer = finish(stream);
  for (const part of parts) stream.write(part);
  stream.end();
  return answer;
}

const echo: Method = { unary: (message) => Buffer.from(`got ${message.toString()}`) };

function grpcJs(port: number): Client {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  closing.push(() => client.close());
  return client;
}

function callUnary(
  client: Client,
  text: string,
  options: { deadline?: number } = {},
): Promise<{ error?: ServiceError; value?: string }> {
  return new Promise((resolve) => {
    client.makeUnaryRequest(
      path,
      (value: string) => Buffer.from(value),
      (bytes: Buffer) => bytes.toString(),
      text,
      new Metadata(),
      options,
      (error, value) => resolve(error === null ? { value: value as string } : { error }),
    );
  });
}

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

  test('[RPC3] an answer that comes too late is a status, and whoever works for it learns that nobody waits', async () => {
    let aborted: Promise<unknown> = Promise.resolve();
    const port = await start({
      unary: (_, call: Call) => {
        aborted = once(call.signal, 'abort');
        return new Promise(() => undefined);
      },
    });
    const { error } = await callUnary(grpcJs(port), 'a', { deadline: Date.now() + 50 });
    expect(error?.code).toBe(status.deadlineExceeded);
    await aborted;
    const answer = await say(raw(port), [frame(Buffer.from('a'))], { 'grpc-timeout': '20m' });
    expect([answer.status, answer.message]).toEqual(['4', 'the time for this call is over']);
    await aborted;
  });

  test('[RPC3] an answer made at once is late too if its time was over before', async () => {
    const answer = await say(raw(await start(echo)), [frame(Buffer.from('a'))], { 'grpc-timeout': '1n' });
    expect(answer.status).toBe('4');
  });

  test('[RPC3] a call that is cancelled, or whose connection ends, ends where it is answered', async () => {
    const calls: Call[] = [];
    let came: () => void = () => undefined;
    const port = await start({
      unary: (_, call) => {
        calls.push(call);
        came();
        return new Promise(() => undefined);
      },
    });
    const session = raw(port);
    const next = () =>
      new Promise<void>((resolve) => {
        came = resolve;
      });
    let waiting = next();
    const stream = session.request(head);
    stream.on('error', () => undefined);
    stream.end(frame(Buffer.from('a')));
    await waiting;
    let ended = once((calls[0] as Call).signal, 'abort');
    stream.close(8);
    await ended;
    waiting = next();
    void say(session, [frame(Buffer.from('b'))]);
    await waiting;
    ended = once((calls[1] as Call).signal, 'abort');
    session.destroy();
    await ended;
  });

  test('[RPC3] a call that is never said whole ends in time', async () => {
    const session = raw(await start(echo, { limits: { reading: 30 } }));
    const stream = session.request(head);
    const answer = finish(stream);
    stream.write(Buffer.from([0, 0, 0]));
    expect((await answer).status).toBe('4');
  });

  test('[RPC4] too many calls are refused before they are read, and counted', async () => {
    let shed = 0;
    let answer: () => void = () => undefined;
    const held = new Promise<Buffer>((resolve) => {
      answer = () => resolve(Buffer.from('late'));
    });
    const port = await start({ unary: () => held }, { limits: { calls: 2 }, onShed: () => shed++ });
    const session = raw(port);
    const first = [say(session, [frame(Buffer.from('a'))]), say(session, [frame(Buffer.from('b'))])];
    const refused = await say(session, [frame(Buffer.from('c'))]);
    expect([refused.status, refused.message, shed]).toEqual(['14', 'too many calls at once', 1]);
    answer();
    expect((await Promise.all(first)).map(({ status }) => status)).toEqual(['0', '0']);
    expect((await say(session, [frame(Buffer.from('d'))])).status).toBe('0');
  });

  test('[RPC4] more connections than may be are ended', async () => {
    const port = await start(echo, { limits: { sessions: 1 } });
    expect((await say(raw(port), [frame(Buffer.from('a'))])).status).toBe('0');
    const second = connect(`http://127.0.0.1:${port}`);
    second.on('error', () => undefined);
    await once(second, 'close');
  });

  test('[RPC4] who is not admitted is refused, asked once for a connection', async () => {
    let asked = 0;
    const port = await start(echo, {
      admit: async () => {
        asked++;
        await new Promise(setImmediate);
        throw new GrpcError(status.unauthenticated, 'nobody we know');
      },
    });
    const session = raw(port);
    const answers = await Promise.all([1, 2, 3].map(() => say(session, [frame(Buffer.from('a'))])));
    expect(answers.map(({ status, message }) => [status, message])).toEqual(
      Array(3).fill(['16', 'nobody we know']),
    );
    expect(asked).toBe(1);
  });

  test('[RPC4] who is admitted loses nothing of what came meanwhile', async () => {
    const port = await start(echo, { admit: () => new Promise((resolve) => setTimeout(resolve, 20)) });
    expect(await say(raw(port), [frame(Buffer.from('a'))])).toMatchObject({
      status: '0',
      body: frame(Buffer.from('got a')),
    });
  });

  test('[RPC5] bytes that are no HTTP/2 end their connection and disturb nobody', async () => {
    const port = await start(echo);
    const session = raw(port);
    expect((await say(session, [frame(Buffer.from('a'))])).status).toBe('0');
    const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    for (const bytes of [
      Buffer.from('GET / HTTP/1.1\r\n\r\n'),
      Buffer.concat([preface, Buffer.from([0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0])]),
      Buffer.concat([preface, Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]), Buffer.alloc(64, 0xff)]),
    ]) {
      const socket = connectSocket(port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.resume();
      socket.end(bytes);
      await once(socket, 'close');
    }
    expect((await say(session, [frame(Buffer.from('a'))])).status).toBe('0');
  });

  test('[RPC5] a client that never reads stops those who send to it, and nobody else', async () => {
    let sent = 0;
    let stopped: () => void = () => undefined;
    const full = new Promise<void>((resolve) => {
      stopped = resolve;
    });
    const port = await start({
      streaming: (conversation) => ({
        message: () => {
          const block = Buffer.alloc(16_384);
          while (conversation.send(block)) sent++;
          stopped();
        },
        half: () => undefined,
        closed: () => undefined,
      }),
    });
    const session = raw(port);
    const stream = session.request(head);
    stream.on('error', () => undefined);
    stream.pause();
    stream.write(frame(Buffer.from('go')));
    await full;
    expect(sent).toBeLessThan(100);
    const other = raw(port).request(head);
    other.on('error', () => undefined);
    other.end();
    await once(other, 'response');
  });
});
