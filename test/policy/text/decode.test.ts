import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { limits } from '../../../src/pdp/model/limits.ts';
import { decode } from '../../../src/policy/text/decode.ts';
import { parseDecoded } from '../../../src/policy/text/parse.ts';
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
  expect(decode(input).faults[0]).toMatchObject({
    code: 'syntax',
    message: expect.stringContaining(`at offset ${offset}`),
  });
});

test('[DOC6] the place is that of the byte, in characters', () => {
  const { violations } = parseDecoded(decode(bytes('\ufeffa: 1\né😀: ', 0xff)), 'p.yaml');
  expect(violations).toMatchObject([{ place: { file: 'p.yaml', line: 2, column: 6 } }]);
});

describe('[DOC2] a document with a byte that is no utf-8', () => {
  const read = (...parts: (string | number)[]) => parseDecoded(decode(bytes(...parts)), 'p.yaml');
  const said = ({ violations }: ReturnType<typeof read>) =>
    violations.map(({ place, message }) => `${place?.line}:${place?.column} ${message}`);

  test('is lost, and the documents beside it are read', () => {
    const reading = read('a: 1\n---\nb: ', 0xff, 0xfe, '"\n---\nc: 1\nc: 2\n---\nd: é\n');
    expect(reading.documents.map(({ value }) => value)).toEqual([{ a: 1 }, { d: 'é' }]);
    expect(said(reading)).toEqual([
      '3:4 not utf-8: byte 0xff at offset 12',
      '6:1 key "c" stands here a second time',
    ]);
  });

  test('is the one that the byte stands in, at its very borders too', () => {
    for (const [parts, want] of [
      [
        [0xff, '\n---\nb: 1\n---\nc: 1'],
        ['b', 'c'],
      ],
      [
        ['a: 1', 0xff, '\n---\nb: 1\n---\nc: 1'],
        ['b', 'c'],
      ],
      [['a: 1\n', 0xff, '---\nb: 1\n---\nc: 1'], ['c']],
      [['a: 1\n---', 0xff, '\nb: 1\n---\nc: 1'], ['c']],
      [
        ['a: 1\n--- \n', 0xff, 'b: 1\n---\nc: 1'],
        ['a', 'c'],
      ],
      [
        ['a: 1\n---\nb: 1\n---\nc: 1', 0xff],
        ['a', 'b'],
      ],
      [
        ['\ufeff\ufeff', 0xff, '\n---\nb: 1\n---\nc: 1'],
        ['b', 'c'],
      ],
      [['a: 1\n---\nb: 1', 0xff, '\n---\n\ufeffc: 1'], ['a']],
    ] as const) {
      const reading = read(...parts);
      expect(reading.documents.flatMap(({ value }) => Object.keys(value as object))).toEqual(want);
      expect(reading.violations.length).toBeGreaterThan(0);
    }
  });

  test('one too many, and what follows is not read', () => {
    const most = limits.violationsPerFile;
    const reading = read(...Array.from({ length: most + 1 }, () => ['a: ', 0xff, '\n---\n']).flat(), 'b: 1');
    expect(reading.documents).toEqual([]);
    expect(reading.violations).toHaveLength(most + 2);
    expect(reading.violations.at(-1)?.message).toBe('further problems of this file are not listed');
    const fewer = read(...Array.from({ length: most }, () => ['a: ', 0xff, '\n---\n']).flat(), 'b: 1');
    expect([fewer.documents.length, fewer.violations.length]).toEqual([1, most]);
  });

  test('wherever the byte is: at most it and the document before are lost, and none is another', () => {
    const text = '\ufeffa: é\n---\nb: "x\n  y"\n...\n# c\n---\nc: [1]\r\n--- {"d": 1}\n';
    const whole = bytes(text);
    const values = read(text).documents.map(({ value }) => JSON.stringify(value));
    expect(values).toHaveLength(4);
    for (let at = 0; at <= whole.length; at++) {
      const input = new Uint8Array([...whole.subarray(0, at), 0xff, ...whole.subarray(at)]);
      const reading = parseDecoded(decode(input), 'p.yaml');
      expect(reading.violations).not.toEqual([]);
      const found = reading.documents.map(({ value }) => JSON.stringify(value));
      expect(values).toEqual(expect.arrayContaining(found));
      expect(found.length).toBeGreaterThanOrEqual(2);
    }
  });

  test('and in json there is but one', () => {
    const reading = parseDecoded(decode(bytes('[{"a":1},{"b":"', 0xff, '"}]')), 'p.json');
    expect(reading).toMatchObject({ documents: [], violations: [{ code: 'syntax' }] });
  });
});

test('[DOC6] a byte order mark at the start is left out; utf-16 is not utf-8', () => {
  expect(decode(bytes('\ufeffa'))).toEqual({ text: 'a', faults: [] });
  expect(decode(bytes(0xff, 0xfe, 'a', 0)).faults).toHaveLength(2);
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
