import { expect, test } from 'vitest';
import { extensionType as typeUrl } from '../../../src/envoy/xds/resource.ts';
import { delta, start, type Talk, world } from './talk.ts';

/** What nodes say may be long, and much of it may come over one connection. */

const node = { id: 'shop/web-1', cluster: 'c'.repeat(2_000) };
const long = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => `${from + n}-`.padEnd(500, 'x'));

test('[XDS7] of long names one connection may want as many as there is room for, and others what they want', async () => {
  const { client, nodes } = await start();
  const first = delta(client);
  first.say({ node, typeUrl, resourceNamesSubscribe: long(0, 1_000) });
  expect((await first.next()).resources).toHaveLength(1_000);
  const second = delta(client);
  second.say({ node, typeUrl, resourceNamesSubscribe: long(0, 1_000) });
  expect(await second.status).toMatchObject({
    code: 8,
    details: 'too many names, or too long ones, are wanted at once',
  });
  const third = delta(client);
  third.say({ node, typeUrl, resourceNamesSubscribe: ['short'] });
  expect((await third.next()).resources).toHaveLength(1);
  // What is not wanted any more makes room, and so does who has gone.
  first.say({ typeUrl, responseNonce: '1', resourceNamesUnsubscribe: long(0, 1_000) });
  third.say({ typeUrl, responseNonce: '1', resourceNamesSubscribe: long(0, 900) });
  expect((await third.next()).resources).toHaveLength(900);
  third.end();
  await expect.poll(() => nodes().length).toBe(1);
  const fourth = world(client);
  fourth.say({ node, typeUrl, resourceNames: long(0, 1_000) });
  expect((await fourth.next()).resources).toHaveLength(1_000);
});

test.each([
  ['state of the world', world, 'resourceNames'],
  ['delta', delta, 'resourceNamesSubscribe'],
] as const)(
  '[XDS7] who a node is counts from a request about others too, however long that is: %s',
  async (_, open, field) => {
    const { client, nodes } = await start();
    const talk = open(client) as Talk<object, { readonly resources: readonly unknown[] }>;
    const clusters = 'type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment';
    talk.say({ node, typeUrl: clusters, [field]: Array.from({ length: 1_001 }, (__, n) => `n${n}`) });
    talk.say({ typeUrl, [field]: ['a'] });
    expect((await talk.next()).resources).toHaveLength(1);
    expect(nodes().map(({ id }) => id)).toEqual([node.id]);
  },
);

test('[XDS7] an id, and the name of a mesh or dataplane, are as long as a name may be', async () => {
  const { client } = await start();
  const ids = world(client);
  ids.say({ node: { id: 'x'.repeat(513) }, typeUrl });
  expect(await ids.status).toMatchObject({
    code: 3,
    details: 'got an id of 513 characters, want at most 512',
  });
  const named = world(client);
  const placet = { mesh: 'shop', dataplane: 'x'.repeat(513) };
  named.say({ node: { id: 'a', metadata: { placet } }, typeUrl });
  expect(await named.status).toMatchObject({
    code: 3,
    details: 'got the name of a mesh or dataplane of 513 characters, want at most 512',
  });
});

test('[XDS7] [XDS10] what is only shown is cut, and a version that is too long is none of ours', async () => {
  const { client, nodes } = await start();
  const talk = delta(client);
  const versions = { a: '0', b: '0'.repeat(513) };
  talk.say({ node, typeUrl, resourceNamesSubscribe: ['a', 'b'], initialResourceVersions: versions });
  expect((await talk.next()).resources.map(({ name }) => name)).toEqual(['b']);
  const message = `what${'é'.repeat(5_000)}why`;
  talk.say({ typeUrl, responseNonce: '1', errorDetail: { code: 3, message } });
  const words = `what${'é'.repeat(246)} … ${'é'.repeat(747)}why`;
  await expect.poll(() => nodes()[0]?.lastRefusal?.words).toBe(words);
  expect(nodes()[0]?.cluster).toBe('c'.repeat(256));
});
