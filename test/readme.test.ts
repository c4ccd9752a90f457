import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { filesUnder } from './rules/modules.ts';
import { blocksOf, commandsOf, refreshed, withShell } from './sessions.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...filesUnder(root, 'docs', /\.md$/)];
const read = (file: string) => readFileSync(join(root, file), 'utf8');

/**
 * What the other blocks show is run elsewhere: `.ci/run` runs the first two in a fresh clone, test/release packs
 * and installs.
 */
const runElsewhere = new Set([
  'npm ci && npm start',
  // What the service prints at its start is run by test/gateway/config.
  `curl -s http://127.0.0.1:8420/decide -H 'content-type: application/json' -d '{"source":{"attributes":{"k8s:ns":"legacy"}},"destination":{"service":"shadow/api"}}'`,
  'npm ci && npm test',
  'bash .ci/run',
  'npm pack',
  `npm install ./${manifest.name}-${manifest.version}.tgz`,
]);

describe('what the documents show', () => {
  test.each(pages.filter((file) => /^```console$/m.test(read(file))))(
    '%s: every command prints what stands there (npm run goldens refreshes it)',
    async (file) => {
      const now = withShell((runCommand) => refreshed(read(file), runCommand));
      await expect(now).toMatchFileSnapshot(join(root, file));
    },
  );

  test('README.md: every other command is run elsewhere, or is a script that exists', () => {
    const commands = blocksOf(read('README.md'))
      .filter(({ language }) => language === 'sh')
      .flatMap(({ lines }) => lines)
      .filter((line) => line !== '' && !runElsewhere.has(line));
    const unknown = commands.filter((line) => {
      const script =
        /^(?:alias placet=")?npm (?:--prefix '\$PWD' )?(?:run )?(?:-s |--silent )?([\w-]+)/.exec(line)?.[1] ??
        '';
      return !Object.hasOwn(manifest.scripts, script);
    });
    expect(unknown).toEqual([]);
  });

  test.each(pages)('%s: every link to a file leads to one', (file) => {
    const links = [...read(file).matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)].map(
      (match) => match[1] ?? '',
    );
    expect(links.filter((link) => !existsSync(join(root, dirname(file), link)))).toEqual([]);
  });
});

describe('reading sessions', () => {
  const text = 'a\n```console\n$ one \\\n  two\nold\n$ three\n```\nb\n```sh\n$ no\n```\n';

  test('finds commands, continued lines included', () => {
    expect(commandsOf(blocksOf(text)[0]?.lines ?? [])).toEqual(['one \\\n  two', 'three']);
  });
  test('replaces output and nothing else', () => {
    const now = refreshed(text, (command) => (command === 'three' ? '' : 'new\nlines\n'));
    expect(now).toBe('a\n```console\n$ one \\\n  two\nnew\nlines\n$ three\n```\nb\n```sh\n$ no\n```\n');
  });
  test('shows what goes to standard error, and goes on after a failure', () => {
    const said = withShell((runCommand) => runCommand('echo bad >&2; false; echo "exit $?"'));
    expect(said).toBe('bad\nexit 1\n');
  });
});
