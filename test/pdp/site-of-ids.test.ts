import { describe, expect, test } from 'vitest';
import { channelOf, operatorChannel } from '../../src/index.ts';
import { access, ask, db, is, type Shape, service } from './shop.ts';

describe('[SRC14] an ID tells of which site its client is', () => {
  const spiffeId = 'spiffe://td/ns/a/sa/b';
  const here = { type: 'Site', name: 'eu-1', local: true, location: 'eu/de', trustDomains: ['td', 'both'] };
  const there = { type: 'Site', name: 'us-1', location: 'us', trustDomains: ['us', 'both'] };
  const workload = { type: 'Workload', name: 'w', namespace: 'a', serviceAccount: 'b', spiffeId };
  const decide = channelOf('decide');
  const asked = (policy: Shape, source: Shape, channel = operatorChannel, more: Shape[] = []) =>
    ask([service, here, there, policy, ...more], { source, destination: db }, channel)[0];
  const inEurope = access('eu', 'allow', is('site:location', 'eu'));
  const elsewhere = access('not-us', 'allow', {
    matchExpressions: [{ key: 'site:location', operator: 'NotIn', values: ['us'] }],
  });
  const tierless = access('no-tier', 'allow', {
    matchExpressions: [{ key: 'cl:site:tier', operator: 'DoesNotExist' }],
  });

  test('what the site says of itself', () => {
    expect(asked(inEurope, { spiffeId })).toBe('allow');
    expect(asked(inEurope, { spiffeId, complete: false })).toBe('allow');
    expect(asked(inEurope, { spiffeId: 'spiffe://us/a', complete: false })).toBe('deny');
    expect(asked(elsewhere, { spiffeId: 'spiffe://us/a', complete: false })).toBe('deny');
    expect(asked(inEurope, { spiffeId: 'spiffe://both/a' })).toBe('deny');
    expect(asked(elsewhere, { spiffeId: 'spiffe://both/a', complete: false })).toBe('deny');
  });

  test('what it does not say, it does not have', () => {
    expect(asked(tierless, { spiffeId, complete: false })).toBe('allow');
    expect(asked(tierless, { spiffeId: 'spiffe://us/a', complete: false })).toBe('deny');
    const tiered = { ...workload, attributes: { 'cl:site:tier': 'gold' } };
    expect(asked(tierless, { spiffeId, complete: false }, operatorChannel, [tiered])).toBe('deny');
  });

  test('a workload that names its site is of that one', () => {
    const moved = { ...workload, attributes: { 'site:name': 'us-1' } };
    expect(asked(inEurope, { spiffeId, complete: false }, operatorChannel, [moved])).toBe('deny');
  });

  test('no further than the ID is believed, and before what is believed less', () => {
    expect(asked(inEurope, { spiffeId }, decide)).toBe('deny');
    const attributes = { 'site:location': 'us', 'cl:site:tier': 'gold' };
    expect(asked(inEurope, { spiffeId, attributes }, channelOf('relay'))).toBe('allow');
    expect(asked(tierless, { spiffeId, attributes }, channelOf('relay'))).toBe('allow');
    expect(asked(inEurope, { spiffeId, attributes })).toBe('deny');
  });

  test('[SRC6] another name of a site is a contradiction', () => {
    const source = { spiffeId, attributes: { 'site:name': 'us-1' } };
    const documents = [service, here, there, inEurope];
    expect(ask(documents, { source, destination: db })).toEqual(['deny', 'conflict', null]);
  });
});
