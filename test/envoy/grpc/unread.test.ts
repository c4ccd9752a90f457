import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { frame } from '../../../src/envoy/grpc/frames.ts';
import { closing, path, start } from './echo.ts';

/** Frames of HTTP/2 by hand (RFC 9113, 4.1), for a client that does what no library would. */
function framed(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const header = Buffer.alloc(9);
  header.writeUIntBE(payload.length, 0, 3);
  header[3] = type;
  header[4] = flags;
  header.writeUInt32BE(stream, 5);
  return Buffer.concat([header, payload]);
}

function literal(name: string, value: string): Buffer {
  return Buffer.from(
    `\0${String.fromCharCode(name.length)}${name}${String.fromCharCode(value.length)}${value}`,
  );
}

const wide = Buffer.from([0x7f, 0xff, 0, 0]);
const greeting = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  framed(4, 0, 0, Buffer.concat([Buffer.from([0, 4]), wide])),
  framed(8, 0, 0, wide),
]);
// POST over http, both from the static table.
const headers = Buffer.concat([
  Buffer.from([0x83, 0x86]),
  literal(':authority', 'x'),
  literal(':path', path),
  literal('content-type', 'application/grpc'),
]);
const message = frame(Buffer.from('a'));

test('[RPC5] who does not read even what is sent beside answers loses the connection, and gives back its places', async () => {
  let inside = 0;
  let most = 0;
  const load = {
    enter() {
      most = Math.max(most, ++inside);
      return true;
    },
    leave: () => void inside--,
  };
  const answer = { unary: () => Buffer.alloc(200_000) };
  const port = await start(answer, { load, limits: { reading: 100, streamsPerSession: 200 } });
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  closing.push(() => socket.destroy());
  await once(socket, 'connect');
  socket.pause();
  socket.write(greeting);
  for (let id = 1; id < 400; id += 2)
    socket.write(Buffer.concat([framed(1, 4, id, headers), framed(0, 1, id, message)]));
  await expect.poll(() => most).toBeGreaterThan(100);
  await expect.poll(() => inside, { timeout: 5_000 }).toBe(0);
});
