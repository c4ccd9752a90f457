import { describe, expect, test } from 'vitest';
import { outcomes, type World } from './advice.ts';
import { type Dice, id, inventory, outright } from './small.ts';

/** Words that one condition may be about: what begins alike, what is below, what no rule writes. */
const stems: Readonly<Record<string, readonly string[]>> = {
  path: ['/', '/a', '/a/b', '/a/b/c', '/ab', '/o'],
  label: ['1', '12', '123', '1/2', '1/2/3', 'o', 'ot'],
  method: ['GET', 'GETS', 'PUT'],
};
const stemsOf = (key: string) =>
  stems[key === 'request:path' ? 'path' : key === 'request:method' ? 'method' : 'label'] as string[];

function written(dice: Dice, key: string): string {
  const op = dice.one(['in', 'in', 'in', 'notIn', 'exists']);
  const name = key.startsWith('request:') || key.startsWith('to.') ? key : key.replace('k8s:label:', '');
  if (op === 'exists') return `${name} exists`;
  const ends = key === 'request:method' ? ['', ''] : ['', '', '*', '/**'];
  const values = Array.from({ length: 1 + dice.below(2) }, () => {
    const stem = dice.one(stemsOf(key));
    const end = dice.one(ends);
    return end === '/**' && stem.endsWith('/') ? '/a/**' : stem + end;
  });
  return `${name} ${op} ${values.join(' ')}`;
}

const keys = ['k8s:label:a', 'k8s:label:b', 'request:path', 'request:method'];

/** All of the request, and nothing of an inventory. */
function plain(dice: Dice): World {
  const attributes: Record<string, string> = {};
  for (const key of ['k8s:label:a', 'k8s:label:b'])
    if (dice.below(2) === 0) attributes[key] = dice.one(stemsOf(key));
  const request = { method: dice.one(['GET', 'PUT']), path: dice.one(stemsOf('request:path')) };
  return {
    inventory: {},
    request: { source: { attributes, complete: true }, destination: outright, request },
    free: keys.map((key) => ({ side: key.startsWith('request:') ? 'request' : 'source', key })),
    condition: (more) => written(more, more.one(keys)),
  };
}

/** Who is in `dev`, or nowhere, may not set what only `sec` may. */
function ruled(dice: Dice): World {
  const world = plain(dice);
  const where = dice.one(['sec', 'dev', undefined]);
  const attributes = {
    ...world.request.source?.attributes,
    ...(where === undefined ? {} : { 'k8s:ns': where }),
  };
  const attributeRules = [
    { keys: [dice.one(['k8s:label:a', 'k8s:label:*'])], from: [{ site: [], namespaces: ['sec'] }] },
  ];
  return {
    ...world,
    inventory: { site: { ...inventory().site, attributeRules } },
    request: { ...world.request, source: { attributes, complete: dice.below(4) > 0 } },
  };
}

const placed: Readonly<Record<string, readonly string[]>> = {
  'to.kuma:route': ['admin', 'shop/admin', 'blog/admin', 'pay', 'shop/pay'],
  'to.kuma:section': ['http', 'more', '81'],
  'to.k8s:ns': ['shop', 'blog'],
  'to.placet:namespace': ['shop', 'blog'],
};

/** A proxy of which the request says only a part. */
function proxied(dice: Dice): World {
  const labels = new Map(dice.below(2) === 0 ? [['k8s.kuma.io/namespace', 'shop']] : []);
  const inbounds = [
    { name: 'http', port: 80, tags: new Map() },
    { name: 'more', port: 81, tags: new Map() },
  ].slice(dice.below(2));
  const { request } = plain(dice).request;
  const route = dice.one([undefined, undefined, 'admin', 'shop/admin', 'pay']);
  const destination = { dataplane: 'b', ...(route === undefined ? {} : { route }) };
  const free: World['free'] = [
    { side: 'request', key: 'request:method' },
    { side: 'destination', key: 'kuma:route' },
  ];
  return {
    inventory: {
      dataplanes: new Map([['default/b', { mesh: 'default', name: 'b', labels, inbounds }]]),
      meshes: new Map([
        ['default', { name: 'default', certificates: 'spiffe', accessPolicies: 'full', trustDomains: [] }],
      ]),
    },
    request: { source: { spiffeId: id }, destination, request: request ?? {} },
    free: route === undefined ? free : free.slice(0, 1),
    condition: (more) => {
      const key = more.one([...Object.keys(placed), 'to.kuma:route', 'request:method']);
      const values = placed[key];
      if (values === undefined) return written(more, key);
      return `${key} in ${more.one(values)}`;
    },
  };
}

/** Nothing of who asks. */
function unidentified(dice: Dice): World {
  const world = plain(dice);
  return { ...world, request: { ...world.request, source: dice.below(3) === 0 ? { complete: false } : {} } };
}

describe('what a nearest miss advises makes the request allowed', () => {
  test('[NEAR2] [NEAR4] whatever is chosen where it says "anything"', () => {
    const counts = outcomes(500, plain, [0, 2, 2, 3, 3]);
    expect(counts['open']).toBeGreaterThan(100);
    expect(counts['impossible']).toBeGreaterThan(50);
  });

  test('[NEAR2] also with privileged allows and ordered lists', () => {
    const counts = outcomes(500, plain, [0, 1, 2, 2, 3, 3, 4]);
    expect(counts['open']).toBeGreaterThan(100);
  });

  test('[NEAR3] [SRC8] where it needs no trust, values are believed from where they are', () => {
    const counts = outcomes(500, ruled, [0, 2, 2, 3, 3]);
    expect(counts['open']).toBeGreaterThan(50);
    expect(counts['trusted']).toBeGreaterThan(50);
  });

  test('[NEAR2] [SRC1] from somebody of whom nothing is known', () => {
    const counts = outcomes(500, unidentified, [0, 2, 2, 3, 3]);
    expect(counts['open']).toBeGreaterThan(50);
  });

  test('[NEAR3] [DST4] [DST5] [DST8] of a destination, what is not given and can be', () => {
    const counts = outcomes(700, proxied, [0, 2, 3, 3, 3]);
    expect(counts['open']).toBeGreaterThan(20);
    expect(counts['closed']).toBeGreaterThan(50);
  });
});
