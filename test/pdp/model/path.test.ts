import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normalisePath, pathAmbiguity, pathBefore } from '../../../src/pdp/model/path.ts';

/** What Envoy 1.40 answered with `normalize_path` and `merge_slashes` on, less the query. */
const observed: Readonly<Record<string, string>> = {
  '/': '/',
  '/metrics': '/metrics',
  '/metrics?a=1': '/metrics',
  '/metrics/': '/metrics/',
  '/Metrics': '/Metrics',
  '/metrics;x=1': '/metrics;x=1',
  '/a/../metrics': '/metrics',
  '/./metrics': '/metrics',
  '/%6detrics?x=1': '/metrics',
  '/a/%2e%2e/metrics': '/metrics',
  '/a\\..\\metrics': '/metrics',
  '//metrics': '/metrics',
  '//a/./%2E%2e/b': '/b',
  '/a//../b': '/a/b',
  '/a//': '/a/',
  '/a/.': '/a/',
  '/a/..': '/',
  '/../../a': '/a',
  '/...': '/...',
  '/a../b': '/a../b',
  '/a%2e%2e/b': '/a../b',
  '/.well-known/x': '/.well-known/x',
  '/%2Ewell-known/x': '/.well-known/x',
  '/a/b?c/../d': '/a/b',
  '/a?/%2f%zz#': '/a',
  '/%7e%7E~': '/~~~',
  '/a%c3%A9b': '/a%c3%A9b',
  '/a%20b': '/a%20b',
  '/a%25b': '/a%25b',
  '/a%2541b': '/a%2541b',
  '/a%3fb': '/a%3fb',
  '/a%23b': '/a%23b',
  '/a[b]': '/a[b]',
  '/a%5Bb': '/a%5Bb',
  '/a"<b>^`{|}': '/a%22%3Cb%3E%5E%60%7B%7C%7D',
  "/!$&'()*+,-.:;=@_": "/!$&'()*+,-.:;=@_",
  // Slashes alone keep two.
  '//': '//',
  '///': '//',
  '/.//': '//',
  '/\\': '//',
  // Parameters of dot segments fall before anything else is done.
  '/a/b/..;x/c': '/a/c',
  '/a/b/.;x/c': '/a/b/c',
  '/a/b/..;': '/a/',
  '/a/b/..;x?q=1;2/../3': '/a/',
  '/a/b/..;x/..;y/c': '/c',
  '/a/..;..;x/b': '/b',
  '/a/b/..;x\\c': '/a/',
  '/a/b/..%3bx/c': '/a/b/..%3bx/c',
  '/a/b/...;x/c': '/a/b/...;x/c',
  '/a/b/;../c': '/a/b/;../c',
};

describe('the form that Envoy gives', () => {
  for (const [raw, normal] of Object.entries(observed)) {
    test(`[PATH1] ${raw}`, () => {
      expect(pathAmbiguity(raw)).toBeUndefined();
      expect(normalisePath(raw)).toBe(normal);
    });
  }
});

/** Of each printable character, as Envoy answered for it alone and for its escape. */
const kept = "!$&'()*+,-.0123456789:;=@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]_abcdefghijklmnopqrstuvwxyz~";
const unescaped = '-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~';

test('[PATH1] [PATH2] every byte, as it is and escaped in either case', () => {
  for (let code = 0; code < 256; code++) {
    const char = String.fromCharCode(code);
    const hex = code.toString(16).padStart(2, '0');
    for (const escaped of [`%${hex}`, `%${hex.toUpperCase()}`]) {
      const plain = unescaped.includes(char) ? char : escaped;
      const wanted = '\0/\\'.includes(char) ? undefined : `/a${plain}b`;
      expect(normalisePath(`/a${escaped}b`), escaped).toBe(wanted);
    }
    if (code >= 128 || '\0#%/?\\'.includes(char)) continue;
    const wanted = kept.includes(char) ? char : `%${hex.toUpperCase()}`;
    expect(normalisePath(`/a${char}b`), hex).toBe(`/a${wanted}b`);
  }
});

test('[PATH1] what is not ASCII becomes escapes of its UTF-8', () => {
  expect(normalisePath('/é€😀')).toBe('/%C3%A9%E2%82%AC%F0%9F%98%80');
});

const parameters = 'a dot segment with parameters, written with an escape or "\\"';
const ambiguous: readonly (readonly [raw: string, reason: string])[] = [
  ['', 'does not start with "/"'],
  ['metrics', 'does not start with "/"'],
  ['?/metrics', 'does not start with "/"'],
  ['\\metrics', 'does not start with "/"'],
  ['http://a/metrics', 'does not start with "/"'],
  ['*', 'does not start with "/"'],
  ['/a%2f..%2fmetrics', 'encoded slash %2f at offset 2'],
  ['/a%2Fb', 'encoded slash %2F at offset 2'],
  ['/a%5cb', 'encoded backslash %5c at offset 2'],
  ['/a%5Cb', 'encoded backslash %5C at offset 2'],
  ['/a\0b', 'NUL at offset 2'],
  ['/a%00b', 'encoded NUL at offset 2'],
  ['/a#b', '"#" at offset 2'],
  ['/a%', 'broken escape at offset 2'],
  ['/a%4', 'broken escape at offset 2'],
  ['/a%4g', 'broken escape at offset 2'],
  ['/a%g4', 'broken escape at offset 2'],
  ['/%%341', 'broken escape at offset 1'],
  ['/a%4?1', 'broken escape at offset 2'],
  ['/a\ud800b', 'broken encoding: a lone surrogate'],
  ['/a/..;%2f/c', 'encoded slash %2f at offset 6'],
  ['/a/b/%2e%2e;x/c', parameters],
  ['/a/b/%2E;', parameters],
  ['/a/.%2e;', parameters],
  ['/%2e%2e;?x', parameters],
  ['/a\\..;x/b', parameters],
];

describe('a path that can be read in more than one way', () => {
  for (const [raw, reason] of ambiguous) {
    test(`[PATH2] ${JSON.stringify(raw)}`, () => {
      expect(pathAmbiguity(raw)).toBe(reason);
      expect(normalisePath(raw)).toBeUndefined();
    });
  }
});

const pieces = [
  '/',
  '/',
  '.',
  '..',
  '%2e',
  '%2E',
  '\\',
  'a',
  '%61',
  '%7e',
  '%c3',
  '%20',
  '?',
  '%',
  ';',
  '%2f',
  'é',
  ' ',
];
const path = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => `/${parts.join('')}`);

test('[PATH1] [PATH2] normal or ambiguous, never both', () => {
  const check = (raw: string) => {
    expect(normalisePath(raw) === undefined).toBe(pathAmbiguity(raw) !== undefined);
  };
  fc.assert(fc.property(path, check), { numRuns: 5000, seed: 21 });
  fc.assert(fc.property(fc.string({ unit: 'binary' }), check), { numRuns: 1000, seed: 22 });
});

test('[PATH1] a normal form is its own', () => {
  let moved = 0;
  fc.assert(
    fc.property(path, (raw) => {
      const normal = normalisePath(raw);
      if (normal === undefined) return;
      expect(normal.startsWith('/')).toBe(true);
      expect(normal).not.toMatch(/[\\?#\s]|\/\.{1,2}(\/|$)|.\/\/|\/\/./);
      expect(normalisePath(normal)).toBe(normal);
      if (normal !== raw) moved++;
    }),
    { numRuns: 5000, seed: 23 },
  );
  expect(moved).toBeGreaterThan(1000);
});

describe('a path that a proxy has normalised', () => {
  test.each([
    ['/a/..;x/b', '/a/%2e%2e;x/b'],
    ['/.;?..;/.;', '/%2e;?..;/.;'],
    ['/..;/..;/.;x', '/%2e%2e;/%2e%2e;/%2e;x'],
    ['/a..;x/b;/...;c?d', '/a..;x/b;/...;c?d'],
    ['*', '*'],
  ])('[PATH2] %s was %s', (normalised, before) => {
    expect(pathBefore(normalised)).toBe(before);
  });

  test('[PATH2] is the same where it is clear', () => {
    const check = (raw: string) => {
      const normal = normalisePath(raw);
      if (normal !== undefined) expect(pathBefore(normal)).toBe(normal);
    };
    fc.assert(fc.property(path, check), { numRuns: 5000, seed: 25 });
  });
});

test('[PATH1] a long path is read in one go', () => {
  const long = `/${'a/'.repeat(100_000)}`;
  expect(normalisePath(long)).toBe(long);
  expect(normalisePath(`${long}${'../'.repeat(100_000)}`)).toBe('/');
  expect(normalisePath(`${long}${'/'.repeat(100_000)}`)).toBe(long);
});
