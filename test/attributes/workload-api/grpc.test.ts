import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readEndpoint } from '../../../src/attributes/workload-api/endpoint.ts';
import { frameOf, messagesOf } from '../../../src/attributes/workload-api/frames.ts';
import { call, GrpcError, statuses } from '../../../src/attributes/workload-api/grpc.ts';
import { limits } from '../../../src/pdp/model/limits.ts';
import { TestServer } from './server.ts';

const server = new TestServer();
beforeAll(() => server.listen());
afterAll(() => server.remove());
const ends: AbortController[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end.abort(new Error('the test is over'));
  server.calls.splice(0);
});

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
const bytes = (...words: readonly string[]) => words.map((word) => Buffer.from(word));

/** What a call gave, and how it ended. */
async function outcome(
  endpoint: Parameters<typeof call>[0] = server,
): Promise<{ readonly got: readonly string[]; readonly error?: Error }> {
  const got: string[] = [];
  const end = new AbortController();
  ends.push(end);
  try {
    for await (const message of call(endpoint, 'FetchJWTSVID', Buffer.from('please'), end.signal))
      got.push(text(message));
    return { got };
  } catch (error) {
    return { got, error: error as Error };
  }
}

describe('[WL1] where the Workload API is', () => {
  it.each([
    ['unix:///run/spire/agent.sock', { path: '/run/spire/agent.sock' }],
    ['unix:/run/agent.sock', { path: '/run/agent.sock' }],
    ['unix:///a%20b', { path: '/a b' }],
    ['tcp://127.0.0.1:8000', { host: '127.0.0.1', port: 8000 }],
    ['tcp://[::1]:65535', { host: '::1', port: 65_535 }],
  ])('[WL1] %s', (given, endpoint) => {
    expect(readEndpoint(given)).toEqual({ ok: true, value: endpoint });
  });

  it.each([
    '',
    '/run/agent.sock',
    'unix:',
    'unix://',
    'unix:run/agent.sock',
    'unix://host/run/agent.sock',
    'unix:///run/agent.sock?x=1',
    'unix:///run/agent.sock#x',
    'unix:///a%00b',
    'unix:///a%',
    'http://127.0.0.1:8000',
    'tcp://127.0.0.1',
    'tcp://localhost:8000',
    'tcp://127.0.0.1:8000/',
    'tcp://127.0.0.1:0',
    'tcp://127.0.0.1:65536',
    'tcp://[127.0.0.1]:80',
    'tcp://me@127.0.0.1:80',
    'tcp://127.0.0.1:80?x',
  ])('[WL1] %j is refused', (given) => {
    const read = readEndpoint(given);
    expect(read.ok ? 'accepted' : read.refusal.message).toMatch(/^got the endpoint .*, want unix:\/\//);
  });

  it('[WL1] a socket of TCP serves as well', async () => {
    const proxy: Server = createServer((socket) => {
      const behind = connect(server.path);
      socket.pipe(behind).pipe(socket);
      for (const end of [socket, behind]) end.on('error', () => undefined);
    });
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    const { port } = proxy.address() as { port: number };
    server.answers.FetchJWTSVID = (one) => {
      one.say(...bytes('over TCP'));
      one.end(0);
    };
    expect(await outcome({ host: '127.0.0.1', port })).toEqual({ got: ['over TCP'] });
    proxy.close();
  });
});

describe('[WL2] a call', () => {
  it('[WL2] carries the header that the standard asks for, and the request', async () => {
    server.answers.FetchJWTSVID = (one) => void one.request.then(() => one.end(0));
    expect(await outcome()).toEqual({ got: [] });
    const [made] = server.calls;
    expect(made?.headers).toMatchObject({
      ':method': 'POST',
      ':path': '/SpiffeWorkloadAPI/FetchJWTSVID',
      'workload.spiffe.io': 'true',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    expect(await made?.request).toEqual(Buffer.from(frameOf(Buffer.from('please'))));
  });

  it('[WL2] gives messages as they come, however they are cut', async () => {
    const whole = Buffer.concat(bytes('one', '', 'two').map(frameOf));
    for (const size of [1, 2, 3, 5, 7, whole.length]) {
      server.answers.FetchJWTSVID = (one) => {
        for (let at = 0; at < whole.length; at += size) one.send(whole.subarray(at, at + size));
        one.end(0);
      };
      expect(await outcome()).toEqual({ got: ['one', '', 'two'] });
    }
  });

  it('[WL2] gives a message before the stream ends', async () => {
    server.answers.FetchJWTSVID = (one) => one.say(...bytes('first'));
    const end = new AbortController();
    const messages = call(server, 'FetchJWTSVID', new Uint8Array(), end.signal);
    expect(text((await messages.next()).value ?? new Uint8Array())).toBe('first');
    end.abort(new Error('enough'));
    await expect(messages.next()).rejects.toThrow('enough');
  });

  it('[WL2] ends with the words of the server, in trailers or in the head alone', async () => {
    server.answers.FetchJWTSVID = (one) => one.end(7, 'no identity issued, 100 %');
    const alone = await outcome();
    expect(alone.error).toBeInstanceOf(GrpcError);
    expect(alone.error).toMatchObject({
      status: statuses.permissionDenied,
      message: 'PermissionDenied: no identity issued, 100 %',
    });
    server.answers.FetchJWTSVID = (one) => {
      one.say(...bytes('before'));
      one.end(99, 'x'.repeat(9_999));
    };
    const after = await outcome();
    expect(after).toMatchObject({ got: ['before'], error: { status: 99 } });
    expect(after.error?.message.length).toBeLessThan(400);
  });

  it('[WL2] a server that is not there is said to be so', async () => {
    const { error } = await outcome({ path: `${server.path}.gone` });
    expect(error?.message).toMatch(/^unix:.*\.gone cannot be reached or was lost: .*ENOENT/);
  });
});

describe('[WL3] a stream that is none of gRPC is refused', () => {
  const wrong: readonly [string, (one: TestServer['calls'][number]) => void, RegExp, readonly string[]][] = [
    [
      'half a message',
      (one) => {
        one.send(frameOf(Buffer.from('whole')), frameOf(Buffer.from('half')).subarray(0, 7));
        one.end(0);
      },
      /ended inside a message/,
      ['whole'],
    ],
    [
      'half a head',
      (one) => {
        one.send(new Uint8Array(3));
        one.end(0);
      },
      /ended inside a message/,
      [],
    ],
    ['a compressed message', (one) => one.send(Uint8Array.from([1, 0, 0, 0, 1, 0])), /compressed/, []],
    ['a flag that nobody knows', (one) => one.send(Uint8Array.from([7, 0, 0, 0, 1, 0])), /compressed/, []],
    ['a message that is too long', (one) => one.send(headOf(limits.workloadMessageBytes + 1)), /at most/, []],
    [
      'no status',
      (one) => {
        one.say(Buffer.from('one'));
        one.stream.end();
        one.stream.once('wantTrailers', () => one.stream.close());
      },
      /ended without a status/,
      ['one'],
    ],
    [
      'a status that is none',
      (one) =>
        one.stream.respond(
          { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': 'fine' },
          { endStream: true },
        ),
      /gRPC status 2/,
      [],
    ],
    [
      'an answer of HTTP',
      (one) => {
        one.stream.respond({ ':status': 404, 'content-type': 'text/html' });
        one.stream.end('<html>no such page, and long enough to be a frame');
      },
      /HTTP status 404 and the type "text\/html"/,
      [],
    ],
    [
      'an empty answer of HTTP',
      (one) => one.stream.respond({ ':status': 503 }, { endStream: true }),
      /HTTP status 503/,
      [],
    ],
    ['a reset', (one) => one.stream.close(2), /NGHTTP2_INTERNAL_ERROR/, []],
    [
      'a reset after a message',
      (one) => {
        one.stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
        one.stream.write(frameOf(Buffer.from('one')), () => one.stream.close(8));
      },
      /without a status/,
      ['one'],
    ],
    ['a GOAWAY with an error', (one) => one.stream.session?.goaway(11), /cannot be reached or was lost/, []],
    ['a lost connection', (one) => one.stream.session?.destroy(), /without a status/, []],
  ];

  it.each(wrong)('[WL3] %s', async (_, answer, message, got) => {
    server.answers.FetchJWTSVID = answer;
    const end = await outcome();
    expect(end.error?.message).toMatch(message);
    expect(end.got).toEqual(got);
  });

  it('[WL3] a server that goes away in peace may finish what it said', async () => {
    server.answers.FetchJWTSVID = (one) => {
      one.stream.session?.goaway(0);
      one.say(...bytes('last words'));
      one.end(0);
    };
    expect(await outcome()).toEqual({ got: ['last words'] });
  });

  it('[WL3] a message of the greatest size is whole, and one byte more is refused before it is there', async () => {
    const most = Buffer.alloc(limits.workloadMessageBytes, 1);
    const read = async (...chunks: readonly Uint8Array[]) => {
      const sizes: number[] = [];
      for await (const message of messagesOf(from(chunks))) sizes.push(message.length);
      return sizes;
    };
    expect(await read(frameOf(most))).toEqual([limits.workloadMessageBytes]);
    await expect(read(headOf(limits.workloadMessageBytes + 1))).rejects.toThrow(
      /got a message of 4194305 bytes/,
    );
  });
});

async function* from(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

function headOf(size: number): Uint8Array {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(size, 1);
  return head;
}
