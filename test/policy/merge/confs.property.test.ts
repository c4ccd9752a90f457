import { expect, test } from 'vitest';
import type { Loaded } from '../../../src/policy/load.ts';
import { includes } from '../../../src/policy/merge/clients.ts';
import { Confs, type KindConf } from '../../../src/policy/merge/confs.ts';
import { explicit } from '../../../src/policy/targets/explicit.ts';
import { byStrength } from '../../../src/policy/targets/order.ts';
import { selectsInbound, selectsProxy } from '../../../src/policy/targets/select.ts';
import { matchesTags } from '../../../src/policy/targets/tags.ts';
import type { TargetRef } from '../../../src/policy/targets/target-ref.ts';
import type { Item, Targeted } from '../../../src/policy/targets/targeted.ts';
import { Random } from '../../oracle/random.ts';
import { loadedValues } from './loading.ts';
import { slowMerge } from './twin.ts';
import { randomDocuments } from './worlds.ts';

const none: ReadonlySet<string> = new Set();
type Tags = ReadonlyMap<string, readonly string[]>;

/** All items of policies that hold, the strongest first, as the papers say it. */
function concatenated(
  loaded: Loaded,
  direction: 'to' | 'from',
  holds: (policy: Targeted) => boolean,
): readonly Item[] {
  const strongestFirst = loaded.targeted
    .map((one) => explicit(one))
    .sort(byStrength(loaded.nameOrder))
    .reverse();
  return strongestFirst.filter(holds).flatMap((policy) => {
    const items = policy[direction] ?? [];
    return policy.form === 'first-wins' ? items : [...items].reverse();
  });
}

function isAbout(ref: TargetRef, tags: Tags): boolean {
  const named = ref.name === undefined || tags.get('kuma.io/service')?.includes(ref.name) === true;
  return named && matchesTags(ref.tags, tags);
}

function slowly(items: readonly Item[], tags: Tags): unknown {
  const confs = items.filter(({ targetRef }) => isAbout(targetRef, tags)).map(({ conf }) => conf);
  return confs.length === 0 ? undefined : slowMerge(confs, none);
}

function json(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(json).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  const fields = value as Record<string, unknown>;
  return `{${Object.keys(fields)
    .sort()
    .map((key) => `${key}:${json(fields[key])}`)
    .join()}}`;
}

test('[MRG6] [MRG7] [MRG8] [MRG10] random policies: each outbound, and each client of each inbound, as the twin has it', () => {
  let compared = 0;
  for (let seed = 1; seed <= 300; seed++) {
    const random = new Random(seed);
    const loaded = loadedValues(randomDocuments(random));
    const confs = new Confs(loaded);
    for (const dataplane of loaded.inventory.dataplanes.values()) {
      const got = confs.of(dataplane, 'MeshTimeout')[0];
      const to = concatenated(loaded, 'to', ({ targetRef, head }) =>
        selectsProxy(targetRef!, head.mesh, dataplane),
      );
      for (const [index, outbound] of dataplane.outbounds!.entries()) {
        const want = slowly(to, outbound.tags);
        expect(json(got?.outbounds[index]?.merged?.conf), `seed ${seed}`).toBe(json(want));
        compared++;
      }
      for (const [index, inbound] of dataplane.inbounds.entries()) {
        const from = concatenated(loaded, 'from', ({ targetRef, head }) =>
          selectsInbound(targetRef!, head.mesh, dataplane, inbound),
        );
        const conf = got?.inbounds[index]?.conf;
        for (let n = 0; n < 6; n++) {
          const one = (tag: string, values: readonly string[]): [string, string[]][] =>
            random.chance(0.8) ? [[tag, [random.pick(values)]]] : [];
          const tags = new Map([
            ...one('kuma.io/service', ['web', 'api', 'other']),
            ...one('version', ['v1', 'v2', 'v3']),
            ...one('kuma.io/zone', ['v1', 'v3']),
          ]);
          const rules = conf?.as === 'rules' ? conf.rules : [];
          const rule = rules.find(({ clients }) => includes(clients, { mesh: 'default', tags }));
          expect(json(rule?.conf), `seed ${seed}`).toBe(json(slowly(from, tags)));
          compared++;
        }
      }
    }
  }
  expect(compared).toBeGreaterThan(5_000);
});

/** All that a set comes to, without the numbers of documents. */
function everything(loaded: Loaded): string {
  const confs = new Confs(loaded);
  const proxies = [...loaded.inventory.dataplanes.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const plain = (conf: KindConf) => ({ ...conf, policies: conf.policies.map(({ head }) => head.name) });
  return JSON.stringify(
    proxies.map((one) => confs.of(one).map(plain)),
    (key, value) => {
      if (key === 'document' || key === 'path' || key === 'confPath') return undefined;
      return value instanceof Map ? [...value] : value;
    },
  );
}

test('[MRG6] shuffling documents changes nothing', () => {
  for (let seed = 1; seed <= 150; seed++) {
    const random = new Random(seed);
    const documents = randomDocuments(random);
    const before = everything(loadedValues(documents));
    expect(everything(loadedValues(random.shuffled(documents))), `seed ${seed}`).toBe(before);
  }
});

test('[MRG6] a policy that selects nothing, and one without items, change nothing', () => {
  const nobody = (targetRef: object) => ({
    type: 'MeshTimeout',
    name: `nobody-${JSON.stringify(targetRef).length}`,
    spec: { targetRef, to: [{ targetRef: { kind: 'Mesh' }, default: { a: 'no' } }] },
  });
  const other = { ...nobody({ kind: 'Mesh' }), mesh: 'elsewhere' };
  for (let seed = 1; seed <= 100; seed++) {
    const documents = randomDocuments(new Random(seed));
    const before = everything(loadedValues(documents));
    const more = [
      nobody({ kind: 'MeshService', name: 'nobody' }),
      nobody({ kind: 'Dataplane', name: 'nobody-1' }),
      nobody({ kind: 'MeshSubset', tags: { version: 'v9' } }),
      nobody({ kind: 'MeshHTTPRoute', name: 'no-such-route' }),
      other,
    ];
    expect(everything(loadedValues([...documents, ...more])), `seed ${seed}`).toBe(before);
  }
});
