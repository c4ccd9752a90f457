import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KeptTexts } from '../../../src/envoy/wire/kept-texts.ts';

test('[AUTHZ3] a text that is kept is that of its bytes, whatever else has its place', () => {
  const texts = new KeptTexts(2, 200);
  const some = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    // Alike but for their beginnings, which are not looked at to find their place.
    fc.string({ minLength: 1, maxLength: 3 }).map((start) => start.padEnd(180, 'x')),
    fc.string({ minLength: 200, maxLength: 240 }),
  );
  let found = 0;
  fc.assert(
    fc.property(some, (text) => {
      const bytes = Buffer.from(`<${text}>`);
      const [from, end] = [1, bytes.length - 1];
      const plain = bytes.toString('utf8', from, end);
      const kept = texts.at(bytes, from, end);
      if (kept !== undefined) found++;
      expect(kept ?? plain).toBe(plain);
      texts.keep(bytes, from, end, plain);
      expect(texts.at(bytes, from, end)).toBe(end - from > 200 ? undefined : plain);
    }),
    { numRuns: 5_000, seed: 39 },
  );
  expect(found).toBeGreaterThan(10);
});
