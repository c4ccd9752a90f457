import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Failure } from '../../../src/cli/failure.ts';
import type { Address } from '../../../src/cli/serve/address.ts';
import { cannotListen } from '../../../src/cli/serve/cannot-listen.ts';
import { listen } from '../../../src/cli/serve/listen.ts';

const folder = mkdtempSync(join(tmpdir(), 'placet-'));
afterAll(() => rmSync(folder, { recursive: true }));

const socket = (path: string): Address => ({ kind: 'socket', path: join(folder, path) });
const port = (number: number, host = '127.0.0.1'): Address => ({ kind: 'tcp', host, port: number });

function said({ message, hint }: Failure): string {
  return `${message} (${hint})`.replaceAll(folder, '<folder>');
}

async function refusedAt(address: Address): Promise<string> {
  const error = await listen(createServer(), address).catch((one: unknown) => one);
  if (!(error instanceof Failure)) throw error;
  return said(error);
}

const another = '--listen <host:port> takes another';

test('[CLI22] a socket that cannot be made is named with the reason in words and what to do', async () => {
  writeFileSync(join(folder, 'file'), '');
  const begin = 'cannot listen on <folder>';
  expect(await refusedAt(socket('none/api'))).toBe(
    `${begin}/none/api: there is no folder <folder>/none (make it first; ${another})`,
  );
  expect(await refusedAt(socket('file/api'))).toBe(
    `${begin}/file/api: <folder>/file is no folder (a socket lies in a folder; ${another})`,
  );
  expect(await refusedAt(socket('file/none/api'))).toContain(': there is no folder <folder>/file/none (');
  expect(await refusedAt(socket('file'))).toBe(
    `${begin}/file: something else than a socket lies there (move it away; ${another})`,
  );
  expect(await refusedAt(socket('a'.repeat(120)))).toMatch(/: got a path of \d+ bytes, want at most 107 \(/);
});

test('[CLI22] so is a port', async () => {
  const first = createServer();
  await listen(first, port(0));
  const { port: taken } = first.address() as { port: number };
  expect(await refusedAt(port(taken))).toBe(
    `cannot listen on 127.0.0.1:${taken}: somebody else does (end that first; ${another})`,
  );
  first.close();
  await once(first, 'close');
  // RFC 5737: nobody has it.
  expect(await refusedAt(port(9, '192.0.2.1'))).toBe(
    `cannot listen on 192.0.2.1:9: 192.0.2.1 is no address of this machine (the address 0.0.0.0 is every one that it has; ${another})`,
  );
});

/** Tests run by root are permitted all. */
const failed = (code: string, errno?: number) => Object.assign(new Error('failed'), { code, errno });

test.each([
  [
    socket('api'),
    failed('EACCES', -13),
    'no permission to make a socket in <folder> (who runs this must be able to',
  ],
  [port(80), failed('EACCES', -13), 'no permission for port 80 (ports from 1024 on are for everybody'],
  [
    port(9, 'none.example'),
    failed('ENOTFOUND'),
    'no address is known of the host none.example (an address needs',
  ],
  [port(9), failed('EMFILE', -24), 'too many open files (another address may do'],
])('[CLI22] %j: words for %s', (address, error, words) => {
  expect(said(cannotListen(address, error, 'x'))).toContain(`: ${words}`);
});
