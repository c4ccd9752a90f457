import { spawnSync } from 'node:child_process';
import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { buildProgram } from '../../src/cli/program.ts';
import { Output } from '../../src/cli/terminal/output.ts';
import { roles } from '../../src/pdp/model/request.ts';
import { trustLevels } from '../../src/pdp/model/trust.ts';
import { run } from './world.ts';

function every(command: Command, path: readonly string[] = []): string[][] {
  const children = command.commands.filter((child) => child.name() !== 'help');
  const own = path.length === 0 ? [] : [[...path]];
  return [...own, ...children.flatMap((child) => every(child, [...path, child.name()]))];
}

const output = () => new Output(new PassThrough(), {});
const commands = every(buildProgram({ in: new PassThrough(), out: output(), err: output() }, () => {}));

/** Commands with commands below them, and the names of these. */
const parents = new Map<readonly string[], readonly string[]>();
const program = buildProgram({ in: new PassThrough(), out: output(), err: output() }, () => {});
for (const command of [program, ...program.commands]) {
  const below = command
    .createHelp()
    .visibleCommands(command)
    .map((child) => child.name());
  if (below.length > 0) parents.set(command === program ? [] : [command.name()], below);
}

describe('help', () => {
  test('[CLI9] knows its commands', () => {
    expect(commands.map((path) => path.join(' '))).toEqual(
      expect.arrayContaining([
        'check',
        'decide',
        'explain',
        'test',
        'encode images',
        'attributes',
        'lint',
        'tour',
      ]),
    );
  });

  test.each(commands.map((path) => [path.join(' ')]))(
    '[CLI9] of %s has examples and fits 100 columns',
    async (name) => {
      const { code, out, err } = await run([...name.split(' '), '--help']);
      expect([code, err]).toEqual([0, '']);
      expect(out).toMatch(/Examples:\n {2}.*placet /);
      for (const line of out.split('\n')) expect(line.length, line).toBeLessThanOrEqual(100);
    },
  );
});

test.each(['check', 'test', 'lint', 'decide'])('[CLI9] [CLI4] help of %s tells how it ends', async (name) => {
  expect((await run([name, '--help'])).out).toMatch(/Ends with 0, with 1 if /);
});

describe('a command line that is not understood', () => {
  test.each([
    [['chek'], 'check'],
    [['decide', '--polices', 'x'], '--policies'],
    [['explain', '-p', 'x', '--servise', 'a/b'], '--service'],
    [['encode', 'image', 'a'], 'images'],
  ])('[CLI9] [CLI4] %j ends with 2 and names %s', async (args, nearest) => {
    const { code, out, err } = await run(args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(`Did you mean ${nearest}?`);
  });

  test.each([
    [['check']],
    [['encode']],
    [[]],
    [['decide', '--service', 'a/b']],
    [['test', 'policies', '--min-coverage', 'all']],
    [['test', 'policies', '--min-coverage', '101']],
    [['rules', 'policies', '--tier', '5']],
    [['completion', 'fish']],
    [['tour', 'nowhere']],
    [['decide', '-p', 'policies', '--request', '-', '--service', 'a/b']],
  ])('[CLI4] %j ends with 2', async (args) => {
    const { code, out, err } = await run(args);
    expect([code, out]).toEqual([2, '']);
    expect(err).not.toBe('');
  });
});

test('[CLI4] an option in the place of a path is no path', async () => {
  for (const option of ['--policies', '-p']) {
    const { code, out, err } = await run(['decide', option, '--service', 'a/b']);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('placet: --policies needs a path\n  got --service;');
  }
  expect(
    (await run(['decide', '-p', 'policies/40-shadow', 'policies/01-default-deny', '--to', 'a=b'])).code,
  ).toBe(0);
});

describe('completion', () => {
  /** What bash offers for the last of the words. */
  async function completer() {
    const { out } = await run(['completion', 'bash']);
    return (...words: string[]) => {
      const quoted = words.map((word) => `'${word}'`).join(' ');
      const script = `${out}\nCOMP_WORDS=(placet ${quoted}); COMP_CWORD=${words.length}; _placet; echo "\${COMPREPLY[*]}"`;
      return spawnSync('bash', ['-c', script], { encoding: 'utf8' }).stdout.trim();
    };
  }

  test('[CLI9] of bash completes commands, options, and paths', async () => {
    const complete = await completer();
    expect(complete('de')).toBe('decide');
    expect(complete('encode', 'im')).toBe('images');
    expect(complete('decide', '--so')).toBe('--source-spiffe-id --source --source-mesh');
    expect(complete('completion', '')).toBe('bash zsh');
    expect(complete('decide', '--trust', '')).toBe(trustLevels.join(' '));
    expect(complete('explain', '--as-caller', 're')).toBe('relay');
    expect(complete('export', 'envoy', '--as', '')).toBe('filter listener bootstrap ecds');
    expect(complete('export', 'envoy', '--all', '--mode', '')).toBe('native ext_authz xds');
    expect(complete('export', 'envoy', '--filter', '')).toBe('http network');
    expect(complete('export', 'envoy', '--form', 't')).toBe('tree table');
    expect(complete('export', 'envoy', '--attributes', '')).toBe('inventory jwt');
    for (const command of ['export', 'verify']) {
      expect(complete(command, 'envoy', '--shadow', '')).toBe('corrected paper');
    }
    // There it takes no value.
    expect(complete('conf', '--shadow', 'READ')).toBe('README.md');
    expect(complete('check', 'policies/0')).toBe('policies/01-default-deny');
  });

  test('[CLI9] of bash offers the commands below a command, and help of each', async () => {
    const complete = await completer();
    for (const [path, below] of parents) {
      expect(complete(...path, '')).toBe(below.join(' '));
      expect(complete('help', ...path, '')).toBe(below.join(' '));
    }
    expect(complete('he')).toBe('help');
    expect(complete('help', 'exp')).toBe('explicit explain export');
    expect(complete('help', 'check', '')).toBe('');
    expect(complete('check', 'READ')).toBe('README.md');
  });

  test('[CLI9] of zsh names the same commands', async () => {
    const { code, out } = await run(['completion', 'zsh']);
    expect(code).toBe(0);
    for (const path of commands) expect(out).toContain(`'${path.join(' ')}')`);
    for (const [path, below] of parents) {
      const line = out.split('\n').find((text) => text.startsWith(`    '${path.join(' ')}') commands=(`));
      for (const name of below) expect(line?.split('; options=')[0]).toContain(`'${name}:`);
    }
    expect(out).toContain(`'export envoy --shadow') compadd -- corrected paper;`);
    expect(out).not.toContain(`'conf --shadow') compadd`);
    expect(out).toContain(`'decide --trust') compadd -- ${trustLevels.join(' ')};`);
    expect(out).toContain(`'explain --as-caller') compadd -- ${roles.join(' ')};`);
  });
});
