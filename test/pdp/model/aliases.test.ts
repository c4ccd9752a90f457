import { expect, test } from 'vitest';
import { canonical, neverPresent } from '../../../src/pdp/model/aliases.ts';

test.each([
  ['client.clusterlink.net/namespace', 'k8s:ns', undefined],
  ['client.clusterlink.net/service-account', 'k8s:sa', undefined],
  ['client.clusterlink.net/labels.app', 'k8s:label:app', undefined],
  ['export.clusterlink.net/name', undefined, 'service:name'],
  ['export.clusterlink.net/namespace', undefined, 'k8s:ns'],
  ['export.clusterlink.net/labels.app', undefined, 'k8s:label:app'],
  ['peer.clusterlink.net/name', 'site:name', 'site:name'],
  ['peer.clusterlink.net/labels.region', 'cl:site:region', 'cl:site:region'],
])('[AP3] %s means %s in a source, %s in a destination', (key, source, destination) => {
  expect(canonical(key, 'source')).toBe(source ?? key);
  expect(canonical(key, 'destination')).toBe(destination ?? key);
  expect(neverPresent(key, 'source')).toBe(source === undefined);
  expect(neverPresent(key, 'destination')).toBe(destination === undefined);
});

test.each([
  'k8s:ns',
  'unscoped',
  'client.clusterlink.net/labels.',
  'client.clusterlink.net/name',
  'client.clusterlink.net/__proto__',
  'export.clusterlink.net/toString',
])('[AP3] %s is no alias', (key) => {
  for (const side of ['source', 'destination', 'request'] as const) {
    expect(canonical(key, side)).toBe(key);
    expect(neverPresent(key, side)).toBe(false);
  }
});
