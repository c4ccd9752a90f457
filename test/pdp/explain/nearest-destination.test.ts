import { describe, expect, test } from 'vitest';
import { createEngine } from '../../../src/pdp/engine.ts';
import type { Dataplane, Mesh } from '../../../src/pdp/model/inventory.ts';
import { channelOf, type Request } from '../../../src/pdp/model/request.ts';
import { ask, id, inventory, rule } from './small.ts';

/** What a nearest miss says of the destination. */

const mesh: Mesh = { name: 'default', certificates: 'spiffe', accessPolicies: 'full', trustDomains: [] };
const dataplane = (inbounds: Dataplane['inbounds']): Dataplane => {
  return { mesh: 'default', name: 'b', labels: new Map(), inbounds };
};
const at = (...inbounds: Dataplane['inbounds']) => ({
  dataplanes: new Map([['default/b', dataplane(inbounds)]]),
  meshes: new Map([['default', mesh]]),
});

describe('at an inbound that is not named', () => {
  const inbound = (name: string, port: number, protocol?: 'http' | 'tcp') => ({
    name,
    port,
    tags: new Map(),
    ...(protocol === undefined ? {} : { protocol }),
  });
  const request: Request = { source: { spiffeId: id }, destination: { dataplane: 'b' } };

  test('[NEAR3] [DST5] it can be named', () => {
    const rules = [rule(3, ['to.kuma:section in admin'])];
    const miss = ask(rules, request, at(inbound('http', 80), inbound('admin', 81))).nearestMiss;
    expect(miss).toMatchObject({ possible: true, words: ['destination.inbound is given as admin'] });
  });

  test('[NEAR3] [DST5] a deny for another inbound falls with it', () => {
    const rules = [rule(2, ['to.kuma:section in admin']), rule(3, [])];
    const miss = ask(rules, request, at(inbound('http', 80), inbound('admin', 81))).nearestMiss;
    expect(miss).toMatchObject({ possible: true, words: ['destination.inbound is given as http'] });
  });

  test('[DST6] one that speaks http wants method and path, or that another is meant', () => {
    const rules = [rule(3, ['to.kuma:section in admin'])];
    const found = ask(rules, request, at(inbound('http', 80), inbound('admin', 81, 'http')));
    expect([found.decision.reason, found.nearestMiss]).toEqual(['incomplete-request', undefined]);
    expect(found.guard).toMatchObject({
      message: 'an inbound that may be meant speaks http, and the request has no method and no path',
      hint: 'say which inbound is meant, or give request.method and request.path',
    });
  });

  test('[NEAR4] [DST6] one declared tcp shows no method, whatever the request says', () => {
    const rules = [rule(3, ['request:method in GET'])];
    const get: Request = { ...request, request: { method: 'GET' } };
    expect(ask(rules, get, at(inbound('db', 80, 'tcp'))).nearestMiss).toMatchObject({
      possible: false,
      denies: [],
    });
  });
});

describe('[NEAR2] [NEAR3] [DST8] the route of an inbound', () => {
  const only = at({ name: 'http', port: 80, tags: new Map() });
  const to = (route?: string): Request => ({
    source: { spiffeId: id },
    destination: { dataplane: 'b', ...(route === undefined ? {} : { route }) },
  });
  const any = 'to.kuma:route in admin';
  const shop = 'to.kuma:route in shop/admin';
  const cannot = 'cannot be had: deny 0 of no denies whatever allow 0 of yes would allow here';

  test.each<[string, string[], string[] | undefined, string | undefined, string | undefined, string[]]>([
    ['a deny in every namespace reaches each', [shop], [any], undefined, cannot, []],
    [
      'it can be given',
      [shop],
      undefined,
      undefined,
      'destination.route is known to be shop/admin',
      ['shop/admin'],
    ],
    [
      'its namespace can be given',
      [shop],
      undefined,
      'admin',
      'destination.route is known to be shop/admin',
      ['shop/admin'],
    ],
    ['without one', [any], undefined, undefined, 'destination.route is known to be admin', ['admin']],
    [
      'a deny in one namespace leaves the others',
      [any],
      [shop],
      undefined,
      'destination.route is known to be admin in any namespace but shop/admin',
      ['blog/admin'],
    ],
    [
      'also where only the namespace is missing',
      [any],
      [shop],
      'admin',
      'destination.route is known to be admin in any namespace but shop/admin',
      ['blog/admin'],
    ],
    [
      'a deny by name leaves other names',
      [],
      [any],
      undefined,
      'destination.route is known to be anything but admin',
      ['pay', 'shop/pay'],
    ],
    [
      'a deny by both leaves other names and namespaces',
      [],
      [shop],
      undefined,
      'destination.route is known to be anything but shop/admin',
      ['blog/admin', 'pay'],
    ],
    ['one that is given is not for changing', [shop], undefined, 'blog/admin', undefined, []],
  ])('%s: allow %j, deny %j, %s', (_, allow, deny, given, words, routes) => {
    const rules = [
      ...(deny === undefined ? [] : [rule(2, deny, { policy: 'no' })]),
      rule(3, allow, { policy: 'yes' }),
    ];
    const found = ask(rules, to(given), only);
    expect(found.nearestMiss?.words.join()).toBe(words);
    const engine = createEngine(rules, inventory(only), 'snapshot');
    for (const route of routes) expect(engine.decide(to(route)).decision).toBe('allow');
  });
});

describe('[NEAR3] the site of a destination is not for taking', () => {
  const service = { namespace: 'shop', name: 'db', attributes: new Map([['service:name', 'db']]) };
  const services = new Map([['shop/db', service]]);
  const source = { spiffeId: id };
  test.each<[string, string, Request['destination']]>([
    ['site:location', 'to.site:location in eu/**', { service: 'shop/db' }],
    ['cl:fabric', 'to.cl:fabric in acme', { service: 'shop/db' }],
    ['cl:site:tier', 'to.cl:site:tier exists', { dataplane: 'b' }],
    ['site:location', 'to.site:location in eu/**', { attributes: {}, complete: false }],
  ])('%s, which nobody says', (key, when, destination) => {
    const there = { ...at({ name: 'http', port: 80, tags: new Map() }), services };
    const miss = ask([rule(3, [when])], { source, destination }, there).nearestMiss;
    expect(miss?.words).toEqual([`needs another site (destination ${key} is not known)`]);
    expect(miss?.allow.steps).toMatchObject([{ need: 'site' }]);
    expect(miss?.allow.steps[0]).not.toHaveProperty('to');
  });
});

describe('[NEAR3] [UNK4] what is said of a destination', () => {
  const decide = channelOf('decide');
  const source = { spiffeId: id };
  const need = 'needs trust: destination k8s:label:app known as reported at least, not as asserted';

  test.each<[string, string, Record<string, string>, boolean]>([
    ['a value', 'to.app in db', { 'k8s:label:app': 'db' }, false],
    ['that there is none', 'to.app notIn db', {}, true],
  ])('%s that is not trusted enough needs trust', (_, when, attributes, complete) => {
    const destination = { attributes, complete };
    const miss = ask([rule(3, [when])], { source, destination }, {}, decide).nearestMiss;
    expect(miss).toMatchObject({ possible: true, words: [need] });
    expect(miss?.allow.steps).toMatchObject([{ need: 'trust', trust: 'reported', counts: 'asserted' }]);
  });

  test('its site too, which stays what it is', () => {
    const destination = { attributes: { 'site:name': 'eu-1' } };
    const miss = ask([rule(3, ['to.site:name in eu-1'])], { source, destination }, {}, decide).nearestMiss;
    expect(miss?.words).toEqual([
      'needs trust: destination site:name known as reported at least, not as asserted',
    ]);
  });

  test('a value that is another one is not for changing', () => {
    const destination = { attributes: { 'k8s:label:app': 'web' } };
    const rules = [rule(3, ['to.app in db', 'role in writer'])];
    expect(ask(rules, { source, destination }, {}, decide).nearestMiss?.possible).toBe(false);
  });

  test('[DST4] its namespace is believed of every caller, as what binds policies', () => {
    const destination = { attributes: {} };
    const rules = [rule(3, ['to.placet:namespace in shop'])];
    expect(ask(rules, { source, destination }, {}, decide).nearestMiss?.words).toEqual([
      'destination.namespace is known to be shop',
    ]);
  });

  test.each<[string, string[], string[], string[]]>([
    [
      'what is said of it, it has',
      ['to.placet:namespace in shop'],
      ['to.k8s:ns in shop'],
      ['cannot be had: deny 0 of no denies whatever allow 0 of yes would allow here'],
    ],
    [
      'and nothing else at once',
      ['to.k8s:ns in shop'],
      ['to.placet:namespace in shop', 'role notIn writer'],
      ['destination.namespace is known to be shop', 'k8s:label:role is set to writer'],
    ],
    [
      'it can be any that no deny is for',
      [],
      ['to.k8s:ns in shop', 'to.placet:namespace in shop'],
      ['destination.namespace is known to be anything but shop'],
    ],
  ])('[DST4] its namespace: %s', (_, allow, deny, wanted) => {
    const rules = [rule(2, deny, { policy: 'no' }), rule(3, allow, { policy: 'yes' })];
    const there = at({ name: 'http', port: 80, tags: new Map() });
    expect(ask(rules, { source, destination: { dataplane: 'b' } }, there).nearestMiss?.words).toEqual(wanted);
    const outright = { attributes: {}, complete: false };
    expect(ask(rules, { source, destination: outright }).nearestMiss?.words).toEqual(wanted);
  });

  test('[DST4] a deny for the namespace that is given governs then, where all else was said', () => {
    const rules = [
      rule(0, ['to.k8s:ns in shop', 'role notIn writer']),
      rule(3, ['to.placet:namespace in shop']),
    ];
    const { rules: shown, nearestMiss } = ask(rules, { source, destination: { attributes: {} } });
    expect(shown).toHaveLength(1);
    expect(nearestMiss?.words).toEqual([
      'destination.namespace is known to be shop',
      'k8s:label:role is set to writer',
    ]);
  });

  test('[DST4] and as that of a proxy that does not say one, as far as the caller is', () => {
    const there = at({ name: 'http', port: 80, tags: new Map() });
    const request = { source, destination: { dataplane: 'b' } };
    expect(ask([rule(3, ['to.k8s:ns in shop'])], request, there, decide).nearestMiss?.words).toEqual([
      'needs trust: destination.namespace is known to be shop, known as reported at least, not as asserted',
    ]);
  });
});
