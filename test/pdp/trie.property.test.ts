import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchAscii, matchTrie, type SymbolSink, TrieBuilder } from '../../src/pdp/index/trie.ts';
import { Ascii } from '../../src/pdp/model/ascii.ts';

/** Of few letters, so that texts share what they begin with, some longer than four bytes at a time. */
const text = fc
  .array(fc.constantFrom('a', 'b', '/', 'abcdefg', '/abcdefgh', 'é', '\u0161'), { maxLength: 5 })
  .map((pieces) => pieces.join(''));
const pattern = fc.record({ text, under: fc.boolean() });

function holds({ text: wanted, under }: { text: string; under: boolean }, value: string): boolean {
  if (!value.startsWith(wanted)) return false;
  return !under || value.length === wanted.length || value[wanted.length] === '/';
}

function sink(): SymbolSink {
  return { codes: new Int32Array(64), end: 0, visited: 0 };
}

test('[OP1] a trie finds the patterns that hold for a string, and for the bytes of one of ASCII', () => {
  let bytes = 0;
  fc.assert(
    fc.property(
      fc.uniqueArray(pattern, { selector: ({ text: one, under }) => `${under} ${one}`, maxLength: 20 }),
      fc.array(text, { minLength: 1, maxLength: 10 }),
      (patterns, values) => {
        const builder = new TrieBuilder();
        const { root } = builder.add(patterns.map((one, symbol) => ({ ...one, symbol })));
        const trie = builder.build();
        const ascii = new Ascii(100);
        for (const value of values) {
          const wanted = patterns.flatMap((one, symbol) => (holds(one, value) ? [symbol] : []));
          const found = sink();
          matchTrie(trie, root, value, found);
          expect([...found.codes.subarray(0, found.end)].sort((a, b) => a - b)).toEqual(wanted);
          if (!ascii.copy(value)) continue;
          bytes++;
          const again = sink();
          const common = value.slice(0, matchAscii(trie, root, ascii, again));
          expect(again).toEqual(found);
          expect(common === '' || patterns.some((one) => one.text.startsWith(common))).toBe(true);
        }
      },
    ),
    { numRuns: 2_000, seed: 20_26 },
  );
  expect(bytes).toBeGreaterThan(5_000);
});

test('[ID1] bytes of a text that is longer, or of more than ASCII, are not all of it', () => {
  const ascii = new Ascii(4);
  for (const all of ['', 'a', 'abcd']) expect(ascii.copy(all), all).toBe(true);
  for (const more of ['abcde', 'é', 'abcé', 'ab\u20ac', '\ud800', 'abc\ud83d\ude00', '\u0161'])
    expect(ascii.copy(more), more).toBe(false);
});
