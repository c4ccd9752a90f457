import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import {
  ApiError,
  readAnswer,
  readEvents,
  type WatchEvent,
} from '../../../src/attributes/kubernetes/answers.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function ask(answer: (response: ServerResponse) => void): Promise<IncomingMessage> {
  server = createServer((_, response) => answer(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const [response] = (await once(get({ port, host: '127.0.0.1' }), 'response')) as [IncomingMessage];
  return response;
}

async function all(events: AsyncIterable<WatchEvent>): Promise<{ seen: WatchEvent[]; error?: unknown }> {
  const seen: WatchEvent[] = [];
  try {
    for await (const event of events) seen.push(event);
    return { seen };
  } catch (error) {
    return { seen, error };
  }
}

const sent = Array.from({ length: 8 }, (_, i) => ({
  type: 'MODIFIED',
  object: { metadata: { name: `pod-${i}`, note: 'ä€𝄞'.repeat(i) } },
}));
const bytes = Buffer.from(sent.map((one) => `${JSON.stringify(one)}\n`).join(''));

it('[K3] a watch that is cut at any byte gives the events that came whole, and no other', async () => {
  const ends = sent.map((_, i) =>
    Buffer.byteLength(
      sent
        .slice(0, i + 1)
        .map((one) => `${JSON.stringify(one)}\n`)
        .join(''),
    ),
  );
  for (let cut = 0; cut <= bytes.length; cut += 7) {
    const response = await ask((to) => {
      to.write(bytes.subarray(0, cut));
      setImmediate(() => to.destroy());
    });
    const { seen } = await all(readEvents(response));
    expect(seen, `cut at ${cut}`).toEqual(sent.slice(0, ends.filter((end) => end <= cut).length));
    server?.close();
  }
}, 60_000);

it('[K3] in whatever pieces the bytes come, the events are the same', async () => {
  for (const size of [1, 2, 3, 5, 64]) {
    const response = await ask(async (to) => {
      for (let at = 0; at < bytes.length; at += size) {
        to.write(bytes.subarray(at, at + size));
        if (at % 97 === 0) await new Promise(setImmediate);
      }
      to.end();
    });
    expect(await all(readEvents(response))).toEqual({ seen: sent });
    server?.close();
  }
});

it('[K3] an answer that is no success is an error with the server’s words and its wish to wait', async () => {
  const answer = (to: ServerResponse) => {
    to.writeHead(429, { 'retry-after': '3' });
    to.end('{"kind":"Status","message":"too many requests"}');
  };
  await expect(readAnswer(await ask(answer))).rejects.toEqual(new ApiError(429, 'too many requests', 3_000));
  server?.close();
  const { seen, error } = await all(readEvents(await ask(answer)));
  expect([seen, (error as ApiError).status]).toEqual([[], 429]);
});

it('[K3] an event without an end is not kept in memory for ever', async () => {
  const response = await ask((to) => {
    const piece = Buffer.alloc(1 << 20, 'x');
    for (let i = 0; i < 6; i++) to.write(piece);
    to.end();
  });
  const { error } = await all(readEvents(response));
  expect(String(error)).toMatch(/event of more than 4194304 bytes/);
});
