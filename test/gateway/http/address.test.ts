import { afterAll, beforeAll, expect, test } from 'vitest';
import { bounds } from '../given.ts';
import { openWorld, raw, type World } from '../world.ts';

const policies = 'policies/40-shadow';
let anywhere: World;
let local: World;
beforeAll(async () => {
  anywhere = await openWorld(policies);
  local = await openWorld(policies, {}, { host: (host) => host === 'localhost' });
});
afterAll(async () => {
  await anywhere.close();
  await local.close();
});

const metadata = '/.well-known/authzen-configuration';
test.each<[string, string, number, number]>([
  ['one host', `GET ${metadata} HTTP/1.1\r\nhost: localhost\r\n\r\n`, 200, 200],
  ['one host twice', `GET ${metadata} HTTP/1.1\r\nHost: localhost\r\nhOST: localhost\r\n\r\n`, 400, 400],
  ['two hosts', `GET ${metadata} HTTP/1.1\r\nhost: localhost\r\nhost: evil.example\r\n\r\n`, 400, 400],
  ['a target', `GET http://localhost${metadata} HTTP/1.1\r\nhost: LOCALHOST\r\n\r\n`, 200, 200],
  ['a target and no host', `GET http://localhost${metadata} HTTP/1.0\r\n\r\n`, 200, 200],
  ['another target', `GET http://evil.example${metadata} HTTP/1.1\r\nhost: localhost\r\n\r\n`, 400, 421],
  ['another host', `GET http://localhost${metadata} HTTP/1.1\r\nhost: evil.example\r\n\r\n`, 400, 400],
  [
    'somebody in the target',
    `GET http://localhost@evil.example/ HTTP/1.1\r\nhost: localhost\r\n\r\n`,
    400,
    421,
  ],
  ['a backslash in it', `GET http://evil.example\\@localhost/ HTTP/1.1\r\nhost: localhost\r\n\r\n`, 400, 400],
  ['a target without a host', `GET http:///evil.example/ HTTP/1.1\r\nhost: localhost\r\n\r\n`, 400, 400],
  ['a target of another kind', `GET httpx://localhost/ HTTP/1.1\r\nhost: localhost\r\n\r\n`, 400, 400],
])('[SVC12] [CALL7] %s', async (_, text, status, confined) => {
  for (const [{ port }, wanted] of [
    [anywhere, status],
    [local, confined],
  ] as const) {
    const reply = await raw(port, text.replace(' HTTP/1.0\r\n', ' HTTP/1.0\r\nconnection: close\r\n'));
    expect(reply).toMatch(new RegExp(`^HTTP/1.1 ${wanted} `));
    expect(reply).not.toContain('evil.example/access');
  }
});

test('[AZ4] the ID of a request comes back where its handling never began', async () => {
  const slow = await openWorld(policies, {}, { bounds: { ...bounds, headTime: 100, requestTime: 300 } });
  const head =
    'POST /decide HTTP/1.1\r\nhost: x\r\nx-request-id: a \xa7\r\ncontent-type: application/json\r\n';
  const bytes = (text: string) => Buffer.from(text, 'latin1');
  const late = await raw(slow.port, bytes(`${head}content-length: 9\r\n\r\n{`));
  const miracles = await raw(slow.port, bytes(`${head}expect: miracles\r\n\r\n`));
  expect([late.slice(9, 12), miracles.slice(9, 12)]).toEqual(['408', '417']);
  // A byte that is no UTF-8 is read as U+FFFD here.
  for (const reply of [late, miracles])
    expect(reply.toLowerCase()).toContain('\r\nx-request-id: a \ufffd\r\n');
  await slow.close();
});
