import { expect, test } from 'vitest';
import { nearest } from '../../../src/pdp/model/text.ts';

test.each([
  ['spifeId', 'spiffeId'],
  ['spiffeid', 'spiffeId'],
  ['spifeID', 'spiffeID'],
  ['SPIFFEID', 'spiffeID'],
  // As far from both: by code units.
  ['spiffeXx', 'spiffeID'],
])(
  '[DOC3] of names that differ in case alone %s means the one that is nearer as it is written',
  (got, want) => {
    const fields = ['spiffeId', 'path', 'spiffeID'];
    expect(nearest(got, fields)).toBe(want);
    expect(nearest(got, [...fields].reverse())).toBe(want);
  },
);

test('[DOC3] what is nearer with letters folded goes first', () => {
  expect(nearest('PATH', ['PAT', 'path'])).toBe('path');
});
