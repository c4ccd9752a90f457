import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { checkSources, type Finding, formatFinding, unusedAllowances } from './check.ts';
import { areas, longestFile } from './layout.ts';
import { filesUnder, readSources } from './modules.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

function report(findings: readonly Finding[]): string {
  return findings.map(formatFinding).join('\n');
}

describe('the source tree', () => {
  const sources = readSources(root, filesUnder(root, 'src', /\.[cm]?[jt]sx?$/));

  test('keeps to the layout', () => {
    expect(report(checkSources(sources))).toBe('');
  });

  test('makes use of all that the layout allows', () => {
    expect(unusedAllowances(sources)).toEqual([]);
  });

  test(`has no file over ${longestFile} lines, tests and tools included`, () => {
    const all = new Map([
      ...sources,
      ...readSources(root, filesUnder(root, 'test', /\.ts$/)),
      ...readSources(root, filesUnder(root, 'tools', /\.ts$/)),
    ]);
    const lines = (text: string) => text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
    const sizes = [...sources.values()].map(lines).sort((a, b) => a - b);
    const median = sizes[Math.floor(sizes.length / 2)];
    console.log(`src: ${sizes.length} files, median ${median} lines, longest ${sizes.at(-1)}`);
    const long = [...all].filter(([, text]) => lines(text) > longestFile);
    expect(long.map(([file, text]) => `${file}: ${lines(text)} lines`)).toEqual([]);
  });

  test('has a reason for every row of the table, and rows only for names that exist', () => {
    const names = new Set(areas.map((area) => area.name));
    for (const area of areas) {
      expect(area.reason.length, area.name).toBeGreaterThan(40);
      for (const other of Object.keys(area.may)) expect(names).toContain(other);
    }
  });
});

/** Each must be caught, with these words; the same tree without its last file must not be. */
const breaches: readonly { name: string; files: Record<string, string>; says: string }[] = [
  {
    name: 'pdp imports policy',
    files: {
      'src/policy/load.ts': 'export const a = 1;',
      'src/pdp/decide.ts': "import { a } from '../policy/load.ts';",
    },
    says: 'pdp imports policy (src/policy/load.ts)',
  },
  {
    name: 'model imports pdp, as a type too',
    files: {
      'src/pdp/a.ts': 'export type A = 1;',
      'src/pdp/model/b.ts': "export type B = import('../a.ts').A;",
    },
    says: 'model imports pdp (src/pdp/a.ts)',
  },
  {
    name: 'an export from elsewhere is an import',
    files: { 'src/envoy/a.ts': 'export const a = 1;', 'src/gateway/b.ts': "export * from '../envoy/a.ts';" },
    says: 'gateway imports envoy (src/envoy/a.ts)',
  },
  {
    name: 'gateway imports a value of attributes',
    files: {
      'src/attributes/a.ts': 'export const a = 1; export type A = 1;',
      'src/gateway/b.ts': "import { a } from '../attributes/a.ts';",
    },
    says: 'gateway imports a value of attributes (src/attributes/a.ts), not only types',
  },
  {
    name: 'somebody imports the command line',
    files: { 'src/cli/a.ts': 'export const a = 1;', 'src/index.ts': "import { a } from './cli/a.ts';" },
    says: 'root imports cli (src/cli/a.ts)',
  },
  { name: 'pdp uses node', files: { 'src/pdp/a.ts': "import 'node:fs';" }, says: 'pdp imports node:fs' },
  {
    name: 'policy reads files in another file than its own',
    files: { 'src/policy/files.ts': "import 'node:fs';", 'src/policy/a.ts': "import 'node:fs';" },
    says: 'policy imports node:fs outside src/policy/files.ts',
  },
  {
    name: 'a package that the area may not have',
    files: { 'src/pdp/a.ts': "import { z } from 'zod';" },
    says: 'pdp imports the package zod; it may import none',
  },
  {
    name: 'a part of a package is that package',
    files: { 'src/policy/a.ts': "import x from '@scope/name/part';" },
    says: 'policy imports the package @scope/name; it may import yaml, zod',
  },
  {
    name: 'a package in a second file',
    files: {
      'src/attributes/a.ts': "import { jwtVerify } from 'jose';",
      'src/attributes/b.ts': "import type { JWK } from 'jose';",
    },
    says: 'src/attributes/a.ts, src/attributes/b.ts: import jose in more than one file',
  },
  {
    name: 'a package outside its folder',
    files: {
      'src/policy/text/a.ts': "import 'yaml';",
      'src/policy/b.ts': "import type { Node } from 'yaml';",
    },
    says: 'src/policy/b.ts:1: imports yaml outside src/policy/text/',
  },
  {
    name: 'a cycle',
    files: {
      'src/pdp/a.ts': "import './b.ts';",
      'src/pdp/b.ts': "import './c.ts';",
      'src/pdp/c.ts': "import type { A } from './a.ts';",
    },
    says: 'imports itself: src/pdp/a.ts -> src/pdp/b.ts -> src/pdp/c.ts -> src/pdp/a.ts',
  },
  {
    name: 'a dynamic import outside the command line',
    files: { 'src/policy/a.ts': 'export {};', 'src/policy/b.ts': "await import('./a.ts');" },
    says: 'policy imports dynamically',
  },
  {
    name: 'a computed import',
    files: { 'src/cli/a.ts': "const name = './b.ts'; await import(name);" },
    says: 'imports what is no string literal',
  },
  {
    name: 'a template is no string literal',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a program
    files: { 'src/cli/a.ts': 'const n = 1; await import(`./${n}.ts`);' },
    says: 'imports what is no string literal',
  },
  {
    name: 'an import inside a template is an import',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a program
    files: { 'src/pdp/a.ts': "export const a = `${await import('node:fs')}`;" },
    says: 'pdp imports node:fs',
  },
  {
    name: 'require',
    files: {
      'src/envoy/a.ts': "import { createRequire } from 'node:module'; createRequire(import.meta.url)('./b');",
    },
    says: 'reaches modules by require',
  },
  {
    name: 'process.getBuiltinModule',
    files: { 'src/policy/a.ts': "process.getBuiltinModule('fs');" },
    says: 'reaches modules by require',
  },
  { name: 'an import without .ts', files: { 'src/pdp/a.ts': "import './b.js';" }, says: 'imports ./b.js' },
  {
    name: 'an import of generated code from elsewhere',
    files: { 'src/envoy/xds/a.ts': "import '../proto/generated/a_pb.js';" },
    says: 'imports ../proto/generated/a_pb.js',
  },
  {
    name: 'an import of nothing',
    files: { 'src/pdp/a.ts': "import './b.ts';" },
    says: 'there is no src/pdp/b.ts',
  },
  {
    name: 'an import out of src',
    files: { 'src/pdp/a.ts': "import '../../test/x.ts';" },
    says: 'src imports only src',
  },
  { name: 'a folder that is no area', files: { 'src/util/a.ts': 'export {};' }, says: 'stands in no area' },
  {
    name: 'a clock in the core',
    files: { 'src/pdp/a.ts': 'export const a = Date.now();' },
    says: 'uses Date',
  },
  {
    name: 'chance in the core',
    files: { 'src/pdp/a.ts': 'export const a = Math.random();' },
    says: 'uses .random',
  },
  {
    name: "the machine's locale in the core",
    files: { 'src/pdp/a.ts': "export const a = ['b'].sort((x, y) => x.localeCompare(y));" },
    says: 'uses .localeCompare',
  },
  {
    name: 'a reference to other types in the core',
    files: { 'src/pdp/a.ts': '/// <reference types="node" />\nexport {};' },
    says: 'has a /// <reference> comment',
  },
  {
    name: 'a file that is too long',
    files: { 'src/pdp/a.ts': 'export {};\n'.repeat(longestFile + 1) },
    says: `has ${longestFile + 1} lines`,
  },
  { name: 'a file that does not parse', files: { 'src/pdp/a.ts': 'const = ;' }, says: 'does not parse' },
];

describe('what the check must catch', () => {
  for (const { name, files, says } of breaches) {
    test(name, () => {
      const all = Object.entries(files);
      const text = report(checkSources(new Map(all)));
      expect(text).toContain(says);
      expect(text).toMatch(/\n {4}because /);
    });
  }
});

const clean: readonly { name: string; files: Record<string, string> }[] = [
  {
    name: 'comments and strings are no imports',
    files: {
      'src/pdp/a.ts': [
        "// import 'node:fs';",
        "/* export * from 'zod'; */",
        'export const text = "import \'node:fs\'; Date.now()";',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a program
        "export const more = `import('node:fs') ${text} require('x')`;",
        'export const pattern = /import "node:fs"/;',
      ].join('\n'),
    },
  },
  {
    name: 'a key or a member named like a host object is none',
    files: {
      'src/pdp/a.ts': 'export const a = { process: 1, Date: 2 };\nexport const b = a.process + a.Date;',
    },
  },
  {
    name: `a file of ${longestFile} lines`,
    files: { 'src/pdp/a.ts': 'export {};\n'.repeat(longestFile) },
  },
  {
    name: 'gateway imports types of attributes',
    files: {
      'src/attributes/a.ts': 'export type A = 1;',
      'src/gateway/b.ts': "import type { A } from '../attributes/a.ts';\nexport type B = A;",
    },
  },
  {
    name: 'generated code is imported beside its folder',
    files: { 'src/envoy/proto/a.ts': "import './generated/b/a_pb.js';" },
  },
  {
    name: 'the command line loads an edge late',
    files: { 'src/envoy/a.ts': 'export {};', 'src/cli/main.ts': "await import('../envoy/a.ts');" },
  },
];

describe('what the check must let pass', () => {
  for (const { name, files } of clean) {
    test(name, () => expect(report(checkSources(new Map(Object.entries(files))))).toBe(''));
  }
});
