import { expect, test } from 'vitest';
import { nearest } from '../../../src/pdp/model/text.ts';

const fields = ['spiffeId', 'spiffeID', 'path', 'method', 'sni', 'dataplaneLabels', 'targetRef', 'default'];

test('[REQ2] [DOC3] the nearest known name is the one that is meant', () => {
  expect(nearest('methd', fields)).toBe('method');
  expect(nearest('pahT', fields)).toBe('path');
  expect(nearest('dataplaneLabel', fields)).toBe('dataplaneLabels');
  expect(nearest('targetref', fields)).toBe('targetRef');
  expect(nearest('sn', fields)).toBe('sni');
});

test('[REQ2] [DOC3] what is like nothing known gets no suggestion', () => {
  expect(nearest('zebra', fields)).toBeUndefined();
  expect(nearest('', fields)).toBeUndefined();
  expect(nearest('methodmethod', fields)).toBeUndefined();
  expect(nearest('x'.repeat(1_000_000), fields)).toBeUndefined();
});

test('[REQ2] [DOC3] ties fall the same way in any order', () => {
  expect(nearest('spiffeid', fields)).toBe('spiffeId');
  expect(nearest('spiffeid', [...fields].reverse())).toBe('spiffeId');
});
