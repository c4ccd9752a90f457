import type { Server } from 'node:https';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Bundles } from '../../../src/attributes/bundles/store.ts';
import type { Method } from '../../../src/attributes/workload-api/grpc.ts';
import { configSchema } from '../../../src/cli/serve/config-schema.ts';
import { openWorkload, type WorkloadSide } from '../../../src/cli/serve/workload.ts';
import { signer } from '../../attributes/jwt/tokens.ts';
import {
  bundleMessage,
  ders,
  svidEntry,
  svidMessage,
  TestServer,
} from '../../attributes/workload-api/server.ts';
import { authority, svid } from '../../support/certificates/index.ts';

let server: TestServer;
let side: WorkloadSide;
beforeEach(async () => {
  server = await new TestServer().listen();
});
afterEach(async () => {
  side.close();
  await server.remove();
});

const id = 'spiffe://td.example/ns/shop/sa/placet';
const keys = JSON.stringify({ keys: [{ kid: 'a', ...signer().publicKey.export({ format: 'jwk' }) }] });
const home = await authority('td.example');
const messages: Readonly<Partial<Record<Method, Uint8Array>>> = {
  FetchX509SVID: svidMessage(svidEntry({ id, certificate: await svid(home, id), authority: home })),
  FetchX509Bundles: bundleMessage(2, { 'spiffe://td.example': ders(home.bundle) }),
  FetchJWTBundles: bundleMessage(1, { 'spiffe://td.example': keys }),
};

async function open(): Promise<void> {
  const config = configSchema.parse({ workloadApi: `unix://${server.path}` });
  side = openWorkload(config, new Bundles(), {}) as WorkloadSide;
  await expect.poll(() => server.calls.length).toBe(3);
}

const say = (method: Method) => server.callsOf(method)[0]?.say(messages[method] as Uint8Array);
const ready = () => side.status().map(({ synced, fresh }) => [synced, fresh]);
const quiet = () => new Promise((resolve) => setTimeout(resolve, 50));

test.each([
  ['FetchX509Bundles', 'FetchJWTBundles'],
  ['FetchJWTBundles', 'FetchX509Bundles'],
] as const)('[KSRV7] not ready with our own identity and the message of %s alone', async (first, second) => {
  await open();
  expect(ready()).toEqual([[false, false]]);
  say('FetchX509SVID');
  say(first);
  await expect.poll(() => side.status()[0]?.age).toBeDefined();
  await quiet();
  expect(ready()).toEqual([[false, false]]);
  say(second);
  await expect.poll(ready).toEqual([[true, true]]);
});

test('[KSRV7] ready with the bundles of one sort where the server knows no other', async () => {
  server.answers.FetchJWTBundles = (call) => call.end(12, 'no tokens here');
  await open();
  await quiet();
  expect(ready()).toEqual([[false, false]]);
  say('FetchX509Bundles');
  await expect.poll(ready).toEqual([[true, true]]);
});

test('[KSRV7] an SVID that comes is shown by who follows, until that ends', async () => {
  await open();
  say('FetchX509SVID');
  const pairs = await side.pairs();
  const shown: string[] = [];
  const lines: string[] = [];
  const follow = (name: string) =>
    pairs.follow({ setSecureContext: () => void shown.push(name) } as unknown as Server, (line) =>
      lines.push(line),
    );
  const said = `tls: the new SVID of ${id} is in use`;
  const end = follow('first');
  follow('second');
  end();
  say('FetchX509SVID');
  await expect.poll(() => lines).toEqual([said]);
  expect(shown).toEqual(['second']);
  // Policies of a cluster may have been waited for meanwhile.
  follow('late');
  expect([shown.at(-1), lines]).toEqual(['late', [said, said]]);
});
