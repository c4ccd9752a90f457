import { expect, test } from 'vitest';
import { nameBits, nameOf, statedOf } from '../../src/pdp/index/well-known.ts';

const names = ['k8s:ns', 'k8s:sa', 'k8s:label:app', 'service:name', 'site:name', 'site:location'];

test('names that most requests have are read as what they are, like all others', () => {
  const stated = Object.fromEntries(['cl:fabric', ...names].map((key) => [key, `of ${key}`]));
  for (const key of ['cl:fabric', 'k8s:label:none', ...names])
    expect(statedOf(stated, nameOf(key), key)).toBe(stated[key]);
  const numbers = names.map(nameOf);
  expect(new Set(numbers).size).toBe(names.length);
  expect(Math.min(...numbers)).toBe(1);
  expect(Math.max(...numbers)).toBeLessThan(2 ** nameBits);
  expect(nameOf('cl:fabric')).toBe(0);
});
