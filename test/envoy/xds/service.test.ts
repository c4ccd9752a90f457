import { describe, expect, test } from 'vitest';
import { contents, delta, entries, node, quiet, start, typeUrl, usesOf, world } from './talk.ts';

describe('xDS', () => {
  test('[XDS4] the state of the world: what is wanted, then what changed, once each', async () => {
    const { shelf, nodes, client } = await start();
    const talk = world(client);
    talk.say({ node, typeUrl, resourceNames: ['a', 'b'] });
    const first = await talk.next();
    expect(first.typeUrl).toBe(typeUrl);
    expect(contents(first)).toEqual([
      [typeUrl, 'a@0'],
      [typeUrl, 'b@0'],
    ]);
    talk.say({
      typeUrl,
      resourceNames: ['a', 'b'],
      responseNonce: first.nonce,
      versionInfo: first.versionInfo,
    });
    await expect
      .poll(() => [...usesOf(nodes()[0])])
      .toEqual([
        ['a', '0'],
        ['b', '0'],
      ]);
    shelf.set({ b: 1 });
    const second = await talk.next();
    expect(contents(second)).toEqual([[typeUrl, 'b@1']]);
    expect(second.nonce).not.toBe(first.nonce);
    // More is wanted, in the words that also say that the second was taken.
    talk.say({ typeUrl, resourceNames: ['b', 'c'], responseNonce: second.nonce });
    expect(contents(await talk.next())).toEqual([[typeUrl, 'c@0']]);
    await quiet();
    expect(talk.waiting).toBe(0);
  });

  test('[XDS4] changes while a node has not answered come together, and only the last of them', async () => {
    const { shelf, client } = await start();
    const talk = world(client);
    talk.say({ node, typeUrl, resourceNames: ['a', 'b'] });
    const first = await talk.next();
    for (let n = 1; n <= 50; n++) shelf.set({ a: n, b: n });
    await quiet();
    expect(talk.waiting).toBe(0);
    talk.say({ typeUrl, resourceNames: ['a', 'b'], responseNonce: first.nonce });
    expect(contents(await talk.next()).map(([, text]) => text)).toEqual(['a@50', 'b@50']);
  });

  test('[XDS11] a node that takes what it was sent, and wants nothing else, makes no work', async () => {
    const { shelf, client } = await start();
    const [all, some] = [world(client), delta(client)];
    all.say({ node, typeUrl, resourceNames: ['a'] });
    some.say({ node, typeUrl, resourceNamesSubscribe: ['a'] });
    const [first, second] = await Promise.all([all.next(), some.next()]);
    expect(shelf.rendered).toBe(2);
    all.say({ typeUrl, resourceNames: ['a'], responseNonce: first.nonce });
    some.say({ typeUrl, responseNonce: second.nonce });
    await quiet();
    expect(shelf.rendered).toBe(2);
    shelf.set({ a: 1 });
    await Promise.all([all.next(), some.next()]);
    expect(shelf.rendered).toBe(4);
  });

  test('[XDS5] a refusal is told in the node’s own words, and is not sent again until something else is', async () => {
    const { shelf, refusals, nodes, client } = await start();
    const talk = world(client);
    talk.say({ node, typeUrl, resourceNames: ['a'] });
    const first = await talk.next();
    talk.say({ typeUrl, resourceNames: ['a'], responseNonce: first.nonce });
    shelf.set({ a: 1 });
    const bad = await talk.next();
    talk.say({
      typeUrl,
      resourceNames: ['a'],
      responseNonce: bad.nonce,
      errorDetail: { code: 13, message: 'no such matcher' },
    });
    await expect.poll(() => refusals).toEqual([{ id: node.id, names: ['a'], words: 'no such matcher' }]);
    shelf.set({ other: 1 });
    await quiet();
    expect(talk.waiting).toBe(0);
    expect(nodes()[0]).toMatchObject({
      state: 'refused',
      lastRefusal: { words: 'no such matcher', resources: [{ name: 'a', version: '1' }] },
    });
    expect(usesOf(nodes()[0]).get('a')).toBe('0');
    shelf.set({ a: 2 });
    const good = await talk.next();
    expect(contents(good)[0]?.[1]).toBe('a@2');
    talk.say({ typeUrl, resourceNames: ['a'], responseNonce: good.nonce });
    await expect.poll(() => nodes()[0]?.state).toBe('current');
    expect(nodes()[0]?.lastRefusal?.words).toBe('no such matcher');
  });

  test('[XDS5] of several that are refused together each comes alone, and what is sound is taken', async () => {
    const { shelf, refusals, nodes, client } = await start();
    const talk = delta(client);
    talk.say({ node, typeUrl, resourceNamesSubscribe: ['a', 'b', 'c'] });
    const refuse = (responseNonce: string) =>
      talk.say({ typeUrl, responseNonce, errorDetail: { message: 'b is broken' } });
    const first = await talk.next();
    expect(first.resources).toHaveLength(3);
    refuse(first.nonce);
    for (const name of ['a', 'b', 'c']) {
      const alone = await talk.next();
      expect(entries(alone).map(([one]) => one)).toEqual([name]);
      expect(nodes()[0]?.state).toBe(name === 'c' ? 'refused' : 'waiting');
      if (name === 'b') refuse(alone.nonce);
      else talk.say({ typeUrl, responseNonce: alone.nonce });
    }
    await expect.poll(() => [...usesOf(nodes()[0]).keys()]).toEqual(['a', 'c']);
    expect(refusals.map(({ names }) => names)).toEqual([['a', 'b', 'c'], ['b']]);
    expect(nodes()[0]?.resources.map(({ refused }) => refused)).toEqual([false, true, false]);
    // What changes goes before what is under suspicion, and what is otherwise than it was is under none.
    shelf.set({ a: 1, c: 1 });
    refuse((await talk.next()).nonce);
    expect(entries(await talk.next()).map(([, version]) => version)).toEqual(['1']);
    shelf.set({ b: 1, c: 2 });
    talk.say({ typeUrl, responseNonce: '6' });
    expect(entries(await talk.next()).map(([, , text]) => text)).toEqual(['b@1', 'c@2']);
    await quiet();
    expect(talk.waiting).toBe(0);
  });

  test('[XDS2] [XDS6] names of others are not answered, and in the delta form said to be nowhere', async () => {
    const { nodes, client } = await start();
    const all = world(client);
    all.say({ node, typeUrl, resourceNames: ['foreign-plugin', 'a'] });
    const response = await all.next();
    expect(contents(response)).toEqual([[typeUrl, 'a@0']]);
    all.say({ typeUrl, resourceNames: ['foreign-plugin', 'a'], responseNonce: response.nonce });
    await expect.poll(() => nodes()[0]?.state).toBe('current');
    expect(nodes()[0]?.resources.map(({ name }) => name)).toEqual(['a']);
    all.end();
    const some = delta(client);
    some.say({ node, typeUrl, resourceNamesSubscribe: ['foreign-plugin'] });
    const nowhere = await some.next();
    expect([nowhere.resources, nowhere.removedResources]).toEqual([[], ['foreign-plugin']]);
    some.say({ typeUrl, responseNonce: nowhere.nonce });
    some.say({ typeUrl, resourceNamesSubscribe: ['a'] });
    const next = await some.next();
    expect([entries(next), next.removedResources]).toEqual([[['a', '0', 'a@0']], []]);
    await quiet();
    expect([all.waiting, some.waiting]).toEqual([0, 0]);
  });

  test('[XDS5] what is said of an older response, or of one that never was, is overtaken', async () => {
    const { refusals, nodes, client } = await start();
    const talk = world(client);
    talk.say({ node, typeUrl, resourceNames: ['a'] });
    const first = await talk.next();
    for (const responseNonce of ['999', '-1', 'x'])
      talk.say({ typeUrl, resourceNames: ['z'], responseNonce, errorDetail: { message: 'nonsense' } });
    await quiet();
    expect(refusals).toEqual([]);
    expect(talk.waiting).toBe(0);
    expect(usesOf(nodes()[0]).size).toBe(0);
    talk.say({ typeUrl, resourceNames: ['a'], responseNonce: first.nonce });
    await expect.poll(() => usesOf(nodes()[0]).get('a')).toBe('0');
  });

  test('[XDS6] the delta form: what is added and dropped, with the version of each', async () => {
    const { shelf, client } = await start();
    const talk = delta(client);
    talk.say({ node, typeUrl, resourceNamesSubscribe: ['a', 'b'] });
    const first = await talk.next();
    expect(entries(first)).toEqual([
      ['a', '0', 'a@0'],
      ['b', '0', 'b@0'],
    ]);
    talk.say({ typeUrl, responseNonce: first.nonce });
    talk.say({ typeUrl, resourceNamesUnsubscribe: ['a'], resourceNamesSubscribe: ['c'] });
    expect(entries(await talk.next())).toEqual([['c', '0', 'c@0']]);
    shelf.set({ a: 1 });
    await quiet();
    expect(talk.waiting).toBe(0);
  });

  test('[XDS6] a node that comes back gets what is otherwise than what it has', async () => {
    const { shelf, client } = await start();
    shelf.set({ a: 3, b: 4 });
    const talk = delta(client);
    talk.say({
      node,
      typeUrl,
      resourceNamesSubscribe: ['a', 'b'],
      initialResourceVersions: { a: '3', b: '3' },
    });
    expect(entries(await talk.next())).toEqual([['b', '4', 'b@4']]);
  });

  test('[XDS3] [XDS6] what cannot be exported leaves a node what it comes with, and denies who comes with nothing', async () => {
    const { shelf, nodes, client } = await start();
    [shelf.denies, shelf.outdated] = ['not-exportable', 'got a policy'];
    const back = delta(client);
    back.say({ node, typeUrl, resourceNamesSubscribe: ['a', 'b'], initialResourceVersions: { a: '7' } });
    const first = await back.next();
    expect(entries(first).map(([name]) => name)).toEqual(['b']);
    back.say({ typeUrl, responseNonce: first.nonce });
    await expect.poll(() => nodes()[0]?.state).toBe('outdated');
    expect(nodes()[0]?.resources).toMatchObject([
      { name: 'a', taken: { version: '7' }, refused: false, outdated: 'got a policy' },
      { name: 'b', taken: { version: '0' }, denies: 'not-exportable', outdated: 'got a policy' },
    ]);
    expect(nodes()[0]?.resources[0]).not.toHaveProperty('denies');
    // What denies is not what it had of policies, also when it denies for another reason.
    shelf.set({ b: 1 });
    const other = await back.next();
    expect(entries(other).map(([name]) => name)).toEqual(['b']);
    back.say({ typeUrl, responseNonce: other.nonce });
    [shelf.denies, shelf.outdated] = [undefined, undefined];
    shelf.set({ b: 2 });
    const sound = await back.next();
    expect(entries(sound).map(([, , text]) => text)).toEqual(['a@0', 'b@2']);
    back.say({ typeUrl, responseNonce: sound.nonce });
    await expect.poll(() => nodes()[0]?.state).toBe('current');
    [shelf.denies, shelf.outdated] = ['not-exportable', 'got a policy'];
    shelf.set({ a: 3, b: 3 });
    await expect.poll(() => nodes()[0]?.state).toBe('outdated');
    expect(back.waiting).toBe(0);
    // In the other form nobody says which version of which name it has.
    const talk = world(client);
    talk.say({ node, typeUrl, resourceNames: ['a'], versionInfo: '7' });
    expect(contents(await talk.next())).toEqual([[typeUrl, 'a@3']]);
  });

  test('[XDS7] other types are nobody’s concern, and a node that does not say who it is is told so', async () => {
    const { client, nodes } = await start();
    const talk = world(client);
    talk.say({ node, typeUrl: 'type.googleapis.com/envoy.config.cluster.v3.Cluster' });
    talk.say({ node, typeUrl, resourceNames: ['a'] });
    expect(contents(await talk.next())).toHaveLength(1);
    const nobody = world(client);
    nobody.say({ typeUrl, resourceNames: ['a'] });
    expect(await nobody.status).toMatchObject({
      code: 3,
      details: 'got a first request without the id of its node',
    });
    const greedy = world(client);
    greedy.say({ node, typeUrl, resourceNames: Array.from({ length: 1_001 }, (_, n) => `n${n}`) });
    expect(await greedy.status).toMatchObject({ code: 3, details: 'got 1001 names, want at most 1000' });
    expect(nodes()).toHaveLength(1);
  });

  test('[XDS7] names that come one request after another are bounded all the same, and so is each', async () => {
    const { client, nodes } = await start();
    const greedy = delta(client);
    const names = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `n${from + n}`);
    greedy.say({ node, typeUrl, resourceNamesSubscribe: names(0, 600) });
    greedy.say({
      typeUrl,
      resourceNamesUnsubscribe: names(0, 300),
      resourceNamesSubscribe: names(600, 1_300),
    });
    expect((await greedy.next()).resources.length).toBeGreaterThan(0);
    greedy.say({ typeUrl, resourceNamesSubscribe: ['one-more'] });
    expect(await greedy.status).toMatchObject({
      code: 3,
      details: 'got 1001 names in all, want at most 1000',
    });
    const known = delta(client);
    const versions = (from: number, to: number) =>
      Object.fromEntries(names(from, to).map((name) => [name, '1']));
    known.say({ node, typeUrl, initialResourceVersions: versions(0, 600) });
    known.say({ typeUrl, initialResourceVersions: versions(600, 1_200) });
    expect(await known.status).toMatchObject({ code: 3, details: expect.stringContaining('in all') });
    const long = world(client);
    long.say({ node, typeUrl, resourceNames: ['n'.repeat(513)] });
    expect(await long.status).toMatchObject({
      code: 3,
      details: 'got a name of 513 characters, want at most 512',
    });
    expect(nodes()).toHaveLength(0);
  });

  test('[XDS7] what cannot be made is said, and made when something changes', async () => {
    const { shelf, failures, client } = await start();
    shelf.fails = true;
    const talk = world(client);
    talk.say({ node, typeUrl, resourceNames: ['a'] });
    await expect.poll(() => failures).toEqual(['broken']);
    shelf.fails = false;
    shelf.set({ a: 1 });
    expect(contents(await talk.next())[0]?.[1]).toBe('a@1');
  });
});
