import { join } from 'node:path';
import { Client, credentials } from '@grpc/grpc-js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EnvoyPage } from '../../../src/gateway/inspect/envoys.ts';
import { closing, type Talk, typeUrl, type World, world } from '../../envoy/xds/talk.ts';
import { policy } from '../../gateway/live/documents.ts';
import { type Folder, temporary } from '../../gateway/live/opening.ts';
import { freePort } from '../../support/envoy/modes.ts';
import { totalIn, workers } from './metrics.ts';
import { type Running, start } from './process.ts';

let folder: Folder;
let settings: Folder;
let running: Running;
let port: number;
beforeEach(async () => {
  folder = temporary();
  folder.put('a.yaml', policy('a'));
  port = await freePort();
  settings = temporary();
  const envoy = { listen: `127.0.0.1:${port}` };
  settings.put('placet.json', JSON.stringify({ policies: [folder.path], envoy }));
  running = await start('--config', join(settings.path, 'placet.json'), '--workers', '2');
  await workers(running.url, 2);
});
afterEach(async () => {
  running.process.kill('SIGTERM');
  await running.ended();
  folder.remove();
  settings.remove();
});

/** From whichever worker a new connection comes to. */
async function get(path: string): Promise<Response> {
  return await fetch(running.url + path, { headers: { connection: 'close' } });
}

async function page(query = ''): Promise<EnvoyPage> {
  return (await (await get(`/envoys${query}`)).json()) as EnvoyPage;
}

/** On a connection of its own. */
function node(id: string): Talk<World, { readonly nonce: string }> {
  const options = { 'grpc.use_local_subchannel_pool': 1 };
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), options);
  closing.push(() => client.close());
  const talk = world(client);
  talk.say({ node: { id, cluster: '' }, typeUrl, resourceNames: ['placet/http/http/0'] });
  return talk;
}

test('[RUN5] [XDS10] whichever worker is asked tells of the Envoys of all', async () => {
  const talks: ReturnType<typeof node>[] = [];
  const on = new Set<number | undefined>();
  while (on.size < 2 || talks.length < 5) {
    const talk = node(`default/web-${talks.length}`);
    const { nonce } = await talk.next();
    const answer = { typeUrl, resourceNames: ['placet/http/http/0'], responseNonce: nonce };
    talk.say(talks.length === 0 ? { ...answer, errorDetail: { message: 'no such filter' } } : answer);
    talks.push(talk);
    for (const { worker } of (await page()).envoys) on.add(worker);
  }
  await expect.poll(async () => (await page('?state=waiting')).total).toBe(0);
  const all = await page();
  const ids = all.envoys.map(({ id }) => id);
  expect([all.total, ids]).toEqual([talks.length, talks.map((_, n) => `default/web-${n}`).sort()]);
  for (let round = 0; round < 4; round++) {
    expect(await page()).toEqual(all);
    const half = await page('?limit=3');
    const rest = await page(`?offset=${half.next}`);
    expect([...half.envoys, ...rest.envoys]).toEqual(all.envoys);
    expect((await page('?state=refused')).envoys).toMatchObject([
      {
        id: 'default/web-0',
        resources: [{ denies: 'unknown-dataplane', refused: true }],
        lastRefusal: { words: 'no such filter' },
      },
    ]);
    expect((await page('?state=current')).envoys.map(({ resources }) => resources[0]?.denies)).toEqual(
      talks.slice(1).map(() => 'unknown-dataplane'),
    );
    const metrics = await (await get('/metrics')).text();
    const names = ['placet_xds_nodes{', 'placet_xds_nodes_refusing', 'placet_xds_refusals_total'];
    const pushed = totalIn(metrics, 'placet_xds_resources_pushed_total');
    expect([...names.map((name) => totalIn(metrics, name)), pushed]).toEqual([
      talks.length,
      1,
      1,
      talks.length,
    ]);
  }
});
