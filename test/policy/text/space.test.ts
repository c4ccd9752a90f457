import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Findings } from '../../../src/policy/text/finding.ts';
import { readJson } from '../../../src/policy/text/json.ts';
import { findJsonFaults } from '../../../src/policy/text/json-faults.ts';
import { leastSpace } from '../../../src/policy/text/json-space.ts';

const runs = { numRuns: 20_000, seed: 20_261_118 };

/** JSON in all its spellings: spaces, escapes, numbers with exponents, and keys again and again. */
const space = fc.constantFrom('', '', '', ' ', '\n');
const string = fc.constantFrom('""', '"a"', '"b"', '"\\u0061"', '"\\n"', '"é"', '"constructor"', '"ab:,"');
const number = fc.oneof(
  fc.constantFrom('0', '-0', '1', '10', '100', '1000', '1e3', '1E3', '1.0', '12e2', '1e9', '1e21', '0.001'),
  fc.constantFrom('1e-3', '100000', '1e5', '9007199254740993', '1e400', '1000000000000', '-1e6', '120'),
);
const { whole } = fc.letrec<{ whole: string; list: string; map: string }>((tie) => ({
  list: fc.array(tie('whole'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
  map: fc
    .array(fc.tuple(space, string, tie('whole')), { maxLength: 4 })
    .map((fields) => `{${fields.map(([gap, key, value]) => `${gap}${key}:${value}`).join(',')}}`),
  whole: fc.oneof(
    { maxDepth: 3 },
    string,
    number,
    fc.constantFrom('true', 'false', 'null'),
    tie('list'),
    tie('map'),
  ),
}));

function faults(text: string): number {
  const findings = new Findings(100);
  findJsonFaults(text, 0, text.length, findings);
  return findings.list.length;
}

describe('texts that need not be read twice', () => {
  test('[SVC10] a text as short as its value allows has no fault, however it is spelt', () => {
    let short = 0;
    fc.assert(
      fc.property(whole, (text) => {
        if (leastSpace(JSON.parse(text)) !== text.length) return;
        short++;
        expect([text, faults(text), JSON.stringify(JSON.parse(text)).length]).toEqual([text, 0, text.length]);
      }),
      runs,
    );
    expect(short).toBeGreaterThan(2_000);
  });

  test('[SVC10] what machines write is such a text', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        if (
          text.includes('\\') ||
          text.includes('constructor') ||
          /[.e]|000/.test(text.replaceAll(/".*?"/g, ''))
        )
          return;
        expect([text, leastSpace(JSON.parse(text))]).toEqual([text, text.length]);
      }),
      { ...runs, numRuns: 2_000 },
    );
  });

  test('[SVC10] a number that is spelt shorter makes no room for a key that is there twice', () => {
    for (const text of [
      '{"a":1,"a":1e9 }',
      '{"a":7,"a":1e7}',
      '{"a":"","a":1e8}',
      '[1e3,1e3,{"b":1,"b":1e5}]',
    ]) {
      const findings = new Findings(10);
      readJson(text, 0, text.length, true, findings);
      expect([text, findings.list.length]).toEqual([text, 1]);
    }
  });

  test('[SVC10] depth is bounded in short texts and in long ones', () => {
    for (const depth of [64, 65, 60_000, 100_000]) {
      const text = '['.repeat(depth) + ']'.repeat(depth);
      const findings = new Findings(10);
      const read = readJson(text, 0, text.length, true, findings);
      expect(read === undefined ? findings.list[0]?.message : 'read').toBe(
        depth === 64 ? 'read' : 'nesting deeper than 64 levels',
      );
    }
  });
});
