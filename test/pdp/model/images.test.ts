import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeImages } from '../../../src/pdp/model/images.ts';

test('[SRC7] one image is written as it is', () => {
  expect(encodeImages(['r.example/web:1'])).toBe('r.example/web:1');
});

test('[SRC7] several are sorted by code unit, joined and encoded', () => {
  expect(encodeImages(['b', 'a', 'B'])).toBe(Buffer.from('B,a,b').toString('base64'));
  expect(encodeImages(['a', 'b'])).toBe(encodeImages(['b', 'a']));
});

test('[SRC7] the encoding is base64 of UTF-8, whatever the text', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 2 }), (images) => {
      const joined = images.toSorted().join(',').toWellFormed();
      expect(encodeImages(images)).toBe(Buffer.from(joined).toString('base64'));
    }),
    { seed: 1 },
  );
});
