import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decode } from '../../../src/policy/text/decode.ts';
import { firstInvalidByte } from '../../../src/policy/text/utf8.ts';

const bytes = (...parts: (string | number)[]) =>
  new Uint8Array(
    parts.flatMap((part) => (typeof part === 'number' ? [part] : [...new TextEncoder().encode(part)])),
  );

test.each([
  ['a lone continuation byte', bytes('a', 0x80), 1],
  ['an overlong slash', bytes('ab', 0xc0, 0xaf), 2],
  ['a surrogate', bytes(0xed, 0xa0, 0x80), 0],
  ['beyond U+10FFFF', bytes('é', 0xf4, 0x90, 0x80, 0x80), 2],
  ['a sequence cut short', bytes('é😀', 0xe2, 0x82), 6],
  ['latin-1', bytes('caf', 0xe9, ' x'), 3],
])('[DOC6] not utf-8: %s', (_name, input, offset) => {
  expect(firstInvalidByte(input)).toBe(offset);
  const decoded = decode(input, 'p.yaml');
  expect(decoded).toMatchObject({
    ok: false,
    violation: { code: 'syntax', message: expect.stringContaining(`at offset ${offset}`) },
  });
});

test('[DOC6] the place is that of the byte, in characters', () => {
  const decoded = decode(bytes('a: 1\né😀: ', 0xff), 'p.yaml');
  expect(decoded).toMatchObject({ violation: { place: { file: 'p.yaml', line: 2, column: 6 } } });
});

test('[DOC6] a byte order mark at the start is left out; utf-16 is not utf-8', () => {
  expect(decode(bytes('\ufeffa'), 'p')).toEqual({ ok: true, text: 'a' });
  expect(decode(bytes(0xff, 0xfe, 'a', 0), 'p')).toMatchObject({ ok: false });
});

test('[DOC6] good and bad are told apart as a decoder does', () => {
  const wild = fc.uint8Array({ maxLength: 12 });
  const close = fc
    .tuple(fc.string({ unit: 'binary', maxLength: 6 }), fc.nat(20), fc.nat(255))
    .map(([text, at, byte]) => {
      const encoded = new TextEncoder().encode(text);
      if (encoded.length > 0) encoded[at % encoded.length] = byte;
      return encoded;
    });
  const strict = new TextDecoder('utf-8', { fatal: true });
  const accepts = (input: Uint8Array) => {
    try {
      strict.decode(input);
      return true;
    } catch {
      return false;
    }
  };
  fc.assert(
    fc.property(fc.oneof(wild, close), (input) => {
      const at = firstInvalidByte(input);
      expect(accepts(input)).toBe(at === -1);
      if (at !== -1) expect(accepts(input.subarray(0, at))).toBe(true);
    }),
    { numRuns: 5_000, seed: 11 },
  );
});
