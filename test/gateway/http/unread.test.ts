import { once } from 'node:events';
import { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { Admission } from '../../../src/gateway/http/admission.ts';
import { Refused } from '../../../src/gateway/http/problem.ts';
import { Room } from '../../../src/gateway/http/room.ts';
import { Unread } from '../../../src/gateway/http/unread.ts';
import { bounds } from '../given.ts';
import { openWorld } from '../world.ts';

const policies = 'policies/40-shadow';
/** More than the system takes off a program of what nobody reads. */
const large = async () => ({ type: 'text/plain', text: 'x'.repeat(30_000_000) });

async function unreading(port: number, path: string, times = 1) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`.repeat(times));
  return socket;
}

describe('replies that nobody reads', () => {
  test('[SVC16] end with their connection after as long as a request may take, read in part or not', async () => {
    const world = await openWorld(policies, { metrics: large }, { bounds: { ...bounds, requestTime: 400 } });
    const gone: number[] = [];
    world.server.on('connection', (socket) => socket.on('close', () => gone.push(performance.now())));
    const from = performance.now();
    const socket = await unreading(world.port, '/metrics', 3);
    const reading = setInterval(() => socket.read(1_000), 20);
    await expect.poll(() => gone.length, { timeout: 5_000 }).toBe(1);
    clearInterval(reading);
    expect((gone[0] as number) - from).toBeGreaterThan(350);
    await world.close();
  });

  test('[SVC16] that are read are whole, however long after', async () => {
    const world = await openWorld(policies, { metrics: large });
    const socket = await unreading(world.port, '/metrics');
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    let size = 0;
    socket.on('data', (bytes) => {
      size += bytes.length;
    });
    socket.resume();
    await expect.poll(() => size).toBeGreaterThan(30_000_000);
    await world.close();
  });

  test('[SVC16] are so many at most, without those of the last beat; the oldest go first', () => {
    const destroyed: number[] = [];
    const unread = new Unread({ concurrency: 2, requestTime: 30_000 });
    const replies = [0, 1, 2, 3].map((i) => {
      const reply = new ServerResponse({
        method: 'GET',
        socket: { destroy: () => destroyed.push(i) },
      } as never);
      unread.watch(reply);
      return reply;
    });
    unread.beat();
    expect(destroyed).toEqual([]);
    replies[1]?.emit('close');
    unread.beat();
    expect(destroyed).toEqual([0]);
    for (let i = 0; i < 28; i++) unread.beat();
    expect(destroyed).toEqual([0]);
    unread.beat();
    expect(destroyed).toEqual([0, 2, 3]);
  });

  test('[SVC16] of pages for everybody take places of their own, which are few, until they are read', () => {
    let shed = 0;
    const room = new Room({ concurrency: 20, turn: 250 }, () => shed++);
    const reply = () => new ServerResponse({ method: 'GET' } as never);
    const first = reply();
    room.takePage(first);
    room.takePage(reply());
    expect(() => room.takePage(reply())).toThrow(Refused);
    expect([shed, room.work.full]).toEqual([1, false]);
    first.emit('close');
    room.takePage(reply());
    expect(() => room.takePage(reply())).toThrow(Refused);
  });

  test.each(['/docs', '/openapi.json', '/.well-known/authzen-configuration', '/%64ocs'])(
    '[SVC16] of %s take such a place and none of decisions',
    async (path) => {
      const taken = vi.spyOn(Room.prototype, 'takePage');
      const work = vi.spyOn(Admission.prototype, 'take');
      const world = await openWorld(policies);
      expect((await world.fetch(path)).status).toBe(200);
      expect([taken.mock.calls.length, work.mock.calls.length]).toEqual([1, 1]);
      expect(work.mock.contexts[0]).not.toBe((taken.mock.contexts[0] as Room).work);
      vi.restoreAllMocks();
      await world.close();
    },
  );
});
