import { expect, test } from 'vitest';
import { Fingerprinted } from '../../src/pdp/index/exact.ts';
import { fingerprint } from '../../src/pdp/index/fingerprint.ts';
import { StringTableBuilder } from '../../src/pdp/index/strings.ts';
import { Texts } from '../../src/pdp/index/texts.ts';

const tail = 3;

function valuesOf(values: readonly string[]): Fingerprinted {
  const strings = new StringTableBuilder();
  const rows = values.map((value) => [0, strings.id(value), fingerprint(value, tail)] as const);
  const symbols = Int32Array.from(rows.sort((a, b) => a[2] - b[2]).flat());
  return new Fingerprinted(symbols, new Texts(strings.build(), values.length), tail);
}

test.each([0, 1, 2, 3, 100])('%i values are found by their fingerprints, and nothing else is', (count) => {
  const named = Array.from({ length: count }, (_, i) => (i === 0 ? '' : `value-${100 + i}`));
  const values = valuesOf(named);
  for (const text of named) {
    expect(values.get(text)).toBe(fingerprint(text, tail));
    const alike = `other-${text.slice(-3)}`;
    if (text !== '') expect(fingerprint(alike, tail)).toBe(fingerprint(text, tail));
    expect(values.get(alike)).toBeUndefined();
    // Again, now that its text is there.
    expect(values.get(text)).toBe(fingerprint(text, tail));
  }
  expect(values.get('nobody')).toBeUndefined();
  expect([...values.keys()].sort()).toEqual([...named].sort());
});
