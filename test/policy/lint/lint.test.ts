import { describe, expect, test } from 'vitest';
import type { Finding, LintCode } from '../../../src/policy/lint/lint.ts';
import {
  choicesOf,
  failingOf,
  findingsIn,
  fixtureCodes,
  goldenOf,
  read,
  show,
  withChange,
} from './fixtures.ts';

const titles: Readonly<Record<LintCode, string>> = {
  'prefix-inside-segment': '[LINT1] a prefix that ends inside a segment',
  'never-decides': '[LINT2] a rule that never decides',
  'selects-nothing': '[LINT3] a selector that selects nothing',
  'only-denies': '[LINT4] a policy that only denies where nothing allows',
  'no-source': '[LINT5] an attribute that nothing provides',
  'tcp-l7': '[LINT6] a deny by method or path on a TCP inbound',
  'labels-across-namespaces': '[LINT7] a label that anybody can set',
  'key-without-scope': '[LINT8] a key without a scope',
  'alias-on-wrong-side': '[LINT9] a name of the other side',
  'other-certificates': '[LINT10] permissions of the form that certificates do not fit',
  'bars-everybody': '[LINT11] a ban by tags of clients whose tags nobody knows',
  masks: '[LINT12] a policy that decides before one of another sort',
  'floor-out-of-reach': '[LINT14] a floor that no evidence reaches',
  'nobody-may-set': '[LINT15] an attribute that nobody who is meant may set',
  'unread-key': '[LINT16] a key of the site that no policy reads',
  'misspelt-label': '[LINT17] a label that is nearly one that decides',
  'strange-levels': '[LINT18] a value with levels that none has',
  'unknown-trust-domain': '[LINT19] a trust domain that is nearly one that is named',
};

/** Notes stand beside whatever else is found. */
function said(code: string, text: string, file: string): readonly Finding[] {
  return findingsIn(text, file).filter(({ severity }) => (severity === 'note') === (code === 'masks'));
}

test('every code has fixtures', () => {
  expect(fixtureCodes).toEqual(Object.keys(titles).sort());
});

describe.each(Object.entries(titles))('%s: %s', (code, title) => {
  const files = failingOf(code);

  test(`${title} is found, with its place and words`, async () => {
    const texts = files.map((file) => said(code, read(code, file), file).map(show).join(''));
    await expect(texts.join('')).toMatchFileSnapshot(goldenOf(code));
  });

  test.each(files)('%s: this alone is found, and each change that the hint names silences it', (file) => {
    const text = read(code, file);
    expect(said(code, text, file).map((finding) => finding.code)).toEqual([code]);
    const choices = choicesOf(text);
    expect(choices).not.toEqual([]);
    for (const choice of choices)
      expect([choice, said(code, withChange(text, choice), file).map(show)]).toEqual([choice, []]);
  });

  test('what is near to it passes', () => {
    expect(said(code, read(code, 'passing.yaml'), 'passing.yaml').map(show)).toEqual([]);
  });
});
