import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { filesUnder, readSources } from './modules.ts';
import { compareIds, idsInTests, rulesOf, unknownInComments } from './spec-ids.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('docs/SPEC.md and the tests', () => {
  test('know the same numbers', () => {
    // The fixtures below carry numbers that are nobody's.
    const files = filesUnder(root, 'test', /\.test\.ts$/).filter((file) => !file.startsWith('test/rules/'));
    const spec = readSources(root, ['docs/SPEC.md']).get('docs/SPEC.md') ?? '';
    expect(rulesOf(spec).length).toBeGreaterThan(50);
    expect(compareIds(spec, readSources(root, files)).join('\n')).toBe('');
  });

  test('and so do the comments of the source', () => {
    const spec = readSources(root, ['docs/SPEC.md']).get('docs/SPEC.md') ?? '';
    const sources = readSources(root, filesUnder(root, 'src', /\.ts$/));
    expect(unknownInComments(spec, sources)).toEqual([]);
  });
});

const spec = '# Rules\n- **[AA1]** one\n- **[AA2]** two, see [AA1]\n';
const compare = (text: string) => compareIds(spec, new Map([['test/a.test.ts', text]]));

describe('the comparison', () => {
  test('is content when every number is on both sides', () => {
    expect(compare("test('[AA1] [AA2] both', () => {});")).toEqual([]);
  });
  test('names a rule without a test, with its line', () => {
    expect(compare("test('[AA1] one', () => {});")).toEqual([
      'docs/SPEC.md:3: [AA2] has no test that carries it in its title',
    ]);
  });
  test('names a test whose number is no rule', () => {
    expect(compare("test('[AA1] [AA2] [AA3] three', () => {});")).toEqual([
      'test/a.test.ts: [AA3] is no rule of docs/SPEC.md',
    ]);
  });
  test('names a number that the specification gives twice', () => {
    expect(compareIds(`${spec}- **[AA1]** again\n`, new Map([['t', "test('[AA1] [AA2]', f);"]]))).toEqual([
      'docs/SPEC.md:4: [AA1] stands on line 2 already',
    ]);
  });
  test('names a number in a comment that is no rule', () => {
    const text = '// AA1, by X509 and ES256\nconst AA4 = 1;\n/** SPEC AA3. */';
    expect(unknownInComments(spec, new Map([['src/a.ts', text]]))).toEqual([
      'src/a.ts:3: AA3 is no rule of docs/SPEC.md',
    ]);
  });
  test.each([
    ["describe('[AA1] group', () => {});", ['AA1']],
    ["test.each([1])('[AA1] each', () => {});", ['AA1']],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a program
    ['for (const x of y) test(`[AA1] ${x} [AA2]`, () => {});', ['AA1', 'AA2']],
    ["const rows = [{ title: '[AA1] from a table' }];", ['AA1']],
    ["const rows = [['[AA1] [AA2] from a table', 1]];", ['AA1', 'AA2']],
    ["test.fails('[AA1] known', () => {});", ['AA1']],
  ])('finds the numbers in %s', (text, ids) => expect(idsInTests('a.test.ts', text)).toEqual(ids));
  test.each([
    "// test('[AA1] a comment', () => {});",
    "test.skip('[AA1] later', () => {});",
    "test.todo('[AA1] one day');",
    "expect(text).toBe('see [AA1]');",
  ])('does not take for proof: %s', (text) => expect(idsInTests('a.test.ts', text)).toEqual([]));
});
