import { expect, test } from 'vitest';
import { mapped } from '../../../src/gateway/authzen/ask.ts';
import { subjectsOf } from '../../../src/gateway/authzen/subject.ts';
import type { Entity } from '../../../src/gateway/authzen/types.ts';
import { channelFor } from '../../../src/gateway/decide/join.ts';
import { snapshotOf } from './world.ts';

const workload = (name: string, spec: object) =>
  `---\n${JSON.stringify({ type: 'Workload', namespace: 'shop', name, spec })}\n`;
const inventory = [
  '{type: Site, name: here, location: aws/eu, trustDomains: [own.example, both.example]}\n',
  '---\n{type: Peer, name: there, gateway: spiffe://peer.example/gateway, trustDomains: [peer.example, both.example], keys: [{kty: OKP, crv: Ed25519, kid: a, x: AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA}]}\n',
  workload('own', { spiffeId: 'spiffe://own.example/ns/shop/sa/own' }),
  workload('peer', { spiffeId: 'spiffe://peer.example/ns/shop/sa/peer' }),
  workload('both', { spiffeId: 'spiffe://both.example/ns/shop/sa/both' }),
  workload('nobody', { spiffeId: 'spiffe://nobody.example/ns/shop/sa/x' }),
  workload('plain', { attributes: { 'team:id': 'one' } }),
  workload('more', { attributes: { 'team:id': 'one', 'pair:id': 'two' } }),
  workload('elsewhere', {
    spiffeId: 'spiffe://own.example/ns/shop/sa/elsewhere',
    attributes: { 'site:name': 'elsewhere', 'away:id': 'three' },
  }),
  workload('far', { attributes: { 'site:name': 'elsewhere', 'pair:id': 'two', 'away:id': 'three' } }),
  // Another document says where clients with this ID are.
  workload('twin', { spiffeId: 'spiffe://own.example/ns/shop/sa/elsewhere' }),
].join('');
const { snapshot } = snapshotOf(`${inventory}---
type: AccessPolicy
namespace: shop
name: of-here
spec:
  action: allow
  from: [{workloadSelector: {matchLabels: {"site:name": here}}}]
  to: [{workloadSelector: {matchLabels: {"thing:id": t}}}]
---
type: Service
namespace: shop
name: t
spec:
  attributes: {"thing:id": t}
`);

function map(subject: Entity) {
  const resource = { type: 'thing', id: 't' };
  const channel = channelFor(new Set(['decide', 'assert']));
  return mapped({ subject, action: { name: 'GET' }, resource }, snapshot.inventory, channel);
}

function siteOf(subject: Entity) {
  const found = map(subject);
  if (!('request' in found)) return found;
  const { attributes = {}, complete = {} } = found.request.source ?? {};
  const whole = Object.keys(complete).filter((prefix) => prefix.includes('site:'));
  const { decision } = snapshot.decide(found.request, found.channel);
  return [attributes['site:name'], attributes['site:location'], whole, decision];
}

const here = ['here', 'aws/eu', ['site:', 'cl:site:'], 'allow'];
const unknown = [undefined, undefined, [], 'deny'];
const shared = (...names: string[]) => ({
  unknown: 'shared-identity',
  pods: names.map((one) => `shop/${one}`),
});

test.each<[string, string, string, unknown]>([
  ['with an ID of this site alone', 'workload', 'shop/own', here],
  ['without an ID', 'workload', 'shop/plain', here],
  ['with an ID of a peer', 'workload', 'shop/peer', unknown],
  ['with an ID of both', 'workload', 'shop/both', unknown],
  ['with an ID of a trust domain that nobody lists', 'workload', 'shop/nobody', unknown],
  ['of another site', 'workload', 'shop/elsewhere', ['elsewhere', undefined, [], 'deny']],
  ['whose ID is of another site by another document', 'workload', 'shop/twin', unknown],
  ['all of this site', 'team', 'one', here],
  ['all of another', 'away', 'three', ['elsewhere', undefined, [], 'deny']],
  ['of both', 'pair', 'two', [shared('far', 'more'), shared('far', 'more'), [], 'deny']],
])('[WHO6] [AZ22] [AZ23] of which site who is named is: %s', (_, type, id, wanted) => {
  expect(siteOf({ type, id })).toEqual(wanted);
});

test('[WHO6] [AZ22] a caller who says another site than the document contradicts it', () => {
  const properties = { 'site:name': 'here' };
  expect(map({ type: 'workload', id: 'shop/elsewhere', properties })).toEqual({
    reason: 'conflict',
    keys: ['site:name'],
  });
});

test('[AZ31] a search by site finds who is known to be of it', () => {
  const found = (name: string) => {
    const sought = { type: 'workload', properties: { 'site:name': name } };
    return [...subjectsOf(sought, snapshot.inventory, undefined)].flatMap(({ id, has }) => (has ? [id] : []));
  };
  expect(found('here')).toEqual(['shop/more', 'shop/own', 'shop/plain']);
  expect(found('elsewhere')).toEqual(['shop/elsewhere', 'shop/far']);
});
