import { once } from 'node:events';
import { type ClientHttp2Session, connect } from 'node:http2';
import { describe, expect, test } from 'vitest';
import { Budget } from '../../../src/envoy/grpc/budget.ts';
import type { Method } from '../../../src/envoy/grpc/call.ts';
import { Frames, frame } from '../../../src/envoy/grpc/frames.ts';
import { type Answer, echo, finish, head, raw, say, start } from './echo.ts';

/** What is kept of messages that have begun and not ended. */

const whole = frame(Buffer.alloc(1_000, 'x'));
const refused = { status: '14', message: 'too much is being said at once' };

/** Begins a message, and waits until something was heard of it. */
function begin(session: ClientHttp2Session): { answer: Promise<Answer>; end(): void } {
  const stream = session.request(head);
  const answer = finish(stream);
  stream.write(whole.subarray(0, 900));
  return { answer, end: () => stream.end(whole.subarray(900)) };
}

const talk: Method = {
  streaming: (conversation) => ({
    message: (message) => void conversation.send(message),
    half: () => conversation.end(),
    closed: () => undefined,
  }),
};

describe('messages that are not whole', () => {
  test('[RPC4] take and give of two budgets, or of neither', () => {
    const all = new Budget(10);
    const [one, other] = [new Budget(8, all), new Budget(8, all)];
    expect([one.take(6), one.take(3), other.take(5), other.take(4)]).toEqual([true, false, false, true]);
    expect([all.held, one.held, other.held]).toEqual([10, 6, 4]);
    one.give(6);
    expect([all.held, other.take(4), all.held]).toEqual([4, true, 8]);
  });

  test('[RPC2] [RPC4] wherever they are cut, all of them are found and nothing is held at the end', () => {
    const texts = Array.from({ length: 40 }, (_, n) => 'x'.repeat((n * n * 7) % 331));
    const bytes = Buffer.concat(texts.map((text) => frame(Buffer.from(text))));
    for (let step = 1; step < 700; step += step < 20 ? 1 : 37) {
      const budget = new Budget(200_000);
      const frames = new Frames(1_000, budget);
      const found: string[] = [];
      for (let at = 0; at < bytes.length; at += step)
        found.push(...frames.push(bytes.subarray(at, at + step)).map(String));
      expect(found).toEqual(texts);
      expect([frames.open, budget.held]).toEqual([false, 0]);
    }
  });

  test('[RPC4] hold no more than was said of them, and nothing of what came beside it', () => {
    const budget = new Budget(1_000_000);
    const frames = new Frames(100_000, budget);
    const read = Buffer.concat([frame(Buffer.alloc(60_000)), frame(Buffer.alloc(50_000))]);
    expect(frames.push(read.subarray(0, 61_000))).toHaveLength(1);
    expect(budget.held).toBeLessThan(1_500);
    frames.drop();
    expect(budget.held).toBe(0);
  });

  test('[RPC4] of one connection are refused when they are too many, and are no trouble for another', async () => {
    const limits = { sayingBytesPerSession: 3_000, sayingBytes: 5_000, reading: 60_000 };
    const port = await start(echo, { limits });
    const session = raw(port);
    const two = [begin(session), begin(session)];
    expect(await begin(session).answer).toMatchObject(refused);
    // Who says it at once holds nothing.
    expect((await say(session, [whole])).status).toBe('0');
    const others = [begin(raw(port)), begin(raw(port))];
    for (const one of [...two, ...others]) one.end();
    const answers = await Promise.all([...two, ...others].map(({ answer }) => answer));
    expect(answers.map(({ status }) => status)).toEqual(['0', '0', '0', '0']);
    const again = begin(session);
    again.end();
    expect((await again.answer).status).toBe('0');
  });

  test('[RPC4] of all connections are refused when they are too many, until some have ended', async () => {
    const limits = { sayingBytesPerSession: 3_000, sayingBytes: 3_000, reading: 60_000 };
    const port = await start(echo, { limits });
    const greedy = raw(port);
    const held = [begin(greedy), begin(greedy)];
    const session = raw(port);
    await expect.poll(async () => (await begin(session).answer).status).toBe('14');
    greedy.destroy();
    await Promise.all(held.map(({ answer }) => answer));
    await expect
      .poll(async () => {
        const one = begin(session);
        one.end();
        return (await one.answer).status;
      })
      .toBe('0');
  });

  test('[RPC4] of conversations count as well', async () => {
    const limits = { sayingBytesPerSession: 3_000, reading: 60_000 };
    const session = raw(await start(talk, { limits }));
    const two = [begin(session), begin(session)];
    expect(await begin(session).answer).toMatchObject(refused);
    for (const one of two) one.end();
    const answers = await Promise.all(two.map(({ answer }) => answer));
    expect(answers.map(({ status, body }) => [status, body.equals(whole)])).toEqual(
      Array(2).fill(['0', true]),
    );
  });

  test('[RPC3] of conversations are ended in time; whoever says nothing has all the time', async () => {
    const session = raw(await start(talk, { limits: { reading: 50 } }));
    const silent = session.request(head);
    silent.on('error', () => undefined);
    silent.write(whole);
    await once(silent, 'data');
    const late = begin(session);
    expect(await late.answer).toMatchObject({
      status: '4',
      message: 'the message was not said whole in time',
    });
    silent.write(whole);
    await once(silent, 'data');
    silent.end();
  });

  test('[RPC4] that are whole and not the end of their calls count as well', async () => {
    const limits = { sayingBytesPerSession: 3_500, reading: 60_000 };
    const session = raw(await start(echo, { limits }));
    const linger = () => {
      const stream = session.request(head);
      const answer = finish(stream);
      stream.write(whole);
      return { answer, end: () => stream.end() };
    };
    const three = [linger(), linger(), linger()];
    expect(await linger().answer).toMatchObject(refused);
    for (const one of three) one.end();
    const answers = await Promise.all(three.map(({ answer }) => answer));
    expect(answers.map(({ status }) => status)).toEqual(['0', '0', '0']);
    const again = [linger(), linger(), linger()];
    for (const one of again) one.end();
    for (const { answer } of again) expect((await answer).status).toBe('0');
  });
});

describe('conversations that are over', () => {
  const ends: Method = {
    streaming: (conversation) => ({
      message: () => {
        conversation.send(Buffer.alloc(1_000));
        conversation.end();
      },
      half: () => conversation.end(),
      closed: () => void closed++,
    }),
  };
  let closed = 0;

  test('[RPC5] are let go of where nobody reads that they are', async () => {
    closed = 0;
    const port = await start(ends, { limits: { reading: 50 } });
    const session = connect(`http://127.0.0.1:${port}`, { settings: { initialWindowSize: 0 } });
    session.on('error', () => undefined);
    for (let n = 0; n < 3; n++) {
      const stream = session.request(head);
      stream.on('error', () => undefined);
      stream.write(whole);
    }
    await expect.poll(() => closed, { timeout: 10_000 }).toBe(3);
    session.destroy();
  });

  test('[RPC5] are let go of where nobody is there any more', async () => {
    closed = 0;
    const port = await start(ends, { limits: { reading: 50 } });
    const count = 40;
    for (let n = 0; n < count; n++) {
      const session = connect(`http://127.0.0.1:${port}`);
      session.on('error', () => undefined);
      for (const bytes of [whole, whole.subarray(0, 900), whole]) {
        const stream = session.request(head);
        stream.on('error', () => undefined);
        if (bytes === whole) stream.write(bytes);
        else stream.end(bytes);
      }
      await once(session, 'remoteSettings');
      session.destroy();
    }
    await expect.poll(() => closed, { timeout: 15_000 }).toBeGreaterThanOrEqual(count);
    const other = raw(port).request(head);
    other.on('error', () => undefined);
    other.end();
    await once(other, 'response');
  });

  test('[RPC5] are ended where more and more is to be sent and nothing is read', async () => {
    let sent = 0;
    const port = await start(
      {
        streaming: (conversation) => ({
          message: () => {
            conversation.send(Buffer.alloc(100_000));
            sent++;
          },
          half: () => conversation.end(),
          closed: () => void closed++,
        }),
      },
      { limits: { reading: 100 } },
    );
    closed = 0;
    const session = connect(`http://127.0.0.1:${port}`, { settings: { initialWindowSize: 0 } });
    session.on('error', () => undefined);
    const stream = session.request(head);
    stream.on('error', () => undefined);
    for (let n = 0; n < 200; n++) stream.write(frame(Buffer.from('more')));
    await expect.poll(() => closed, { timeout: 10_000 }).toBe(1);
    expect(sent).toBeLessThan(20);
    session.destroy();
  });
});
