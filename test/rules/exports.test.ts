import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { formatFinding } from './check.ts';
import { unusedExports } from './exports.ts';
import { filesUnder, readSources } from './modules.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('of what src exports, somebody imports each', () => {
  const files = ['src', 'test', 'tools'].flatMap((folder) => filesUnder(root, folder, /\.ts$/));
  // Who does not so much as mention src imports nothing of it.
  const sources = [...readSources(root, files)].filter(
    ([file, text]) => /^src\//.test(file) || /\bsrc\//.test(text),
  );
  expect(unusedExports(new Map(sources)).map(formatFinding).join('\n')).toBe('');
});

const both = 'export const one = 1;\nexport const two = one;';

const unused: readonly { name: string; files: Record<string, string> }[] = [
  {
    name: 'a value that only its own file uses',
    files: { 'src/a.ts': both, 'src/b.ts': "import { two } from './a.ts';" },
  },
  { name: 'a function', files: { 'src/a.ts': 'export function one() {}' } },
  { name: 'a class', files: { 'src/a.ts': 'export class one {}' } },
  { name: 'a name of an export list', files: { 'src/a.ts': 'const one = 1;\nexport { one };' } },
  {
    name: 'a type that is passed on',
    files: {
      'src/a.ts': "export type { one } from './b/c.ts';",
      'src/b/c.ts': 'export type one = 1;',
    },
  },
  {
    name: 'a value whose namesake is imported',
    files: {
      'src/a.ts': 'export const one = 1;',
      'src/b/a.ts': 'export const one = 1;',
      'test/a.ts': "import { one } from '../src/b/a.ts';",
    },
  },
  {
    name: 'a value of a file that is loaded late, which the loader does not name',
    files: { 'src/a.ts': both, 'src/cli/main.ts': "(await import('../a.ts')).two;" },
  },
  {
    name: 'a value that another file imports in a comment',
    files: { 'src/a.ts': 'export const one = 1;', 'test/a.ts': "// import { one } from '../src/a.ts';" },
  },
];

describe('what is found', () => {
  for (const { name, files } of unused) {
    test(name, () => {
      const found = unusedExports(new Map(Object.entries(files)))
        .map(formatFinding)
        .join('\n');
      expect(found).toMatch(/^src\/a\.ts:\d: exports one, which nobody imports\n {4}because /);
      expect(found.split('exports')).toHaveLength(2);
    });
  }
});

const used: readonly { name: string; files: Record<string, string> }[] = [
  {
    name: 'a value that a test imports by another name',
    files: { 'src/a.ts': 'export const one = 1;', 'test/a.ts': "import { one as two } from '../src/a.ts';" },
  },
  {
    name: 'a value that is passed on by another name',
    files: {
      'src/a.ts': 'export const one = 1;',
      'src/b.ts': "export { one as two } from './a.ts';",
      'tools/a.ts': "import { two } from '../src/b.ts';",
    },
  },
  {
    name: 'what programs that install the package import',
    files: { 'src/a.ts': 'export const one = 1;', 'src/index.ts': "export { one } from './a.ts';" },
  },
  {
    name: 'what is used of a whole file',
    files: { 'src/a.ts': both, 'src/b.ts': "import * as a from './a.ts';\na.one + a.two;" },
  },
  {
    name: 'what is used of a file that is loaded late',
    files: { 'src/a.ts': both, 'src/cli/main.ts': "const { one, two } = await import('../a.ts');" },
  },
  { name: 'a type that its own file declares', files: { 'src/a.ts': 'export type one = 1;' } },
];

describe('what is not', () => {
  for (const { name, files } of used) {
    test(name, () => expect(unusedExports(new Map(Object.entries(files)))).toEqual([]));
  }
});
