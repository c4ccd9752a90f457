import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { gone, readBody } from '../../../src/gateway/http/body.ts';
import { Incoming } from '../../../src/gateway/http/incoming.ts';

let server: Server;
const ended: unknown[] = [];

/** Answers with each body, read at once or when some of it has come. */
async function open(late: boolean, most = 1_000): Promise<Socket> {
  ended.length = 0;
  server = createServer({ IncomingMessage: Incoming as typeof IncomingMessage }, (incoming, outgoing) => {
    const read = () =>
      readBody(incoming, most, (error, body) => {
        ended.push(error ?? body?.toString());
        if (error === gone) return;
        incoming.resume();
        outgoing.end(body ?? 'refused');
      });
    if (late) setTimeout(read, 30);
    else read();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return connect((server.address() as AddressInfo).port, '127.0.0.1');
}
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function post(body: string): string {
  return `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

async function answers(socket: Socket, count: number): Promise<string[]> {
  let text = '';
  for await (const chunk of socket) {
    text += String(chunk);
    if (text.split('HTTP/1.1 200').length > count) break;
  }
  return [...text.matchAll(/\r\n\r\n([^\r]*?)(?=HTTP|$)/g)].map(([, body = '']) => body);
}

describe('bodies off the connection', () => {
  test.for([false, true])(
    '[SVC10] one after the other on one connection, sent at once (late: %s)',
    async (late) => {
      const socket = await open(late);
      socket.write(post('one') + post('two') + post('') + post('four'));
      expect(await answers(socket, 4)).toEqual(['one', 'two', '', 'four']);
      expect(ended).toEqual(['one', 'two', '', 'four']);
    },
  );

  test.for([false, true])('[SVC10] in pieces, and in chunks of its own (late: %s)', async (late) => {
    const socket = await open(late);
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n');
    await new Promise((resolve) => setTimeout(resolve, 60));
    socket.write('4\r\ndefg\r\n0\r\n\r\n');
    expect(await answers(socket, 1)).toEqual(['abcdefg']);
  });

  test('[SVC11] what is more than may be is refused at once, the rest is thrown away, and the connection goes on', async () => {
    const socket = await open(false, 4);
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n6\r\nabcdef\r\n');
    await new Promise((resolve) => setTimeout(resolve, 30));
    socket.write(`3\r\nghi\r\n0\r\n\r\n${post('next')}`);
    expect(await answers(socket, 2)).toEqual(['refused', 'next']);
    expect(ended).toEqual([expect.objectContaining({ message: 'the body is too large' }), 'next']);
  });

  test('[SVC11] who leaves in the middle of a body is not waited for', async () => {
    const socket = await open(false);
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nabc');
    await new Promise((resolve) => setTimeout(resolve, 30));
    socket.destroy();
    await expect.poll(() => ended).toEqual([gone]);
  });
});
