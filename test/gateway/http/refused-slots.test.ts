import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { bounds } from '../given.ts';
import { openWorld } from '../world.ts';

const request = { destination: { service: 'shadow/api' } };
const few = { ...bounds, concurrency: 2 };

const head = (type: string) =>
  `POST /decide HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: ${type}\r\ncontent-length: 9\r\nexpect: 100-continue\r\n\r\n`;

/** Somebody who has sent the head of a request, and was told something. */
async function begun(port: number, type: string) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  let told = '';
  socket.on('data', (bytes) => {
    told += bytes;
  });
  socket.write(head(type));
  await once(socket, 'data');
  return { socket, told: () => told };
}

test('[SVC14] who was refused and still sends takes nobody’s place', async () => {
  const world = await openWorld('policies/40-shadow', {}, { bounds: few });
  const refused = await Promise.all([1, 2, 3].map(() => begun(world.port, 'text/plain')));
  await expect.poll(() => refused.every(({ told }) => told().includes(' 415 '))).toBe(true);
  expect((await world.post('/decide', request)).status).toBe(200);
  expect(refused.map(({ socket }) => socket.closed)).toEqual([false, false, false]);
  await world.close();
});

test.each([true, false])(
  '[SVC14] whose body is on its way takes nobody’s place (direct: %s)',
  async (direct) => {
    const world = await openWorld('policies/40-shadow', {}, { bounds: few, direct });
    const held: Awaited<ReturnType<typeof begun>>[] = [];
    for (let i = 0; i < 5; i++) held.push(await begun(world.port, 'application/json'));
    expect((await world.post('/decide', request)).status).toBe(200);
    // That one was waited for too, if not for long.
    await expect
      .poll(() => held.map(({ told }) => told().includes(' 503 ')))
      .toEqual([true, true, true, true, false]);
    expect(world.shed).toBe(4);
    held[4]?.socket.write('{"a": 1} ');
    await expect.poll(() => held[4]?.told()).toContain('this is not a request');
    for (let i = 0; i < 5; i++) expect((await world.post('/decide', request)).status).toBe(200);
    await world.close();
  },
);
