import { afterEach, describe, expect, it } from 'vitest';
import { Reflector, type ReflectorOptions, type Sink } from '../../../src/attributes/kubernetes/reflector.ts';
import { Store } from './store.ts';

/** What a reflector does when a server does what servers do. The real one is asked by live tests. */

interface Thing {
  readonly name: string;
  readonly version: string;
}

function sink(): Sink<Thing> & { readonly seen: Map<string, string> } {
  const seen = new Map<string, string>();
  return {
    seen,
    read: (value) => {
      const { name, resourceVersion } = (value as { metadata: { name: string; resourceVersion: string } })
        .metadata;
      return { name, version: resourceVersion };
    },
    replace: (items) => {
      seen.clear();
      for (const { name, version } of items) seen.set(name, version);
    },
    set: ({ name, version }) => void seen.set(name, version),
    delete: ({ name }) => void seen.delete(name),
  };
}

let store: Store;
let reflector: Reflector<Thing>;
afterEach(() => {
  reflector.close();
  store.stop();
});

async function follow(
  options: ReflectorOptions = {},
  names: readonly string[] = ['a', 'b', 'c'],
  padding = '',
) {
  store = new Store();
  store.padding = padding;
  for (const name of names) store.set(name);
  const into = sink();
  reflector = new Reflector(await store.start(), '/things', into, options);
  void reflector.run();
  await expect.poll(() => store.watches.size).toBe(1);
  return into.seen;
}
const agrees = (seen: ReadonlyMap<string, string>) =>
  expect
    .poll(() => Object.fromEntries(seen), { timeout: 10_000 })
    .toEqual(Object.fromEntries([...store.things].map(([name, version]) => [name, String(version)])));
const lists = () => store.asked.filter((one) => one === 'list 2').length;

describe('[K4] a reflector', () => {
  it('[K4] lists in pages, then follows from there', async () => {
    const seen = await follow({ pageSize: 2 });
    expect(store.asked).toEqual(['list 2', 'list 2', 'watch 13']);
    store.set('d');
    store.remove('a');
    await agrees(seen);
    expect(reflector.status).toMatchObject({ synced: true, lists: 1, watches: 1, error: undefined });
  });

  it('[K4] takes a watch that was cut up again where it was, without a list', async () => {
    const seen = await follow({ pageSize: 2 });
    store.set('a');
    await agrees(seen);
    store.cut();
    store.set('e');
    await agrees(seen);
    expect(store.asked.at(-1)).toBe('watch 14');
    expect(lists()).toBe(2);
  });

  it('[K4] lists again where the server no longer reaches back', async () => {
    const seen = await follow({ pageSize: 2 });
    store.oldest = 100;
    store.version = 200;
    store.cut();
    store.things.delete('b');
    store.set('f');
    await agrees(seen);
    expect(lists()).toBeGreaterThan(2);
  });

  it('[K4] notices a store that was put back to an older state', async () => {
    const seen = await follow({ pageSize: 2, probe: 20 });
    store.things.clear();
    store.things.set('a', 3);
    store.version = 5;
    await agrees(seen);
  });

  it('[K4] is as fresh as the server said it was when the watch comes that far', async () => {
    await follow({ pageSize: 2, probe: 20 });
    store.version = 40;
    const probed = async (times: number) => {
      const want = store.asked.length + times;
      await expect.poll(() => store.asked.length).toBeGreaterThanOrEqual(want);
    };
    // One may have been on its way.
    await probed(2);
    const before = reflector.status.freshAt!;
    await probed(2);
    expect(reflector.status.freshAt).toBe(before);
    store.bookmark();
    await expect.poll(() => reflector.status.freshAt).toBeGreaterThan(before);
  });

  it('[K4] a watch that does not come to where the server is counts as dead', async () => {
    const seen = await follow({ pageSize: 2, probe: 20, silence: 60 });
    // Somebody on the way keeps the connection and drops what comes over it.
    const [dead] = store.watches;
    store.watches.delete(dead!);
    store.set('g');
    await agrees(seen);
    dead?.response.destroy();
  });

  it('[K4] says why it does not go on, waits, and goes on', async () => {
    const seen = await follow({ pageSize: 2 });
    store.refuse = { status: 403, body: { message: 'things is forbidden' } };
    store.cut();
    await expect.poll(() => reflector.status.error).toBe('things is forbidden');
    expect(seen.size).toBe(3);
    store.set('h');
    await agrees(seen);
    expect(reflector.status.error).toBeUndefined();
  });

  it('[K4] lists everything now and then, whatever the watch says', async () => {
    const seen = await follow({ pageSize: 2, reconcile: 50 });
    store.things.set('missed', ++store.version);
    await new Promise((resolve) => setTimeout(resolve, 60));
    store.bookmark();
    await agrees(seen);
  });

  it('[K4] lists again where the server could not be reached: its store may be another one by now', async () => {
    const seen = await follow({ pageSize: 2 });
    store.refuse = { status: 503, body: {} };
    // Put back, and further on than it was: a watch from there on would not tell.
    store.things.delete('a');
    store.version = 50;
    store.cut();
    await agrees(seen);
    expect(lists()).toBe(3);
  });

  it('[K4] a server that has too much to do says nothing of where we are', async () => {
    const seen = await follow({ pageSize: 2 });
    store.refuse = { status: 429, body: { message: 'later' } };
    store.cut();
    await expect.poll(() => reflector.status.error).toBe('later');
    store.set('late');
    await agrees(seen);
    expect(lists()).toBe(2);
  });

  it('[K4] is not misled by a probe that events have overtaken', async () => {
    const answer = Promise.withResolvers<void>();
    const seen = await follow({ pageSize: 2, probe: 20 });
    store.late = answer.promise;
    const probes = () => store.asked.filter((one) => one === 'list 1').length;
    const before = probes();
    await expect.poll(probes).toBeGreaterThan(before);
    store.set('meanwhile');
    await agrees(seen);
    answer.resolve();
    store.late = undefined;
    await expect.poll(probes).toBeGreaterThan(before + 2);
    expect([lists(), reflector.status.watches]).toEqual([2, 1]);
  });

  it('[K4] what cannot be read is no cut: everything is listed again', async () => {
    const seen = await follow({ pageSize: 2 });
    for (const { response } of store.watches) response.write('{"type":\n');
    store.watches.clear();
    store.set('i');
    await agrees(seen);
    expect(lists()).toBe(4);
  });

  it('[K4] a server that ends watches at once is not asked without a pause', async () => {
    const seen = await follow({ pageSize: 2 });
    store.short = true;
    store.cut();
    await expect.poll(() => reflector.status.watches, { timeout: 20_000 }).toBeGreaterThan(3);
    const start = performance.now();
    const { watches } = reflector.status;
    await expect.poll(() => reflector.status.watches, { timeout: 20_000 }).toBeGreaterThan(watches + 1);
    // Waits grow: the fourth is 400 ms at the least.
    expect(performance.now() - start).toBeGreaterThan(300);
    store.short = false;
    store.set('j');
    await agrees(seen);
  });

  it('[K4] after an outage a quiet watch that is cut is taken up as soon as ever', async () => {
    await follow({ pageSize: 2 });
    // Each costs twice the wait of the one before.
    for (let times = 0; times < 5; times++) {
      store.refuse = { status: 503, body: {} };
      if (times === 0) store.cut();
      await expect.poll(() => store.refuse, { timeout: 20_000, interval: 5 }).toBeUndefined();
    }
    await expect.poll(() => store.watches.size, { timeout: 20_000 }).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const start = performance.now();
    store.cut();
    await expect.poll(() => store.watches.size, { timeout: 20_000, interval: 5 }).toBe(1);
    expect(performance.now() - start).toBeLessThan(700);
  });

  it('[K4] lists again after a pause in which the server may have been away', async () => {
    const seen = await follow({ pageSize: 2 });
    store.short = true;
    store.cut();
    // Such as the server has ended: one that has only begun would find it as it is from here on, and last.
    const watches = () => store.asked.filter((one) => one.startsWith('watch')).length;
    await expect.poll(watches, { timeout: 20_000, interval: 5 }).toBeGreaterThan(5);
    // The next wait is of 1.6 s at the least. Put back, and further on than it was.
    store.things.delete('a');
    store.version = 50;
    store.short = false;
    await agrees(seen);
    expect(lists()).toBeGreaterThan(2);
  });

  it('[K4] a page that is too large is asked for in smaller ones, down to one object', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `n${i}`);
    const options = { pageSize: 16, pageBytes: 5_000 };
    const seen = await follow(options, names, 'x'.repeat(1_000));
    await agrees(seen);
    expect(store.asked.slice(0, 4)).toEqual(['list 16', 'list 8', 'list 4', 'list 4']);
    expect(reflector.status).toMatchObject({ lists: 1, error: undefined });
    // Twice as large is tried when everything is listed again.
    store.padding = 'x'.repeat(4_000);
    store.oldest = 100;
    store.version = 200;
    store.cut();
    await expect.poll(() => reflector.status.lists).toBe(2);
    const asked = store.asked.filter((one) => one.startsWith('list'));
    expect(asked.slice(7, 11)).toEqual(['list 8', 'list 4', 'list 2', 'list 1']);
  });

  it('[K4] one object that is too large is an error', async () => {
    store = new Store();
    store.set('a');
    store.padding = 'x'.repeat(1_000);
    reflector = new Reflector(await store.start(), '/things', sink(), { pageSize: 4, pageBytes: 500 });
    void reflector.run();
    await expect
      .poll(() => reflector.status.error)
      .toBe('got an answer of more than 500 bytes from the API server');
    expect(store.asked.slice(0, 3)).toEqual(['list 4', 'list 2', 'list 1']);
  });
});
