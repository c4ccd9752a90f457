import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { defaultBounds } from '../../../src/gateway/listen.ts';
import { openWorld } from '../world.ts';

const request = { destination: { service: 'shadow/api' } };

test('[SVC14] who was refused and still sends takes nobody’s place', async () => {
  const world = await openWorld('policies/40-shadow', {}, { bounds: { ...defaultBounds, concurrency: 2 } });
  const refused = await Promise.all(
    [1, 2].map(async () => {
      const socket = connect(world.port, '127.0.0.1');
      socket.write(
        'POST /decide HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: text/plain\r\ncontent-length: 9\r\n\r\n',
      );
      const [bytes] = (await once(socket, 'data')) as [Buffer];
      expect(bytes.toString()).toMatch(/^HTTP\/1.1 415 /);
      return socket;
    }),
  );
  expect((await world.post('/decide', request)).status).toBe(200);
  expect(refused.map(({ closed }) => closed)).toEqual([false, false]);
  for (const socket of refused) {
    socket.destroy();
    await once(socket, 'close');
  }
  // A place is given back once.
  const held = await Promise.all(
    [1, 2].map(async () => {
      const socket = connect(world.port, '127.0.0.1');
      await once(socket, 'connect');
      socket.write(
        'POST /decide HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 9\r\nexpect: 100-continue\r\n\r\n',
      );
      await once(socket, 'data');
      return socket;
    }),
  );
  expect((await world.post('/decide', request)).status).toBe(503);
  for (const socket of held) socket.destroy();
  await world.close();
});
