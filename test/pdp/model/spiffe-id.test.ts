import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { limits } from '../../../src/pdp/model/limits.ts';
import { isSpiffeId, SpiffeId, spiffeIdFault, TrustDomain } from '../../../src/pdp/model/spiffe-id.ts';

/** The grammar of the standard (§2.1–§2.3), read by cutting instead of scanning. */
function twin(text: string): boolean {
  if (new TextEncoder().encode(text).length > 2048) return false;
  const [scheme, empty, trustDomain, ...segments] = text.split('/');
  if (scheme !== 'spiffe:' || empty !== '' || trustDomain === undefined) return false;
  const letters = 'abcdefghijklmnopqrstuvwxyz0123456789._-';
  const legal = (word: string, set: string) => word !== '' && [...word].every((char) => set.includes(char));
  if (trustDomain.length > 255 || !legal(trustDomain, letters)) return false;
  return segments.every(
    (segment) =>
      legal(segment, `${letters}ABCDEFGHIJKLMNOPQRSTUVWXYZ`) && segment !== '.' && segment !== '..',
  );
}

function agree(text: string): void {
  const wanted = twin(text);
  const shown = JSON.stringify(text.slice(0, 80));
  expect(isSpiffeId(text), shown).toBe(wanted);
  expect(spiffeIdFault(text) === undefined, shown).toBe(wanted);
  const parsed = SpiffeId.parse(text);
  expect(parsed.ok, shown).toBe(wanted);
  if (parsed.ok) {
    expect(String(parsed.value)).toBe(text);
    expect(`spiffe://${parsed.value.trustDomain}${parsed.value.path}`).toBe(text);
  }
}

const classes: Readonly<Record<string, readonly [string, string]>> = {
  'first of the scheme': ['', 'piffe://td/a'],
  'in the scheme': ['spi', 'fe://td/a'],
  'before the scheme': ['', 'spiffe://td/a'],
  'for the colon': ['spiffe', '//td/a'],
  'for the first slash': ['spiffe:', '/td/a'],
  'for the second slash': ['spiffe:/', 'td/a'],
  'after the scheme': ['spiffe://', '/a'],
  'first of the trust domain': ['spiffe://', 'td/a'],
  'middle of the trust domain': ['spiffe://t', 'd/a'],
  'last of the trust domain': ['spiffe://td', '/a'],
  'end of a bare trust domain': ['spiffe://td', ''],
  'only one of a segment': ['spiffe://td/', '/b'],
  'first of a segment': ['spiffe://td/', 'ab/c'],
  'middle of a segment': ['spiffe://td/a', 'b/c'],
  'last of a segment': ['spiffe://td/ab', '/c'],
  'beside a dot': ['spiffe://td/.', '/c'],
  'before a dot': ['spiffe://td/', './c'],
  'beside two dots': ['spiffe://td/..', '/c'],
  'only one of the last segment': ['spiffe://td/a/', ''],
  'last of all': ['spiffe://td/a/b', ''],
};
const beyond = [
  0x131, 0x17f, 0x212a, 0xff0e, 0xff21, 0xfeff, 0x200b, 0x10ffff, 0xd800, 0xdfff, 0x100, 0x16f, 0x12f,
];

describe('every byte value in every position', () => {
  for (const [name, [before, after]] of Object.entries(classes)) {
    test(`[ID1] [ID2] [ID3] ${name}`, () => {
      for (let code = 0; code < 256; code++) agree(before + String.fromCharCode(code) + after);
      for (const code of beyond) agree(before + String.fromCodePoint(code) + after);
      agree(before + after);
    });
  }
});

test('[ID1] [ID2] [ID3] what scans and what cuts agree on anything', () => {
  const piece = fc.constantFrom(
    '/',
    '.',
    '..',
    'a',
    'Z',
    '9',
    '-',
    '_',
    '%',
    ':',
    '@',
    '?',
    '#',
    ' ',
    'é',
    'td',
    'ns',
  );
  const near = fc
    .tuple(fc.constantFrom('spiffe://', 'spiffe:/', 'Spiffe://', ''), fc.array(piece, { maxLength: 10 }))
    .map(([head, tail]) => head + tail.join(''));
  fc.assert(fc.property(near, agree), { numRuns: 5000, seed: 11 });
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 40 }), agree), { numRuns: 1000, seed: 12 });
});

test('[ID1] at most 2048 bytes in all', () => {
  const head = 'spiffe://td/';
  const at = head + 'a'.repeat(limits.spiffeIdBytes - head.length);
  agree(at);
  expect(isSpiffeId(at)).toBe(true);
  agree(`${at}a`);
  expect(spiffeIdFault(`${at}a`)).toEqual({
    rule: 'ID1',
    offset: 2048,
    message: 'longer than the 2048 bytes that a SPIFFE ID may have',
  });
  agree(`${head}${'é'.repeat(1024)}`);
});

test('[ID2] a trust domain has 1 to 255 bytes', () => {
  const name = 'a'.repeat(limits.trustDomainBytes);
  for (const text of [name, `${name}a`, '']) {
    agree(`spiffe://${text}`);
    agree(`spiffe://${text}/x`);
    expect(TrustDomain.parse(text).ok).toBe(text === name);
  }
  expect(spiffeIdFault(`spiffe://${name}a/x`)?.offset).toBe(9 + 255);
});

test('[ID2] a trust domain alone is read by the same rules', () => {
  const parsed = TrustDomain.parse('td.example');
  expect(parsed.ok && parsed.value.name).toBe('td.example');
  expect(TrustDomain.parse('td/x')).toMatchObject({ ok: false, fault: { rule: 'ID2', offset: 2 } });
  expect(TrustDomain.parse('spiffe://td')).toMatchObject({ ok: false, fault: { offset: 6 } });
});

test('[ID3] the path is empty or led by a slash', () => {
  const bare = SpiffeId.parse('spiffe://td');
  expect(bare.ok && bare.value.path).toBe('');
  const full = SpiffeId.parse('spiffe://td/ns/A.b_c-9/...');
  expect(full.ok && full.value.path).toBe('/ns/A.b_c-9/...');
});

const faults: readonly (readonly [
  text: string,
  rule: string,
  offset: number,
  message: string,
  hint?: string,
])[] = [
  ['', 'ID1', 0, 'got the end at offset 0, a SPIFFE ID starts with spiffe://'],
  ['spiffe:/', 'ID1', 8, 'got the end at offset 8, a SPIFFE ID starts with spiffe://'],
  [
    'SPIFFE://td/a',
    'ID1',
    0,
    'got "S" (0x53) at offset 0, a SPIFFE ID starts with spiffe://',
    'write spiffe://td/a',
  ],
  ['https://td/a', 'ID1', 0, 'got "h" (0x68) at offset 0, a SPIFFE ID starts with spiffe://'],
  [
    'cluster.local/ns/a',
    'ID1',
    0,
    'got "c" (0x63) at offset 0, a SPIFFE ID starts with spiffe://',
    'write spiffe://cluster.local/ns/a',
  ],
  ['spiffe://', 'ID2', 9, 'the trust domain at offset 9 is empty'],
  ['spiffe:///a', 'ID2', 9, 'the trust domain at offset 9 is empty'],
  [
    'spiffe://Td.Example/a',
    'ID2',
    9,
    'got "T" (0x54) at offset 9, a trust domain has only a-z 0-9 . _ -',
    'write td.example',
  ],
  [
    'spiffe://td:8443/a',
    'ID2',
    11,
    'got ":" (0x3a) at offset 11, a trust domain has only a-z 0-9 . _ -',
    'a trust domain has no port',
  ],
  [
    'spiffe://me@td/a',
    'ID2',
    11,
    'got "@" (0x40) at offset 11, a trust domain has only a-z 0-9 . _ -',
    'a trust domain has no user info',
  ],
  ['spiffe://tdı/a', 'ID2', 11, 'got U+0131 at offset 11, a trust domain has only a-z 0-9 . _ -'],
  [
    'spiffe://td?x',
    'ID2',
    11,
    'got "?" (0x3f) at offset 11, a trust domain has only a-z 0-9 . _ -',
    'a SPIFFE ID has no query',
  ],
  ['spiffe://td/', 'ID3', 11, 'trailing slash at offset 11', 'write spiffe://td'],
  ['spiffe://td/a/', 'ID3', 13, 'trailing slash at offset 13', 'write spiffe://td/a'],
  ['spiffe://td/a//b', 'ID3', 14, 'empty path segment at offset 14', 'write one slash'],
  ['spiffe://td/./b', 'ID3', 12, 'path segment "." at offset 12', 'write the path without dot segments'],
  ['spiffe://td/a/..', 'ID3', 14, 'path segment ".." at offset 14', 'write the path without dot segments'],
  [
    'spiffe://td/%61',
    'ID3',
    12,
    'got "%" (0x25) at offset 12, a path segment has only A-Z a-z 0-9 . _ -',
    'percent-encoding is not allowed, and nothing is decoded',
  ],
  [
    'spiffe://td/a#b',
    'ID3',
    13,
    'got "#" (0x23) at offset 13, a path segment has only A-Z a-z 0-9 . _ -',
    'a SPIFFE ID has no fragment',
  ],
  [
    'spiffe://td/a\n',
    'ID3',
    13,
    'got 0x0a at offset 13, a path segment has only A-Z a-z 0-9 . _ -',
    'spaces and control characters are not allowed, not at the ends either',
  ],
  [
    'spiffe://td/*',
    'ID3',
    12,
    'got "*" (0x2a) at offset 12, a path segment has only A-Z a-z 0-9 . _ -',
    'a SPIFFE ID has no wildcards',
  ],
  ['spiffe://td/a/😀', 'ID3', 14, 'got U+1F600 at offset 14, a path segment has only A-Z a-z 0-9 . _ -'],
];
describe('a refusal says which byte at which offset', () => {
  for (const [text, rule, offset, message, hint] of faults) {
    test(`[ID4] ${JSON.stringify(text)}`, () => {
      expect(spiffeIdFault(text)).toEqual({ rule, offset, message, ...(hint === undefined ? {} : { hint }) });
    });
  }
});

test('[ID4] nothing is repaired: what is refused never parses to something else', () => {
  for (const [text] of faults) expect(SpiffeId.parse(text).ok).toBe(false);
});
