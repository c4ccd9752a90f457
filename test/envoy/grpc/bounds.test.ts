import { once } from 'node:events';
import { connect } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Call } from '../../../src/envoy/grpc/call.ts';
import { frame } from '../../../src/envoy/grpc/frames.ts';
import { GrpcError, status } from '../../../src/envoy/grpc/status.ts';
import { Admission } from '../../../src/gateway/http/admission.ts';
import { callUnary, echo, finish, grpcJs, head, raw, say, start } from './echo.ts';

describe('gRPC, its bounds', () => {
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
    expect(calls.map(({ signal }) => signal.aborted)).toEqual([true, true]);
  });

  test('[RPC3] a call that is never said whole ends in time', async () => {
    const session = raw(await start(echo, { limits: { reading: 30 } }));
    const stream = session.request(head);
    const answer = finish(stream);
    stream.write(Buffer.from([0, 0, 0]));
    expect((await answer).status).toBe('4');
  });

  test('[RPC3] a call that is said too slowly for its own time ends before it is said', async () => {
    const stream = raw(await start(echo)).request({ ...head, 'grpc-timeout': '20m' });
    const answer = finish(stream);
    stream.write(Buffer.from([0, 0, 0]));
    expect(await answer).toMatchObject({ status: '4', message: 'the time for this call is over' });
  });

  test('[RPC3] what a call was asked with is there as long as somebody works for it', async () => {
    let asked: Call | undefined;
    let done: () => void = () => undefined;
    const held = new Promise<Buffer>((resolve) => {
      done = () => resolve(Buffer.alloc(0));
    });
    const port = await start({
      unary: (_, call) => {
        asked = call;
        return held;
      },
    });
    const session = raw(port);
    void say(session, [frame(Buffer.from('a'))]);
    await expect.poll(() => asked).toBeDefined();
    const ended = once((asked as Call).signal, 'abort');
    session.destroy();
    await ended;
    expect(asked?.headers[':path']).toBe(asked?.path);
    done();
    await expect.poll(() => Object.keys(asked?.headers ?? {})).toEqual([]);
  });

  test('[RPC4] [RPC7] calls that have waited too long for their turn are turned away, and counted', async () => {
    let shed = 0;
    let asked = 0;
    const slow = () => {
      asked++;
      for (const until = performance.now() + 30; performance.now() < until; );
      return Buffer.from('done');
    };
    const port = await start({ unary: slow }, { limits: { turn: 20 }, onShed: () => shed++ });
    const session = raw(port);
    await once(session, 'remoteSettings');
    const answers = await Promise.all([1, 2, 3, 4].map(() => say(session, [frame(Buffer.from('a'))])));
    const turnedAway = answers.filter(({ status }) => status === '14');
    expect(turnedAway.length).toBeGreaterThan(0);
    expect([turnedAway.length, answers.length - shed]).toEqual([shed, asked]);
    expect(turnedAway[0]?.message).toBe('too many calls at once');
  });

  test('[RPC4] too many calls are refused before they are read, and counted', async () => {
    let shed = 0;
    const load = new Admission({ concurrency: 2, turn: 1_000 });
    let answer: () => void = () => undefined;
    const held = new Promise<Buffer>((resolve) => {
      answer = () => resolve(Buffer.from('late'));
    });
    const port = await start({ unary: () => held }, { load, onShed: () => shed++ });
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
