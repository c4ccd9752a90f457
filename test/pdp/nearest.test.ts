import { describe, expect, test } from 'vitest';
import { createEngine } from '../../src/pdp/engine.ts';
import { explain } from '../../src/pdp/explain-request.ts';
import type { Inventory } from '../../src/pdp/model/inventory.ts';
import { limits } from '../../src/pdp/model/limits.ts';
import { type Channel, channelOf, operatorChannel, type Request } from '../../src/pdp/model/request.ts';
import type { Rule } from '../../src/pdp/model/rule.ts';
import { empty, inboundAt, rule } from './nearest-world.ts';

const id = 'spiffe://td/ns/a/sa/b';

function asking(
  attributes: Record<string, string>,
  request: Request['request'] = {},
  inbound?: string,
): Request {
  return {
    source: { spiffeId: id, attributes },
    destination: { dataplane: 'dp', ...(inbound === undefined ? {} : { inbound }) },
    request,
  };
}

function missOf(
  rules: readonly Rule[],
  request: Request,
  inventory: Inventory = inboundAt(undefined),
  channel: Channel = operatorChannel,
) {
  const { decision, nearestMiss } = explain(rules, inventory, 's', request, channel);
  expect(decision).toEqual(createEngine(rules, inventory, 's').decide(request, channel));
  return nearestMiss;
}

const whats = (miss: ReturnType<typeof missOf>) => miss?.changes.map(({ what }) => what);

describe('the nearest allow and what it lacks', () => {
  test('[NEAR1] of two allows the one with fewer failing conditions, of equals the first', () => {
    const two = rule('two', 3, ['request request:method in POST', 'source role in writer']);
    const one = rule('one', 3, ['request request:method in POST|PUT']);
    const same = rule('same', 1, ['source role in writer']);
    const miss = missOf([two, one, same], asking({ role: 'reader' }, { method: 'GET' }));
    expect(miss).toMatchObject({ possible: true, allow: { id: 'one', failing: 1 }, needs: [], denies: [] });
    expect(miss?.changes).toEqual([
      { side: 'request', key: 'request:method', what: 'request:method must be one of POST, PUT', to: 'POST' },
    ]);
  });

  test('[NEAR1] every failing condition is said, in words', () => {
    const allow = rule('a', 3, [
      'source k8s:label:role in reader|writer',
      'source k8s:label:old notExists',
      'source env exists',
      'request request:path in /api/...',
    ]);
    const miss = missOf([allow], asking({ 'k8s:label:old': '1' }, { method: 'GET', path: '/x' }));
    expect(whats(miss)).toEqual([
      'env must be given',
      'k8s:label:old must be absent',
      'k8s:label:role must be one of reader, writer',
      'request:path must be /api[/…]',
    ]);
  });

  test('[NEAR1] what is not known must be known, as well as the allow asks', () => {
    const allow = rule('a', 3, [], {
      when: [
        {
          side: 'source',
          key: 'role',
          op: 'in',
          values: [{ match: 'exact', value: 'r' }],
          floor: 'observed',
        },
      ],
    });
    const request = { ...asking({}), source: { spiffeId: id, complete: false } };
    expect(whats(missOf([allow], request))).toEqual(['role must be r, known with trust observed or better']);
  });

  test('[NEAR1] nothing to allow', () => {
    expect(missOf([rule('d', 2, [])], asking({}))).toMatchObject({
      possible: false,
      reason: 'no rule allows anything here',
    });
  });
});

describe('what is never proposed', () => {
  test.each([
    ['spiffe:id in spiffe://td/ns/other', 'needs another identity'],
    ['spiffe:trust-domain in other', 'needs another identity'],
    ['k8s:ns in other', 'needs another identity'],
    ['k8s:sa in other', 'needs another identity'],
    ['k8s:pod in other', 'needs another identity'],
    ['kuma:mesh in other', 'needs another identity'],
    ['kuma:tag:version in v1', 'needs another identity'],
    ['site:name in eu', 'needs another site'],
    ['cl:site:region in eu', 'needs another site'],
    ['cl:fabric in acme', 'needs another site'],
  ])('[NEAR3] %s', (condition, what) => {
    const miss = missOf(
      [rule('a', 3, [`source ${condition}`, 'request request:method in POST'])],
      asking({}),
    );
    expect(miss).toMatchObject({ possible: false, reason: what });
    expect(miss?.needs).toEqual([{ side: 'source', key: condition.split(' ')[0], what }]);
    expect(whats(miss)).toEqual(['request:method must be POST']);
  });

  test('[NEAR3] better trust', () => {
    const allow = rule('a', 3, ['source role in r']);
    const miss = missOf([allow], asking({ role: 'r' }), inboundAt(undefined), channelOf('decide'));
    expect(miss).toMatchObject({ possible: false, reason: 'needs a better trusted value', changes: [] });
  });

  test('[NEAR3] another identity to get past a deny', () => {
    const rules = [
      rule('d', 2, [`source spiffe:id in ${id}`]),
      rule('a', 3, ['request request:method in POST']),
    ];
    expect(missOf(rules, asking({}))).toMatchObject({
      possible: false,
      reason: 'needs another identity to get past d',
      denies: [{ id: 'd', what: 'needs another identity' }],
    });
  });
});

describe('denies that would still match', () => {
  test('[NEAR2] each with the change that makes it give way', () => {
    const rules = [
      rule('d', 2, ['source role in reader', 'request request:path in /admin*']),
      rule('a', 3, ['request request:method in POST']),
    ];
    const miss = missOf(rules, asking({ role: 'reader' }, { method: 'GET', path: '/admin' }));
    expect(miss?.possible).toBe(true);
    expect(whats(miss)).toEqual(['role must not be reader', 'request:method must be POST']);
    expect(miss?.denies).toMatchObject([{ id: 'd', what: 'role must not be reader' }]);
  });

  test('[NEAR2] one change for two denies goes before two', () => {
    const rules = [
      rule('d1', 2, ['source a in 1', 'source c in 1']),
      rule('d2', 2, ['source b in 1', 'source c in 1']),
      rule('allow', 3, []),
    ];
    expect(whats(missOf(rules, asking({ a: '1', b: '1', c: '1' })))).toEqual(['c must not be 1']);
  });

  test('[NEAR4] a deny that forbids what the allow needs', () => {
    const rules = [
      rule('d', 2, ['request request:method in POST']),
      rule('a', 3, ['request request:method in POST']),
    ];
    expect(missOf(rules, asking({}, { method: 'GET' }))).toMatchObject({
      possible: false,
      reason: 'd forbids what a needs',
    });
  });

  test('[NEAR2] a stronger item of the same list is one of them', () => {
    const rules = [
      rule('a', 3, ['source role in r'], { list: { id: 'l', strength: 1 } }),
      rule('d', 4, ['source env in prod'], { list: { id: 'l', strength: 2 } }),
    ];
    const miss = missOf(rules, asking({ role: 'r', env: 'prod' }));
    expect(miss).toMatchObject({ possible: true, denies: [{ id: 'd' }] });
    expect(whats(miss)).toEqual(['env must not be prod']);
  });

  test('[NEAR2] past the limit they are taken one by one, and it says so', () => {
    const deny = (n: number) => rule(`d${n}`, 2, [`source k${n} in 1`]);
    const withDenies = (count: number) => {
      const attributes = Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, '1']));
      const rules = [...Array.from({ length: count }, (_, n) => deny(n)), rule('a', 3, [])];
      return missOf(rules, asking(attributes));
    };
    const exact = withDenies(limits.exactDenies);
    expect(exact).toMatchObject({ possible: true });
    expect(exact?.approximate).toBeUndefined();
    expect(exact?.changes).toHaveLength(limits.exactDenies);
    const more = withDenies(limits.exactDenies + 1);
    expect(more).toMatchObject({ possible: true, approximate: true });
    expect(more?.changes).toHaveLength(limits.exactDenies + 1);
  });
});

describe('destinations', () => {
  const onSecond = rule('a', 3, ['destination kuma:section in in1']);

  test('[NEAR1] the inbound is named where that is enough', () => {
    const miss = missOf([onSecond], asking({}), inboundAt(undefined, undefined));
    expect(miss).toMatchObject({ possible: true });
    expect(miss?.changes).toEqual([
      { side: 'destination', key: 'kuma:section', what: 'the inbound must be named: in1', to: 'in1' },
    ]);
  });

  test('[NEAR1] one that shows layer 7 asks for method and path', () => {
    const miss = missOf([onSecond], asking({}, { method: 'GET' }), inboundAt('tcp', 'http'));
    expect(whats(miss)).toEqual(['the inbound must be named: in1', 'request:path must be given']);
  });

  test('[NEAR1] an allow for another destination is none', () => {
    expect(missOf([onSecond], asking({}, {}, 'in0'), inboundAt(undefined, undefined))).toMatchObject({
      possible: false,
      reason: 'no rule allows anything here',
    });
  });

  test('[NEAR1] the namespace is named where it is not known', () => {
    const origin = { ...rule('a', 3, []).origin, kind: 'AccessPolicy' };
    const allow = rule('a', 3, ['destination placet:namespace in shop'], { origin });
    const request: Request = { source: { spiffeId: id }, destination: { attributes: {} } };
    const miss = missOf([allow], request, empty);
    expect(whats(miss)).toEqual(['placet:namespace must be shop']);
  });
});

describe('guards say what is missing', () => {
  const allow = rule('a', 3, ['request request:path in /a']);
  const cases: [string, Request, Inventory, string][] = [
    [
      'unknown-destination',
      { destination: { dataplane: 'no' } },
      empty,
      'the inventory has no such dataplane or inbound',
    ],
    [
      'unidentified',
      { destination: { dataplane: 'dp' } },
      inboundAt('tcp'),
      'at an inbound the client must show an identity',
    ],
    [
      'incomplete-request',
      asking({}),
      inboundAt('http'),
      'the inbound speaks http, so method and path must be given',
    ],
    [
      'conflict',
      asking({ 'spiffe:id': 'x' }),
      inboundAt('tcp'),
      'the SPIFFE ID says otherwise than what is stated: spiffe:id',
    ],
  ];
  test.each(cases)('[EXP3] %s', (reason, request, inventory, words) => {
    const { decision, nearestMiss, rules } = explain([allow], inventory, 's', request, operatorChannel);
    expect(decision.reason).toBe(reason);
    expect(rules).toEqual([]);
    expect(nearestMiss).toMatchObject({ possible: false, reason: words });
  });

  test('[EXP3] invalid-source and ambiguous-path say what is wrong', () => {
    const request = { source: { spiffeId: 'spiffe://TD' }, destination: { dataplane: 'dp' } };
    expect(missOf([allow], request)?.reason).toContain('the SPIFFE ID is not one: ');
    expect(missOf([allow], asking({}, { method: 'GET', path: '/a%2f' }))?.reason).toBe(
      'the path must be one that can be read in one way only: encoded slash %2f at offset 2',
    );
  });
});
