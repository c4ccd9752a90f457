import { expect, test } from 'vitest';
import { folded, NumberReader, NumberWriter, unfolded } from '../../../src/pdp/kept/bytes.ts';

const numbers = [0, 1, 127, 128, 129, 16_383, 16_384, 2 ** 31 - 1, 2 ** 31, 2 ** 40 + 5, 2 ** 52];

test('numbers come back as they were, however many there are', () => {
  const writer = new NumberWriter();
  const all = Array.from({ length: 500 }, () => numbers).flat();
  for (const number of all) writer.add(number);
  const bytes = writer.build();
  const reader = new NumberReader(bytes);
  expect(all.map(() => reader.next())).toEqual(all);
  expect(bytes.length).toBeLessThan(all.length * 4);
});

test('what is near zero is small', () => {
  expect([0, -1, 1, -2, 2].map(folded)).toEqual([0, 1, 2, 3, 4]);
  for (const number of [...numbers.slice(0, -1), ...numbers.slice(1, -1).map((one) => -one)])
    expect(unfolded(folded(number))).toBe(number);
});
