import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { filesUnder } from './modules.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What git would ship; without git (an unpacked archive), what lies here but is not built or installed. */
function shipped(): string[] {
  try {
    const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
      .split('\0')
      .filter((file) => file !== '' && existsSync(join(root, file)));
  } catch {
    return filesUnder(root, '.', /^(?!dist\/|coverage\/|\.cache\/|\.git\/)/);
  }
}

/** Text of one machine has no place here: it would be wrong on every other. */
const forbidden: readonly { name: string; pattern: RegExp; where: RegExp }[] = [
  {
    name: "a path of somebody's machine",
    pattern: /(?<![\w.:/*-])\/(?:home|root|Users|work|var\/folders|tmp)\/[A-Za-z0-9_.-]+/g,
    where: /^(?!test\/rules\/words)/,
  },
  {
    name: 'the host of a package registry',
    // RFC 2606: names under .example belong to nobody, and image names in policies use them.
    pattern:
      /\b(?:registry|npm|nexus|artifactory|verdaccio)[\w-]*(?:\.[\w-]+)*\.(?!example\b)[a-z]{2,}(?::\d+)?\//g,
    where: /(?:^package-lock\.json|\.npmrc|\.md|\.ya?ml|\.ci\/run)$/,
  },
  { name: 'an address of a package', pattern: /"resolved": "https?:[^"]*"/g, where: /^package-lock\.json$/ },
];

function wordsIn(file: string, text: string): string[] {
  return forbidden
    .filter(({ where }) => where.test(file))
    .flatMap(({ name, pattern }) =>
      [...text.matchAll(pattern)].map((match) => `${file}: ${name}: ${match[0]}`),
    );
}

test('no file names a machine or a registry', () => {
  const text = (file: string) => readFileSync(join(root, file), 'utf8');
  const files = shipped().filter((file) => !file.endsWith('.png'));
  expect(files).toContain('package.json');
  expect(files.flatMap((file) => wordsIn(file, text(file)))).toEqual([]);
});

test.each([
  ['docs/a.md', 'see /home/someone/placet'],
  ['src/a.ts', "open('/Users/someone/x')"],
  ['package-lock.json', '"resolved": "https://a.b/c.tgz"'],
  ['.npmrc', 'registry=https://registry.npmjs.org/'],
  ['README.md', 'from https://npm.intern.net:4873/'],
])('%s with %s is caught', (file, text) => expect(wordsIn(file, text)).not.toEqual([]));

test.each([
  ['docs/a.md', 'GET /work is a request path, a/home/b another'],
  ['policies/a.yaml', 'image: registry.example/web@sha256:0'],
  ['docs/a.md', 'https://kubernetes.io/docs/ and npm ci'],
])('%s with %s is not', (file, text) => expect(wordsIn(file, text)).toEqual([]));
