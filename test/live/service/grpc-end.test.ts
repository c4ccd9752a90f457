import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fromBinary } from '@bufbuild/protobuf';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkPath } from '../../../src/envoy/authz/service.ts';
import { frame } from '../../../src/envoy/grpc/frames.ts';
import { CheckResponseSchema } from '../../../src/envoy/proto/generated/envoy/service/auth/v3/external_auth_pb.js';
import { typeUrl, world } from '../../envoy/xds/talk.ts';
import { temporary } from '../../support/envoy/temporary.ts';
import { certificateFor, friend, type Serving, serveShop, web } from '../envoy/authz/world.ts';
import { check, clientOf, question, watch } from './grpc.ts';
import { canConnect } from './process.ts';

/** The end of the service as those see it who ask by gRPC. */

let placet: Serving;
let folder: ReturnType<typeof temporary>;
let log: string;
const closing: (() => void)[] = [];
beforeEach(async () => {
  folder = temporary();
  log = join(folder.path, 'decisions');
  placet = await serveShop(
    {},
    { drainTime: 3_600, log: { to: 'file', file: log, allows: 1, perSecond: 1_000_000 } },
  );
});
afterEach(async () => {
  for (const close of closing.splice(0)) close();
  await placet.close();
  folder.remove();
});

const head = { ':method': 'POST', ':path': checkPath, 'content-type': 'application/grpc', te: 'trailers' };

/** A call of which half is said. */
async function begun(port: number, message: Uint8Array) {
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  closing.push(() => session.destroy());
  session.on('error', () => undefined);
  await once(session, 'remoteSettings');
  const goaway = once(session, 'goaway').then(([code]) => code as number);
  const stream = session.request(head);
  stream.on('error', () => undefined);
  const bytes = Buffer.from(frame(message));
  stream.write(bytes.subarray(0, 20));
  // What was sent before it was read before it.
  await new Promise((resolve) => session.ping(resolve));
  let status = 'none';
  for (const event of ['response', 'trailers'] as const)
    stream.on(event, (headers) => {
      status = String(headers['grpc-status'] ?? status);
    });
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const answered = once(stream, 'close').then(() => {
    const body = Buffer.concat(chunks).subarray(5);
    return [status, fromBinary(CheckResponseSchema, body).dynamicMetadata?.['reason']] as const;
  });
  return { goaway, answered, finish: () => stream.end(bytes.subarray(20)) };
}

/** A request to the API of which half is said: that side waits for the rest of it. */
async function begunByHttp(port: number) {
  const socket = connect(port, '127.0.0.1');
  closing.push(() => socket.destroy());
  socket.on('error', () => undefined);
  const head = 'POST /decide HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json';
  socket.write(`${head}\r\ncontent-length: 2\r\n\r\n{`);
  await (await fetch(`http://127.0.0.1:${port}/live`)).text();
  return () => socket.end('}');
}

describe('the end, by gRPC', () => {
  test('[RUN3] [RPC20] who asks is told to go, calls under way are answered and logged, and nobody else gets in', async () => {
    const message = question(web, await certificateFor(friend));
    const client = clientOf(placet.port);
    closing.push(() => client.close());
    expect(await check(client, message)).toEqual([0, 0, 'rule']);
    const finishHttp = await begunByHttp(placet.httpPort());
    const all = await Promise.all(Array.from({ length: 5 }, () => begun(placet.port, message)));
    const ended = placet.end('SIGTERM');
    expect(await Promise.all(all.map(({ goaway }) => goaway))).toEqual(all.map(() => 0));
    expect(await canConnect(placet.port)).toBe(false);
    for (const { finish } of all) finish();
    expect(await Promise.all(all.map(({ answered }) => answered))).toEqual(all.map(() => ['0', 'rule']));
    expect((await check(client, message))[0]).toBe(14);
    finishHttp();
    expect(await ended).toBe(0);
    expect(readFileSync(log, 'utf8').trim().split('\n')).toHaveLength(6);
  });

  test('[RPC20] the log waits for a call that is under way', async () => {
    const message = question(web, await certificateFor(friend));
    const { goaway, answered, finish } = await begun(placet.port, message);
    const ended = placet.end('SIGTERM');
    await goaway;
    // HTTP has nothing to wait for: all else is over soon.
    await new Promise((resolve) => setTimeout(resolve, 200));
    finish();
    expect(await answered).toEqual(['0', 'rule']);
    expect(await ended).toBe(0);
    expect(readFileSync(log, 'utf8').trim().split('\n')).toHaveLength(1);
  });

  test('[RPC20] conversations keep nobody: health says why, and xDS is cut off', async () => {
    const client = clientOf(placet.port);
    closing.push(() => client.close());
    const watching = watch(client, '');
    const talk = world(client);
    talk.say({ node: { id: 'default/web-1', cluster: '' }, typeUrl, resourceNames: ['placet/http/http/0'] });
    await talk.next();
    await expect.poll(() => watching.states, { timeout: 20_000 }).toEqual([[8, 1]]);
    expect(await placet.end('SIGTERM')).toBe(0);
    expect([await watching.ended, (await talk.status).code]).not.toContain(0);
    expect(watching.states).toEqual([
      [8, 1],
      [8, 2],
    ]);
  });

  test('[RUN3] SIGTERM under load loses no call', async () => {
    const message = question(web, await certificateFor(friend));
    let answered = 0;
    let over = false;
    const lost: unknown[] = [];
    const all = Array.from({ length: 8 }, async () => {
      const client = clientOf(placet.port);
      closing.push(() => client.close());
      while (!over) {
        const found = await check(client, message);
        if (found[0] === 0) answered++;
        // A connection that cannot be made: nothing was sent.
        else if (!/ECONNREFUSED/.test(String(found[1]))) lost.push(found);
        else break;
      }
    });
    await expect.poll(() => answered, { timeout: 30_000 }).toBeGreaterThan(500);
    expect(await placet.end('SIGTERM')).toBe(0);
    over = true;
    await Promise.all(all);
    expect(lost).toEqual([]);
  });
});
