import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { fileCarrier } from '../../../src/gateway/log/file.ts';
import { httpCarrier } from '../../../src/gateway/log/http.ts';
import { type Carrier, Outlet } from '../../../src/gateway/log/outlet.ts';
import { stdoutCarrier } from '../../../src/gateway/log/stdout.ts';

const folder = mkdtempSync(join(tmpdir(), 'placet-log-'));
afterAll(() => rmSync(folder, { recursive: true }));

const nothing = async () => undefined;
/** Larger than anything that is written here. */
const queue = 10_000;

/** Carries when it is told to. */
function gate() {
  const carried: string[] = [];
  let release: (error?: Error) => void = () => undefined;
  let asked: () => void = () => undefined;
  let waiting = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const carrier: Carrier = {
    carry: (text) =>
      new Promise((resolve, reject) => {
        release = (error) => {
          waiting = new Promise((again) => {
            asked = again;
          });
          if (error !== undefined) return reject(error);
          carried.push(text);
          resolve();
        };
        asked();
      }),
    close: nothing,
  };
  return { carrier, carried, asked: () => waiting, release: (error?: Error) => release(error) };
}

describe('where log lines go', () => {
  test('[LOG4] nobody waits: what does not fit into the queue is dropped and counted', async () => {
    const { carrier, carried, asked, release } = gate();
    const outlet = new Outlet(carrier, { queue: 30, gather: 0, retry: 1 });
    outlet.write('0123456789');
    await asked();
    for (const line of ['aaaaaaaaa', 'bbbbbbbb', 'c', 'd']) outlet.write(line);
    expect(outlet.dropped).toBe(2);
    release();
    await asked();
    release();
    await outlet.close(1_000);
    expect(carried).toEqual(['0123456789\n', 'aaaaaaaaa\nbbbbbbbb\n']);
    outlet.write('late');
    expect(outlet.dropped).toBe(3);
  });

  test('[LOG4] what could not be carried is carried again, whole and in order', async () => {
    const { carrier, carried, asked, release } = gate();
    const outlet = new Outlet(carrier, { queue, gather: 0, retry: 1 });
    outlet.write('one');
    await asked();
    outlet.write('two');
    release(new Error('no room'));
    await asked();
    expect(outlet.problem).toBe('no room');
    release();
    await outlet.close(1_000);
    expect(outlet.problem).toBeUndefined();
    expect(carried.join('')).toBe('one\ntwo\n');
    expect(outlet.dropped).toBe(0);
  });

  test('[LOG4] a batch has its bound', async () => {
    const carried: string[] = [];
    const outlet = new Outlet(
      { carry: async (text) => void carried.push(text), close: nothing },
      { queue, batch: 10, gather: 0 },
    );
    for (const line of ['aaaa', 'bbbb', 'cccc', 'd'.repeat(40), 'e']) outlet.write(line);
    await outlet.close(1_000);
    expect(carried).toEqual(['aaaa\nbbbb\n', `cccc\n${'d'.repeat(40)}\n`, 'e\n']);
  });

  test('[LOG4] closing ends in time, and counts what it had to drop', async () => {
    const outlet = new Outlet(
      { carry: () => new Promise(() => undefined), close: nothing },
      { queue, gather: 0 },
    );
    outlet.write('one');
    outlet.write('two');
    await outlet.close(20);
    expect(outlet.dropped).toBe(2);
  });

  test('[LOG5] a file is put aside when it is full, and as many are kept as are asked for', async () => {
    const path = join(folder, 'rotated.log');
    const carrier = fileCarrier(path, { bytes: 12, files: 3 });
    for (const line of ['a1\na2\na3\n', 'b1\nb2\n', 'c1\nc2\n', 'd1\nd2\nd3\n', 'e1\n'])
      await carrier.carry(line);
    await carrier.close();
    const kept = readdirSync(folder)
      .filter((name) => name.startsWith('rotated'))
      .sort();
    expect(kept.map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual([
      'd1\nd2\nd3\ne1\n',
      'b1\nb2\nc1\nc2\n',
      'a1\na2\na3\n',
    ]);
    expect(kept).toEqual(['rotated.log', 'rotated.log.1', 'rotated.log.2']);
  });

  test('[LOG5] a file that is there is continued', async () => {
    const path = join(folder, 'there.log');
    writeFileSync(path, 'before\n');
    const carrier = fileCarrier(path, { bytes: 1_000, files: 2 });
    await carrier.carry('after\n');
    await carrier.close();
    expect(readFileSync(path, 'utf8')).toBe('before\nafter\n');
  });

  test('[LOG5] a folder that is not there is a problem, and no error of those who decide', async () => {
    const outlet = new Outlet(fileCarrier(join(folder, 'none', 'x.log'), { bytes: 1, files: 1 }), {
      queue,
      gather: 0,
      retry: 1,
    });
    outlet.write('line');
    await outlet.close(30);
    expect(outlet.problem).toContain('ENOENT');
    expect(outlet.dropped).toBe(1);
  });

  test('[LOG5] standard output is written by its number', async () => {
    const path = join(folder, 'out');
    const descriptor = openSync(path, 'w');
    await stdoutCarrier(descriptor).carry('one\ntwo\n');
    closeSync(descriptor);
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
  });

  test('[LOG6] a collector gets batches, with the credentials of the moment; a refusal is no delivery', async () => {
    const got: { text: string; authorization: string | undefined }[] = [];
    let status = 200;
    const server = createServer((request, response) => {
      let text = '';
      request.on('data', (part) => {
        text += part;
      });
      request.on('end', () => {
        got.push({ text, authorization: request.headers.authorization });
        response.writeHead(status).end('thanks');
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const file = join(folder, 'credentials');
    writeFileSync(file, 'Bearer one\n');
    const carrier = httpCarrier({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/logs`,
      authorizationFile: file,
      timeout: 5_000,
    });
    await carrier.carry('a\nb\n');
    writeFileSync(file, 'Bearer two\n');
    status = 503;
    await expect(carrier.carry('c\n')).rejects.toThrow('the collector answered 503');
    status = 301;
    await expect(carrier.carry('d\n')).rejects.toThrow();
    expect(got.slice(0, 2)).toEqual([
      { text: 'a\nb\n', authorization: 'Bearer one' },
      { text: 'c\n', authorization: 'Bearer two' },
    ]);
    server.closeAllConnections();
    server.close();
  });
});
