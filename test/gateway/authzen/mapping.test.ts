import { describe, expect, test } from 'vitest';
import { mapped } from '../../../src/gateway/authzen/ask.ts';
import type { Evaluation } from '../../../src/gateway/authzen/types.ts';
import { channelFor } from '../../../src/gateway/decide/join.ts';
import { Refused } from '../../../src/gateway/http/problem.ts';
import { limits } from '../../../src/pdp/model/limits.ts';
import type { Role } from '../../../src/pdp/model/request.ts';
import { fixture, snapshotOf } from './world.ts';

const inventory = `
---
type: Site
name: east
spec: {location: aws/us-east, trustDomains: [east.example]}
---
type: Workload
namespace: people
name: twin-1
spec:
  attributes: {twin:id: twin, twin:team: red, twin:room: "1"}
---
type: Workload
namespace: people
name: twin-2
spec:
  attributes: {twin:id: twin, twin:team: red, twin:room: "2"}
---
type: Workload
namespace: shop
name: web-1
labels: {app: web}
spec: {serviceAccount: web, spiffeId: spiffe://east.example/ns/shop/sa/web}
---
type: AccessPolicy
namespace: records
name: web
spec:
  action: allow
  from: [{workloadSelector: {matchLabels: {"spiffe:id": spiffe://east.example/ns/shop/sa/web}}}]
  to: [{workloadSelector: {matchLabels: {record:id: record-1, action:name: read}}}]
---
type: Service
namespace: shop
name: shelf-1
spec:
  attributes: {shelf:id: shelf, shelf:floor: "1"}
---
type: Service
namespace: shop
name: shelf-2
spec:
  attributes: {shelf:id: shelf, shelf:floor: "2"}
`;
const { snapshot } = snapshotOf(fixture('certification.yaml') + inventory);

const evaluation: Evaluation = {
  subject: { type: 'user', id: 'carol' },
  action: { name: 'read' },
  resource: { type: 'thing', id: 't' },
};

// biome-ignore lint/suspicious/noExplicitAny: what comes out is compared whole
function map(more: Partial<Evaluation>, roles: readonly Role[] = ['decide', 'assert']): any {
  return mapped({ ...evaluation, ...more }, snapshot.inventory, channelFor(new Set(roles)));
}
const sourceOf = (subject: Evaluation['subject'], roles?: readonly Role[]) =>
  map({ subject }, roles).request.source;
const subject = (properties: object) => ({ type: 'user', id: 'carol', properties: properties as never });
const site = { 'site:name': 'east', 'site:location': 'aws/us-east' };

describe('properties', () => {
  test('[AZ20] are attributes below their type, lists are sets, and objects are what is in them', () => {
    const properties = {
      role: 'admin',
      age: 7,
      on: false,
      none: null,
      roles: ['a', 2, { deep: 'x' }, ['y']],
      home: { city: 'ulm', zip: [1] },
      'k8s:ns': 'shop',
    };
    expect(sourceOf(subject(properties)).attributes).toEqual({
      'user:id': 'carol',
      'user:role': 'admin',
      'user:age': '7',
      'user:on': 'false',
      'user:roles:a': 'true',
      'user:roles:2': 'true',
      'user:roles:2:deep': 'x',
      'user:roles:3:y': 'true',
      'user:home:city': 'ulm',
      'user:home:zip:1': 'true',
      'k8s:ns': 'shop',
    });
  });

  const nested = (depth: number): unknown => (depth === 0 ? 'x' : { a: nested(depth - 1) });
  const wide = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, 'x']));
  test.each([
    ['as deep as may be', { a: nested(16) }, undefined],
    ['deeper', { a: nested(17) }, 'limit'],
    ['as many as may be', wide(limits.attributes), undefined],
    ['more', wide(limits.attributes + 1), 'limit'],
    ['a list of as many as may be', { l: Array(limits.attributes).fill(1) }, undefined],
    ['a list of more, all alike', { l: Array(limits.attributes + 1).fill(1) }, 'limit'],
    ['one attribute twice, alike', { 'user:a': 'x', a: 'x' }, undefined],
    ['one attribute twice', { 'user:a': 'x', a: 'y' }, 'conflict'],
  ])('[AZ20] %s', (_, properties, code) => {
    const run = () => map({ subject: subject(properties) });
    if (code === undefined) return expect(run().request).toBeDefined();
    expect(run).toThrow(Refused);
    try {
      run();
    } catch (error) {
      const [violation] = (error as Refused).problem.violations ?? [];
      expect(violation).toMatchObject({ code, path: expect.arrayContaining(['subject', 'properties']) });
    }
  });

  test('[AZ20] a name that every object has is a name among others', () => {
    const properties = JSON.parse('{"__proto__": "x", "constructor": "y"}');
    const { attributes } = sourceOf(subject(properties));
    expect(Object.entries(attributes)).toContainEqual(['user:constructor', 'y']);
    expect(Object.entries(attributes)).toContainEqual(['user:__proto__', 'x']);
  });
});

describe('subjects', () => {
  const id = 'spiffe://east.example/ns/shop/sa/web';
  test.each(['spiffe', 'workload'])('[AZ21] a %s with an ID is that ID', (type) => {
    expect(sourceOf({ type, id })).toEqual({ spiffeId: id, attributes: {} });
  });

  test.each<[Role[], string]>([
    [['decide'], 'asserted'],
    [['decide', 'relay'], 'asserted'],
    [['decide', 'assert'], 'reported'],
  ])('[AZ21] [AZ22] [AZ23] a workload of the inventory, as far as %s is believed', (roles, trust) => {
    const asked = map({ subject: { type: 'workload', id: 'shop/web-1' } }, roles);
    expect(asked.channel.trust).toBe(trust);
    expect(asked.request.source).toEqual({
      attributes: {
        'k8s:ns': 'shop',
        'k8s:sa': 'web',
        'k8s:pod': 'web-1',
        'k8s:label:app': 'web',
        'spiffe:id': id,
        'spiffe:trust-domain': 'east.example',
        ...site,
      },
      complete: { 'k8s:': trust, 'spiffe:': trust, 'site:': trust, 'cl:site:': trust },
    });
  });

  test('[AZ21] [AZ23] [AZ27] nobody of the inventory is who the caller says', () => {
    expect(sourceOf({ type: 'user', id: 'carol' })).toEqual({
      attributes: { 'user:id': 'carol' },
      complete: { 'user:': 'reported' },
    });
    expect(sourceOf({ type: 'workload', id: 'shop/nothing' })).toEqual({ attributes: {} });
  });

  test('[AZ22] the inventory knows better, and on identity the difference is a conflict', () => {
    const bob = (properties: object) =>
      map({ subject: { type: 'user', id: 'bob', properties: properties as never } });
    const { attributes } = bob({ role: 'user', shoe: 'x' }).request.source;
    expect(attributes).toMatchObject({ 'user:role': 'admin', 'user:shoe': 'x' });
    expect(bob({ 'k8s:ns': 'people' }).reason).toBeUndefined();
    expect(bob({ 'k8s:ns': 'shop' })).toEqual({ reason: 'conflict', keys: ['k8s:ns'] });
  });

  test('[AZ22] what several differ in is unknown', () => {
    expect(sourceOf({ type: 'twin', id: 'twin' }).attributes).toEqual({
      'twin:id': 'twin',
      'twin:team': 'red',
      'twin:room': { unknown: 'shared-identity', pods: ['people/twin-1', 'people/twin-2'] },
      'k8s:pod': { unknown: 'shared-identity', pods: ['people/twin-1', 'people/twin-2'] },
      'k8s:ns': 'people',
      ...site,
    });
  });

  test.each(['workload', 'spiffe', 'evidence'])('[AZ24] of the type %s may have evidence', (type) => {
    const properties = { certificate: 'c', xfcc: 'x', jwt: 'j', ip_address: '192.0.2.1', team: 'red' };
    const asked = map({ subject: { type, id: 'a/b', properties } });
    expect(asked.evidence).toEqual({ certificate: 'c', xfcc: 'x', jwt: 'j', ip: '192.0.2.1' });
    expect(asked.request.source.attributes).toEqual({ [`${type}:team`]: 'red' });
    expect(asked.request.source.spiffeId).toBe(type === 'spiffe' ? 'a/b' : undefined);
  });

  test('[AZ24] of two addresses none is taken for the other, whichever comes first', () => {
    const withBoth = (...properties: [string, string | null][]) =>
      map({ subject: { type: 'evidence', id: 'x', properties: Object.fromEntries(properties) } });
    const [one, other] = ['192.0.2.1', '192.0.2.2'];
    expect(() => withBoth(['ip', one], ['ip_address', other])).toThrow(Refused);
    expect(() => withBoth(['ip_address', one], ['ip', other])).toThrow(Refused);
    for (const also of [one, null])
      expect(withBoth(['ip_address', also], ['ip', one]).evidence).toEqual({ ip: one });
  });

  test('[AZ24] evidence that is none is refused, and of a user it is a property', () => {
    expect(() => map({ subject: { type: 'workload', id: 'a/b', properties: { jwt: 7 } } })).toThrow(Refused);
    expect(sourceOf(subject({ jwt: 7 })).attributes).toEqual({ 'user:id': 'carol', 'user:jwt': '7' });
  });
});

describe('resources', () => {
  const destinationOf = (type: string, id: string, properties?: object) =>
    map({ resource: { type, id, properties: properties as never } }).request?.destination;

  test.each([
    ['service', 'shop/web', { service: 'shop/web' }],
    ['dataplane', 'default/web', { mesh: 'default', dataplane: 'web' }],
    ['dataplane', 'default/web/http', { mesh: 'default', dataplane: 'web', inbound: 'http' }],
    ['dataplane', 'default/web/8080', { mesh: 'default', dataplane: 'web', inbound: '8080' }],
    ['service', 'web', undefined],
    ['service', 'a/b/c', undefined],
    ['dataplane', 'web', undefined],
    ['dataplane', 'a/b/', undefined],
    ['dataplane', 'a//c', undefined],
    ['dataplane', 'a/b/c/d', undefined],
  ])('[AZ25] [AZ27] %s %s', (type, id, destination) => {
    expect(destinationOf(type, id)).toEqual(destination);
    if (destination === undefined)
      expect(map({ resource: { type, id } })).toEqual({ reason: 'unknown-destination' });
  });

  test('[AZ25] method, path, server name and route', () => {
    const properties = { path: '/of-resource', sni: 'a.example', route: 'r' };
    const resource = { type: 'dataplane', id: 'default/web/http', properties };
    const { request } = map({ action: { name: 'GET' }, resource, context: { path: '/of-context' } });
    expect(request.request).toEqual({ method: 'GET', path: '/of-context', sni: 'a.example' });
    expect(request.destination.route).toBe('r');
    expect(() => map({ resource, context: { path: 7 } })).toThrow(Refused);
  });

  test('[AZ26] of another type are attributes, of which the inventory knows its own better', () => {
    const resource = {
      type: 'record',
      id: 'record-2',
      properties: { status: 'active', owner: 'bob', 'action:name': 'x', 'action:hard': 'x' },
    };
    const action = { name: 'delete', properties: { soft: true } };
    const { destination } = map({ resource, action, context: { mfa: true } }).request;
    const configured = (value: string) => ({ value, trust: 'configured' });
    expect(destination).toEqual({
      attributes: {
        'context:mfa': 'true',
        'record:owner': 'bob',
        'record:status': configured('archived'),
        'record:id': configured('record-2'),
        'service:name': configured('record-2'),
        'k8s:ns': configured('records'),
        'action:name': configured('delete'),
        'action:soft': configured('true'),
      },
      complete: true,
    });
  });

  test('[AZ26] which resource it is and what is done with it count from callers who are believed nothing', () => {
    const resource = { type: 'record', id: 'record-1' };
    const asked = map({ subject: { type: 'spiffe', id: 'spiffe://east.example/ns/shop/sa/web' }, resource }, [
      'decide',
      'relay',
    ]);
    expect(asked.channel).toMatchObject({ identity: 'attested', trust: 'asserted' });
    expect(snapshot.decide(asked.request, asked.channel)).toMatchObject({
      decision: 'allow',
      trust: 'attested',
    });
  });

  test('[AZ26] what an action is called is not for its properties, nor for the resource, to say', () => {
    const action = { name: 'delete', properties: { name: 'read', 'thing:owner': 'bob' } };
    const { attributes } = map({ action }).request.destination;
    expect(attributes['thing:owner']).toBe('bob');
    expect(attributes['action:name']).toEqual({ value: 'delete', trust: 'configured' });
  });

  test('[AZ26] several services that are one resource are what they agree in', () => {
    expect(destinationOf('shelf', 'shelf')).toMatchObject({ complete: false });
    expect(Object.keys(destinationOf('shelf', 'shelf').attributes)).toEqual([
      'action:name',
      'k8s:ns',
      'shelf:id',
    ]);
  });
});
