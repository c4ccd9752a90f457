import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readJsonText } from '../../../src/gateway/http/read-json.ts';
import { Findings } from '../../../src/policy/text/finding.ts';
import { findJsonFaults } from '../../../src/policy/text/json-faults.ts';

/** JSON with and without faults, blanks between values and in strings, and spellings that are longer or shorter. */
const blanks = fc.constantFrom('', '', '', ' ', '  ', '\r\n', '\t');
const string = fc.constantFrom(
  '""',
  '"a"',
  '"a b"',
  '" "',
  '"\\u0061"',
  '"\\""',
  '"\\ud800"',
  '"constructor"',
);
const scalar = fc.constantFrom('0', '1', '10 ', '1e3', '1.0', '9007199254740993', '1e400', 'true', 'null');
const { whole } = fc.letrec<{ whole: string; list: string; map: string }>((tie) => ({
  list: fc.array(tie('whole'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
  map: fc
    .array(fc.tuple(blanks, string, blanks, tie('whole')), { maxLength: 4 })
    .map(
      (fields) => `{${fields.map(([gap, key, more, value]) => `${gap}${key}${more}:${value}`).join(',')}}`,
    ),
  whole: fc
    .tuple(blanks, fc.oneof({ maxDepth: 3 }, string, scalar, tie('list'), tie('map')), blanks)
    .map((parts) => parts.join('')),
}));

const fresh = Math.trunc(Math.random() * 2 ** 31);

test.each([20_261_119, fresh])('[SVC10] a text is read as by the slow reader (seed %i)', (seed) => {
  let [good, spaced] = [0, 0];
  fc.assert(
    fc.property(whole, (text) => {
      const findings = new Findings(100);
      findJsonFaults(text, 0, text.length, findings);
      const read = readJsonText(text, 'x');
      if (!read.ok) {
        expect([text, read.violations.map(({ code }) => code)]).toEqual([
          text,
          findings.list.map(({ code }) => code),
        ]);
        return;
      }
      expect([text, findings.list, read.value]).toEqual([text, [], JSON.parse(text)]);
      good++;
      if (/\s/.test(text)) spaced++;
    }),
    { seed, numRuns: 10_000 },
  );
  expect(Math.min(good, spaced, 10_000 - good)).toBeGreaterThan(1_000);
});

test('[SVC10] blanks in a string are no blanks between values', () => {
  // As many in the string as the repeated key takes.
  const read = readJsonText('{"a":1,"a":2,"b":"      "}', 'x');
  expect(read).toMatchObject({ ok: false, violations: [{ code: 'duplicate-key', place: { column: 8 } }] });
});
