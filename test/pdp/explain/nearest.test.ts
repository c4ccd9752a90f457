import { describe, expect, test } from 'vitest';
import type { Workload } from '../../../src/pdp/model/inventory.ts';
import { channelOf, type Request } from '../../../src/pdp/model/request.ts';
import type { Rule } from '../../../src/pdp/model/rule.ts';
import { ask, condition, inventory, outright, rule } from './small.ts';

const id = 'spiffe://td/ns/shop/sa/web';

function from(attributes: Record<string, string>, request: Request['request'] = {}): Request {
  return { source: { spiffeId: id, attributes }, destination: outright, request };
}

function words(rules: readonly Rule[], request: Request, more = {}): readonly string[] | undefined {
  return ask(rules, request, more).nearestMiss?.words;
}

test('[NEAR1] the allow with the fewest failing conditions, the first of equals', () => {
  const rules = [
    rule(3, ['role in writer', 'tier in db'], { policy: 'far' }),
    rule(3, ['role in writer'], { policy: 'near' }),
    rule(3, ['tier in db'], { policy: 'as-near' }),
  ];
  const miss = ask(rules, from({ 'k8s:label:role': 'reader' })).nearestMiss;
  expect(miss).toMatchObject({ allow: { id: 'near', failing: 1 }, possible: true, denies: [] });
  expect(miss?.words).toEqual(['k8s:label:role becomes writer']);
});

test('[NEAR1] no allow that could apply, no nearest miss', () => {
  expect(ask([rule(2, [])], from({})).nearestMiss).toBeUndefined();
  expect(ask([rule(3, ['to.tier in db'])], from({})).nearestMiss).toBeUndefined();
});

test('[NEAR1] an allowed request has none', () => {
  expect(ask([rule(3, [])], from({})).nearestMiss).toBeUndefined();
});

describe('what would have to be otherwise', () => {
  test.each<[string, string[], Record<string, string>, string[]]>([
    [
      '[NEAR1] a value',
      ['role in writer owner'],
      { 'k8s:label:role': 'reader' },
      ['k8s:label:role becomes writer'],
    ],
    ['[NEAR1] one that is not there', ['role in writer'], {}, ['k8s:label:role is set to writer']],
    ['[NEAR1] anything', ['role exists'], {}, ['k8s:label:role is set to anything']],
    ['[NEAR1] nothing', ['role notExists'], { 'k8s:label:role': 'x' }, ['k8s:label:role is left out']],
    [
      '[NEAR1] anything else',
      ['role notIn x', 'role exists'],
      { 'k8s:label:role': 'x' },
      ['k8s:label:role becomes anything but x'],
    ],
    [
      '[NEAR1] a prefix',
      ['role in w*'],
      { 'k8s:label:role': 'x' },
      ['k8s:label:role becomes anything that starts with w'],
    ],
    [
      '[NEAR1] a branch',
      ['role in a/b/**'],
      { 'k8s:label:role': 'a/bc' },
      ['k8s:label:role becomes anything at or below a/b'],
    ],
    ['[NEAR1] two of one key', ['role in a b', 'role notIn a'], {}, ['k8s:label:role is set to b']],
    ['[NEAR3] another identity', ['spiffe:id in spiffe://td/x'], {}, ['needs another identity (spiffe:id)']],
    [
      '[NEAR3] another namespace',
      ['k8s:ns in writers'],
      { 'k8s:ns': 'readers' },
      ['needs another identity (k8s:ns)'],
    ],
    [
      '[NEAR3] another mesh, where it is not known',
      ['kuma:mesh in a'],
      {},
      ['needs another identity (kuma:mesh is not known)'],
    ],
    ['[NEAR3] another tag', ['kuma:tag:version in v1'], {}, ['needs another identity (kuma:tag:version)']],
    [
      '[NEAR3] another site',
      ['site:name in eu-1'],
      { 'site:name': 'us-1' },
      ['needs another site (site:name)'],
    ],
    ['[NEAR3] another site', ['cl:fabric in acme'], {}, ['needs another site (cl:fabric)']],
  ])('%s: %j', (_, when, attributes, wanted) => {
    const miss = ask([rule(3, when)], from(attributes)).nearestMiss;
    expect(miss?.words).toEqual(wanted);
    expect(miss?.possible).toBe(true);
    if (wanted[0]?.startsWith('needs')) expect(miss?.allow.steps[0]).not.toHaveProperty('to');
  });

  test('[NEAR1] of the request itself', () => {
    const rules = [rule(3, ['request:method in POST', 'request:path in /metrics/**', 'request:sni in a.b'])];
    expect(words(rules, from({}, { method: 'GET', path: '/' }))).toEqual([
      'request:method becomes POST',
      'request:path becomes anything at or below /metrics',
      'request:sni is set to a.b',
    ]);
    expect(words([rule(3, ['request:method in POST'])], from({}))).toEqual([
      'request:method is known to be POST',
    ]);
  });

  test('[NEAR3] more trust, never as a change', () => {
    const floored: Rule = { ...rule(3, []), when: [{ ...condition('role in writer'), floor: 'observed' }] };
    const asserted = (role: string): Request => ({
      source: { attributes: { 'k8s:label:role': { value: role, trust: 'reported' } } },
      destination: outright,
    });
    expect(words([floored], asserted('writer'))).toEqual([
      'needs trust: k8s:label:role known as observed at least, not as reported',
    ]);
    const miss = ask([floored], asserted('reader')).nearestMiss;
    expect(miss?.words).toEqual([
      'needs trust: k8s:label:role becomes writer, known as observed at least, not as reported',
    ]);
    expect(miss?.allow.steps[0]).toMatchObject({ need: 'trust', trust: 'observed' });
  });

  describe('[NEAR3] [SRC8] where only some namespaces may set it', () => {
    const attributeRules = [{ keys: ['k8s:label:team'], from: [{ site: [], namespaces: ['sec'] }] }];
    const ruled = { site: { ...inventory().site, attributeRules } };
    const needed = 'needs trust: k8s:label:team is not believed from this namespace';
    test.each<[string, Record<string, string>, string]>([
      ['one that has another value', { 'k8s:ns': 'dev', 'k8s:label:team': 'red' }, needed],
      ['one that has it already', { 'k8s:ns': 'dev', 'k8s:label:team': 'blue' }, needed],
      ['one that has none', { 'k8s:ns': 'dev' }, needed],
      ['one of a namespace that is not known', { 'k8s:label:app': 'web' }, needed],
      ['one of such a namespace', { 'k8s:ns': 'sec' }, 'k8s:label:team is set to blue'],
    ])('%s', (_, attributes, wanted) => {
      const request: Request = { source: { attributes }, destination: outright };
      const miss = ask([rule(3, ['team in blue'])], request, ruled).nearestMiss;
      expect(miss?.words).toEqual([wanted]);
    });

    test('what is not there is believed from everywhere', () => {
      const request: Request = {
        source: { attributes: { 'k8s:ns': 'dev', 'k8s:label:team': 'red' } },
        destination: outright,
      };
      const rules = [rule(2, ['team in evil']), rule(3, [])];
      expect(ask(rules, request, ruled).nearestMiss?.words).toEqual(['k8s:label:team is known to be absent']);
    });

    test('a value counts no more than what says where it is from', () => {
      const floored: Rule = { ...rule(3, []), when: [{ ...condition('team in blue'), floor: 'observed' }] };
      const request: Request = {
        source: { attributes: { 'k8s:ns': { value: 'sec', trust: 'reported' } } },
        destination: outright,
      };
      expect(ask([floored], request, ruled).nearestMiss?.words).toEqual([
        'needs trust: k8s:label:team is set to blue, known as observed at least, not as reported',
      ]);
    });
  });

  test('[NEAR3] what a caller would state anew has the trust of the caller', () => {
    const miss = ask([rule(3, ['role in writer'])], from({}), {}, channelOf('decide')).nearestMiss;
    expect(miss?.allow.steps[0]?.need).toBe('trust');
  });

  test('[NEAR1] a label that workloads with one identity differ on', () => {
    const workload = (name: string, role: string): Workload => {
      return { namespace: 'shop', name, spiffeId: id, attributes: new Map([['k8s:label:role', role]]) };
    };
    const workloads = [workload('web-1', 'writer'), workload('web-2', 'reader')];
    const request: Request = { source: { spiffeId: id }, destination: outright };
    expect(words([rule(3, ['role in writer'])], request, { workloads })).toEqual([
      'k8s:label:role is known to be writer; shop/web-1, shop/web-2 share the SPIFFE ID and differ',
    ]);
  });

  test('[NEAR3] the namespace of the destination, where it is not given', () => {
    const rules = [rule(3, ['to.placet:namespace in shop'])];
    expect(words(rules, from({}))).toEqual(['destination.namespace is known to be shop']);
  });
});

describe('denies that would still match', () => {
  test('[NEAR2] each with its cheapest change', () => {
    const rules = [
      rule(2, ['app in web', 'k8s:ns in shop'], { policy: 'no-web' }),
      rule(2, ['request:method in POST', 'zone notIn eu'], { policy: 'no-writes-from-elsewhere' }),
      rule(3, ['role in writer', 'request:method in POST'], { policy: 'writers' }),
    ];
    const request = from({ 'k8s:label:app': 'web', 'k8s:ns': 'shop' }, { method: 'GET' });
    const miss = ask(rules, request).nearestMiss;
    expect(miss?.allow).toMatchObject({ id: 'writers', failing: 2 });
    expect(miss?.denies.map((deny) => [deny.id, ...deny.steps.map((step) => step.words)])).toEqual([
      ['no-web', 'k8s:label:app becomes anything but web'],
      ['no-writes-from-elsewhere', 'k8s:label:zone is set to eu'],
    ]);
    expect(miss).not.toHaveProperty('approximate');
  });

  test('[NEAR2] one change can do for several, and values of the allow are chosen to meet none', () => {
    const rules = [
      rule(2, ['request:method in PUT', 'a in 1']),
      rule(2, ['b in 1', 'a in 1']),
      rule(2, ['c in 1', 'a in 1']),
      rule(3, ['request:method in PUT POST']),
    ];
    const request = from({ 'k8s:label:a': '1', 'k8s:label:b': '1', 'k8s:label:c': '1' }, { method: 'GET' });
    expect(words(rules, request)).toEqual([
      'request:method becomes PUT',
      'k8s:label:a becomes anything but 1',
    ]);
  });

  test('[NEAR3] a need is taken only where no change would do', () => {
    const rules = [
      rule(2, ['k8s:ns in shop', 'a in 1', 'b in 1']),
      rule(2, ['k8s:ns in shop', 'a in 1', 'c in 1']),
      rule(3, []),
    ];
    const attributes = { 'k8s:ns': 'shop', 'k8s:label:a': '1', 'k8s:label:b': '1', 'k8s:label:c': '1' };
    expect(words(rules, from(attributes))).toEqual(['k8s:label:a becomes anything but 1']);
    expect(words([rule(2, ['k8s:ns in shop']), rule(3, [])], from(attributes))).toEqual([
      'needs another identity (k8s:ns)',
    ]);
  });

  test('[NEAR2] of an ordered list, the stronger items', () => {
    const item = (strength: number) => ({ list: { id: 'l', strength } });
    const rules = [
      rule(3, ['a in 1'], { policy: 'weak', ...item(0) }),
      rule(4, ['b in 1'], { policy: 'strong', ...item(1) }),
    ];
    const miss = ask(rules, from({ 'k8s:label:a': '1', 'k8s:label:b': '1' })).nearestMiss;
    expect(miss?.denies).toMatchObject([{ id: 'strong', steps: [{ key: 'k8s:label:b' }] }]);
  });

  test('[NEAR4] what the allow needs is what a deny forbids', () => {
    const rules = [
      rule(2, ['request:method in POST'], { policy: 'no-writes' }),
      rule(2, ['a in 1'], { policy: 'other' }),
      rule(3, ['request:method in POST'], { policy: 'writes' }),
    ];
    const miss = ask(rules, from({ 'k8s:label:a': '1' }, { method: 'GET' })).nearestMiss;
    expect(miss).toMatchObject({ possible: false, denies: [{ id: 'no-writes', steps: [] }] });
    expect(miss?.words).toEqual([
      'cannot be had: deny 0 of no-writes denies whatever allow 0 of writes would allow here',
    ]);
  });

  test('[NEAR4] a deny for everybody', () => {
    const miss = ask([rule(2, [], { policy: 'all' }), rule(3, [])], from({})).nearestMiss;
    expect(miss).toMatchObject({ possible: false, denies: [{ id: 'all' }] });
  });

  test('[NEAR4] an allow that nothing makes match', () => {
    const miss = ask([rule(3, ['a in 1', 'a in 2'])], from({})).nearestMiss;
    expect(miss).toMatchObject({ possible: false, denies: [] });
  });

  test.each([
    [12, false],
    [13, true],
  ])('[NEAR2] %i denies: approximate is %s', (count, approximate) => {
    const denies = Array.from({ length: count }, (_, i) => rule(2, [`l${i} in 1`, `m${i} in 1`]));
    const attributes: Record<string, string> = {};
    for (let i = 0; i < count; i++) {
      attributes[`k8s:label:l${i}`] = '1';
      attributes[`k8s:label:m${i}`] = '1';
    }
    const miss = ask([...denies, rule(3, [])], from(attributes)).nearestMiss;
    expect(miss?.possible).toBe(true);
    expect(miss?.denies).toHaveLength(count);
    expect(miss?.approximate ?? false).toBe(approximate);
  });

  test('[NEAR2] thousands of denies by identity end soon', () => {
    const denies = Array.from({ length: 5000 }, (_, i) => rule(2, [`spiffe:id in spiffe://td/${i}`]));
    const request: Request = {
      source: { attributes: { 'k8s:label:a': '1' }, complete: false },
      destination: outright,
    };
    const miss = ask([...denies, rule(3, ['a in 1'])], request).nearestMiss;
    expect(miss?.words).toEqual(['needs another identity (spiffe:id is not known)']);
  });
});
