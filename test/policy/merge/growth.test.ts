import { describe, expect, test } from 'vitest';
import { limits } from '../../../src/pdp/model/limits.ts';
import { Confs } from '../../../src/policy/merge/confs.ts';
import { mergingWorld } from '../../bench/merging/world.ts';
import { confOf, loadedValues, rulesOf, toService } from './loading.ts';

/** Work is counted, not clocked: the same on every machine, however busy. */

function work(proxies: number, policies: number, own = false) {
  const loaded = loadedValues(mergingWorld(proxies, policies, own));
  const confs = new Confs(loaded);
  for (const dataplane of loaded.inventory.dataplanes.values()) confs.of(dataplane);
  return confs.work;
}

describe('growth', () => {
  test('[MRG14] twice the proxies make no more than twice the work', () => {
    for (const own of [false, true]) {
      const [some, more] = [work(400, 400, own), work(800, 400, own)];
      expect(some.merges).toBeGreaterThan(0);
      expect(more.merges).toBeLessThanOrEqual(2.2 * some.merges);
      expect(more.compared).toBeLessThanOrEqual(2.5 * some.compared);
    }
  });

  test('[MRG14] a proxy is not compared with policies for others', () => {
    const { compared } = work(200, 2_000);
    // Two inbounds and the proxy, each with the mesh's policies, its services' and its namespace's.
    expect(compared).toBeLessThan(200 * 15);
  });

  test('[MRG14] proxies of one service share what they get', () => {
    const loaded = loadedValues(mergingWorld(40, 100));
    const confs = new Confs(loaded);
    const [first, twin] = [0, 12].map((n) => confs.of(loaded.inventory.dataplanes.get(`default/dp-${n}`)!));
    const merged = (of: typeof first) => of!.flatMap((one) => one.outbounds.map((out) => out.merged));
    expect(merged(first).some((one) => one !== undefined)).toBe(true);
    expect(merged(first).every((one, at) => one === merged(twin)[at])).toBe(true);
  });
});

describe('5,000 policies on one proxy', () => {
  const count = 5_000;
  const proxy = {
    type: 'Dataplane',
    name: 'web-1',
    networking: {
      inbound: [{ port: 80, tags: { 'kuma.io/service': 'web' } }],
      outbound: [{ port: 1, tags: { 'kuma.io/service': 'backend' } }],
    },
  };
  const name = (n: number) => `p-${String(n).padStart(4, '0')}`;
  const all = (spec: (n: number) => object, type = 'MeshTimeout') =>
    Array.from({ length: count }, (_, n) => ({ type, name: name(n), spec: spec(n) }));
  const get = (documents: readonly object[], kind = 'MeshTimeout') =>
    confOf(loadedValues([proxy, ...documents]), 'default/web-1', kind);

  test('[MRG6] about one outbound: the strongest says each field', () => {
    const conf = get(
      all((n) => ({ to: [{ targetRef: { kind: 'Mesh' }, default: { a: n, [`f${n % 10}`]: n } }] })),
    );
    const got = toService(conf, 'backend');
    expect(got?.conf).toMatchObject({ a: 0, f0: 0, f9: 9 });
    expect(got?.by).toMatchObject({ a: name(0), f9: name(9) });
    expect(conf?.policies).toHaveLength(count);
  });

  test('[MRG10] about 5,000 clients and everybody', () => {
    const from = (n: number) => [
      { targetRef: { kind: 'Mesh' }, default: { a: n } },
      { targetRef: { kind: 'MeshService', name: `s${n}` }, default: { b: n } },
    ];
    const rules = rulesOf(get(all((n) => ({ from: from(n) })))?.inbounds[0]?.conf);
    expect(rules).toHaveLength(count + 1);
    expect(rules.at(-1)).toEqual(['', { a: 0 }]);
    expect(Object.fromEntries(rules)['kuma.io/service=s77']).toEqual({ a: 0, b: 77 });
  });

  test('[MRG11] about clients that overlap in more ways than there is room for: items as they are', () => {
    const tags = (n: number) => ({ [`tag${n}`]: 'x' });
    const conf = get(
      all((n) => ({ from: [{ targetRef: { kind: 'MeshSubset', tags: tags(n) }, default: { a: n } }] })),
    )?.inbounds[0]?.conf;
    expect(conf?.as).toBe('items');
    const items = conf?.as === 'items' ? conf.items : [];
    expect(items).toHaveLength(count);
    expect(items[0]?.origin.policy).toBe(name(0));
    expect(limits.overlaps).toBe(10_000);
  });

  test('[MRG2] that all add to one list', () => {
    const conf = get(
      all((n) => ({ default: { appendModifications: [n] } }), 'MeshProxyPatch'),
      'MeshProxyPatch',
    );
    const { appendModifications } = conf!.own!.conf as { appendModifications: number[] };
    expect(appendModifications).toHaveLength(count);
    expect(appendModifications.at(-1)).toBe(0);
    expect(conf?.own?.origins).toHaveLength(count);
  });
});
