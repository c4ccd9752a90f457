import { expect, test } from 'vitest';
import { mapped } from '../../../src/gateway/authzen/ask.ts';
import type { Evaluation } from '../../../src/gateway/authzen/types.ts';
import { channelFor } from '../../../src/gateway/decide/join.ts';
import type { Refused } from '../../../src/gateway/http/problem.ts';
import { fixture, snapshotOf } from './world.ts';

const { snapshot } = snapshotOf(fixture('certification.yaml'));
const evaluation: Evaluation = {
  subject: { type: 'user', id: 'carol' },
  action: { name: 'read' },
  resource: { type: 'thing', id: 't' },
};
const map = (more: Partial<Evaluation>) =>
  mapped({ ...evaluation, ...more }, snapshot.inventory, channelFor(new Set(['decide', 'assert'])));
const subject = (properties: object) => ({ type: 'user', id: 'carol', properties: properties as never });

const record = (properties?: object) => ({ resource: { type: 'record', id: '1', properties } }) as object;
const spiffe = { type: 'spiffe', id: 'spiffe://a.example/b' };
test.each<[string, object, string | undefined]>([
  ['a subject by its properties', { subject: subject({ id: 'bob' }) }, 'subject.properties.id'],
  ['a subject by its attribute', { subject: subject({ 'user:id': 7 }) }, 'subject.properties.user:id'],
  [
    'a SPIFFE ID',
    { subject: { ...spiffe, properties: { 'spiffe:id': 'x' } } },
    'subject.properties.spiffe:id',
  ],
  ['a subject as it is', { subject: subject({ id: 'carol', 'user:id': 'carol' }) }, undefined],
  ['a workload', { subject: { type: 'workload', id: 'shop/a', properties: { id: 'b' } } }, undefined],
  ['evidence', { subject: { type: 'evidence', id: 'a', properties: { id: 'b' } } }, undefined],
  ['a resource by its properties', record({ id: '2' }), 'resource.id'],
  ['a resource by the context', { ...record(), context: { 'record:id': '2' } }, 'resource.id'],
  ['a resource as it is', { ...record({ id: '1' }), context: { 'record:id': 1 } }, undefined],
  [
    'a property by the context',
    { ...record({ owner: 'bob' }), context: { 'record:owner': 'eve' } },
    'context.record:owner',
  ],
  [
    'a property by the action',
    { ...record({ owner: 'bob' }), action: { name: 'read', properties: { 'record:owner': 'eve' } } },
    'action.properties.record:owner',
  ],
  ['a property twice alike', { ...record({ owner: 'bob' }), context: { 'record:owner': 'bob' } }, undefined],
])('[AZ20] a second value of one attribute is refused: %s', (_, more, field) => {
  if (field === undefined) return expect(map(more)).toHaveProperty('request');
  try {
    map(more);
    expect.unreachable();
  } catch (error) {
    const { violations = [] } = (error as Refused).problem;
    expect(violations.map(({ path, code }) => [path.join('.'), code])).toEqual([[field, 'conflict']]);
  }
});
