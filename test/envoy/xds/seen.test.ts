import { afterEach, describe, expect, test } from 'vitest';
import { outdatedNodes } from '../../../src/cli/serve/workers-nodes.ts';
import { openSeen, type Seen } from './seen.ts';
import { delta, node, start, typeUrl, world } from './talk.ts';

let seen: Seen | undefined;
afterEach(async () => {
  await seen?.world.close();
  seen = undefined;
});

async function open() {
  const started = await start();
  seen = await openSeen(started);
  return { ...started, seen };
}

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('what is seen of nodes', () => {
  test('[XDS10] versions that were sent and taken, what a node refuses now, and what it refused last', async () => {
    const { shelf, client, seen } = await open();
    const talk = world(client);
    talk.say({ node, typeUrl, resourceNames: ['a'] });
    const first = await talk.next();
    expect((await seen.first())?.state).toBe('waiting');
    talk.say({ typeUrl, resourceNames: ['a'], responseNonce: first.nonce });
    await expect.poll(async () => (await seen.first())?.state).toBe('current');
    expect(await seen.page()).toEqual({
      total: 1,
      envoys: [
        {
          id: 'default/web-1',
          cluster: 'web',
          dataplane: { mesh: 'default', name: 'web-1' },
          form: 'state-of-the-world',
          connected: time,
          state: 'current',
          resources: [
            {
              type: typeUrl,
              name: 'a',
              sent: { version: '0', at: time },
              taken: { version: '0', at: time },
              refused: false,
            },
          ],
        },
      ],
    });
    shelf.set({ a: 1 });
    const bad = await talk.next();
    const errorDetail = { code: 13, message: `no such matcher ${'x'.repeat(2_000)}` };
    talk.say({ typeUrl, resourceNames: ['a'], responseNonce: bad.nonce, errorDetail });
    await expect.poll(async () => (await seen.first())?.state).toBe('refused');
    const refused = await seen.first();
    expect(refused).toMatchObject({
      resources: [{ sent: { version: '1' }, taken: { version: '0' }, refused: true }],
      lastRefusal: { at: time, resources: [{ name: 'a', version: '1' }] },
    });
    expect(refused?.lastRefusal?.words).toBe(`${errorDetail.message.slice(0, 250)} … ${'x'.repeat(750)}`);
    expect(await seen.metrics()).toEqual([
      'placet_xds_nodes{form="state-of-the-world"} 1',
      'placet_xds_nodes{form="delta"} 0',
      'placet_xds_nodes_refusing 1',
      'placet_xds_nodes_outdated 0',
      'placet_xds_refusals_total 1',
      'placet_xds_resources_pushed_total 2',
    ]);
    shelf.set({ a: 2 });
    const good = await talk.next();
    expect((await seen.first())?.state).toBe('refused');
    talk.say({ typeUrl, resourceNames: ['a'], responseNonce: good.nonce });
    await expect.poll(async () => (await seen.first())?.state).toBe('current');
    expect(await seen.first()).toMatchObject({
      resources: [{ taken: { version: '2' }, refused: false }],
      lastRefusal: { resources: [{ name: 'a', version: '1' }] },
    });
    expect(await seen.metrics()).toEqual(
      expect.arrayContaining(['placet_xds_nodes_refusing 0', 'placet_xds_refusals_total 1']),
    );
  });

  test('[XDS10] of several resources what is refused is told one by one, until what the node has is right again', async () => {
    const { shelf, client, seen } = await open();
    const talk = delta(client);
    talk.say({ node, typeUrl, resourceNamesSubscribe: ['a', 'b'] });
    talk.say({ typeUrl, responseNonce: (await talk.next()).nonce });
    shelf.set({ a: 1 });
    const bad = await talk.next();
    talk.say({ typeUrl, responseNonce: bad.nonce, errorDetail: { message: 'no' } });
    shelf.set({ b: 1 });
    talk.say({ typeUrl, responseNonce: (await talk.next()).nonce });
    const states = async () => {
      const one = await seen.first();
      return [one?.state, one?.resources.map(({ taken, refused }) => [taken?.version, refused])];
    };
    await expect.poll(states).toEqual([
      'refused',
      [
        ['0', true],
        ['1', false],
      ],
    ]);
    expect((await seen.first())?.form).toBe('delta');
    shelf.set({ a: 0 });
    await expect.poll(states).toEqual([
      'current',
      [
        ['0', false],
        ['1', false],
      ],
    ]);
    // It is what was refused before.
    shelf.set({ a: 1 });
    await expect.poll(async () => (await states())[0]).toBe('refused');
    talk.say({ typeUrl, resourceNamesUnsubscribe: ['a'] });
    await expect.poll(states).toEqual(['current', [['1', false]]]);
  });

  test('[XDS6] what was dropped before it was taken comes again when it is wanted again', async () => {
    const { client, seen } = await open();
    const talk = delta(client);
    talk.say({ node, typeUrl, resourceNamesSubscribe: ['a'] });
    const first = await talk.next();
    talk.say({ typeUrl, resourceNamesUnsubscribe: ['a'] });
    talk.say({ typeUrl, responseNonce: first.nonce });
    talk.say({ typeUrl, resourceNamesSubscribe: ['a'] });
    const again = await talk.next();
    expect(again.resources.map(({ name }) => name)).toEqual(['a']);
    talk.say({ typeUrl, responseNonce: again.nonce });
    await expect.poll(async () => (await seen.first())?.state).toBe('current');
  });

  test('[XDS10] what lets nobody in is told by name, and so is a node that is no dataplane', async () => {
    const { shelf, client, seen } = await open();
    shelf.denies = 'unknown-dataplane';
    const talk = world(client);
    talk.say({ node: { id: 'web/', cluster: '' }, typeUrl, resourceNames: ['a'] });
    await talk.next();
    const one = await seen.first();
    expect([one?.id, one?.dataplane, one?.resources[0]?.denies]).toEqual([
      'web/',
      undefined,
      'unknown-dataplane',
    ]);
  });

  test('[XDS10] nodes come in the order of their ids, page by page, and filtered; those that went are not there', async () => {
    const { client, seen } = await open();
    const ids = ['b/x', 'a/y', 'a/x', 'a/x', 'c'];
    const talks = ids.map((id) => {
      const talk = world(client);
      talk.say({ node: { id, cluster: '' }, typeUrl, resourceNames: ['a'] });
      return talk;
    });
    const all = await Promise.all(talks.map((talk) => talk.next()));
    const idsOf = async (query: string) => {
      const { total, envoys, next } = await seen.page(query);
      return [total, envoys.map(({ id }) => id), next];
    };
    expect(await idsOf('')).toEqual([5, ['a/x', 'a/x', 'a/y', 'b/x', 'c'], undefined]);
    expect(await idsOf('?limit=2')).toEqual([5, ['a/x', 'a/x'], 2]);
    expect(await idsOf('?limit=2&offset=2')).toEqual([5, ['a/y', 'b/x'], 4]);
    expect(await idsOf('?limit=2&offset=4')).toEqual([5, ['c'], undefined]);
    expect(await idsOf('?limit=0')).toEqual([5, [], undefined]);
    expect(await idsOf('?mesh=a')).toEqual([3, ['a/x', 'a/x', 'a/y'], undefined]);
    expect(await idsOf('?dataplane=x')).toEqual([3, ['a/x', 'a/x', 'b/x'], undefined]);
    expect(await idsOf('?id=c')).toEqual([1, ['c'], undefined]);
    talks[0]?.say({ typeUrl, resourceNames: ['a'], responseNonce: all[0]!.nonce });
    await expect.poll(() => idsOf('?state=current')).toEqual([1, ['b/x'], undefined]);
    expect(await idsOf('?state=refused')).toEqual([0, [], undefined]);
    talks[4]?.end();
    await expect.poll(() => idsOf('?offset=3')).toEqual([4, ['b/x'], undefined]);
  });

  test('[XDS10] a query that is not understood is refused, and so is who may not look', async () => {
    const { seen } = await open();
    for (const query of ['state=broken', 'limit=1001', 'offset=x'])
      expect((await seen.world.fetch(`/envoys?${query}`)).status).toBe(400);
    const as = (role: string) =>
      seen.world.fetch('/envoys', { headers: { authorization: `Bearer ${role}` } });
    expect([(await as('decide')).status, (await as('admin')).status]).toEqual([403, 200]);
  });

  test('[XDS3] [XDS10] what is not what the policies say is told with the reason, measured, and named as a problem', async () => {
    const { shelf, client, seen } = await open();
    const talk = delta(client);
    talk.say({ node, typeUrl, resourceNamesSubscribe: ['a'] });
    talk.say({ typeUrl, responseNonce: (await talk.next()).nonce });
    await expect.poll(async () => (await seen.first())?.state).toBe('current');
    expect(await outdatedNodes()).toEqual([]);
    shelf.outdated = 'got a policy that Envoy cannot enforce';
    shelf.set({ other: 1 });
    await expect.poll(async () => (await seen.page('?state=outdated')).total).toBe(1);
    expect(await seen.first()).toMatchObject({ resources: [{ name: 'a', outdated: shelf.outdated }] });
    expect(await seen.metrics()).toContain('placet_xds_nodes_outdated 1');
    const message = `a: has an older filter: ${shelf.outdated}`;
    expect(await outdatedNodes()).toEqual([{ path: ['envoys', node.id], code: 'value', message }]);
  });

  test('[XDS10] of a node with many resources the first are told, and how many more there are', async () => {
    const { client, seen } = await open();
    const talk = world(client);
    const resourceNames = Array.from({ length: 130 }, (_, n) => `n${n}`);
    talk.say({ node, typeUrl, resourceNames });
    const { nonce } = await talk.next();
    talk.say({ typeUrl, resourceNames, responseNonce: nonce, errorDetail: { message: 'no' } });
    await expect.poll(async () => (await seen.first())?.lastRefusal?.words).toBe('no');
    const one = await seen.first();
    expect([one?.state, one?.resources.length, one?.more]).toEqual(['waiting', 100, 30]);
    expect([one?.lastRefusal?.resources.length, one?.lastRefusal?.more]).toEqual([100, 30]);
  });
});
