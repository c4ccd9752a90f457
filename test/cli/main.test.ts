import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };

const root = fileURLToPath(new URL('../..', import.meta.url));
const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const old = fileURLToPath(new URL('fixtures/old-node.mjs', import.meta.url));

test('[CLI12] a Node that is too old is told so, whatever was asked', () => {
  for (const args of [['--version'], ['check', 'policies']]) {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', old, main, ...args], {
      encoding: 'utf8',
    });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toBe('placet needs Node 22.19 or later, this is 20.20.2\n');
  }
  expect(manifest.engines.node).toBe('>=22.19');
});

function check(env: Record<string, string>) {
  const { status, stdout } = spawnSync(process.execPath, [main, 'check', '40-shadow'], {
    cwd: root,
    encoding: 'utf8',
    env: { ...env, INIT_CWD: `${root}/policies` },
  });
  return [status, stdout.split('\n', 1)[0]];
}

test('[CLI13] a script named placet in this package reads its paths from where npm was called', () => {
  const [status, out] = check({ npm_package_name: manifest.name, npm_lifecycle_event: 'placet' });
  expect(status).toBe(0);
  expect(out).toContain('no errors in 9 documents');
});

test('[CLI13] any other reads them from its own folder', () => {
  const missing = [1, expect.stringContaining('cannot be read: no such file or folder')];
  expect(check({})).toEqual(missing);
  expect(check({ npm_package_name: 'shop', npm_lifecycle_event: 'placet' })).toEqual(missing);
  expect(check({ npm_package_name: manifest.name, npm_lifecycle_event: 'test' })).toEqual(missing);
});

const full = '/dev/full';
const one = ['--policies', 'policies/40-shadow', '--service', 'shadow/api'];

test
  .runIf(existsSync(full))
  .each([
    [['--version']],
    [['--help']],
    [['check', 'policies/40-shadow']],
    [['decide', ...one, '--json', '--exit-code']],
    [['explain', ...one]],
  ])('[CLI21] %j says that its output cannot be written, and ends with 1', (args) => {
  const device = openSync(full, 'w');
  const { status, stderr } = spawnSync(process.execPath, [main, ...args], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', device, 'pipe'],
  });
  closeSync(device);
  expect([status, stderr]).toEqual([1, 'placet: cannot write the output: no space left on device\n']);
});

test.runIf(existsSync(full))('[CLI21] what cannot be said on stderr is no stack, and no success', () => {
  const device = openSync(full, 'w');
  const spawn = (...args: readonly string[]) =>
    spawnSync(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', device] }).status;
  expect([spawn('check'), spawn('decide', '--policies', 'nowhere', '--service', 'a/b')]).toEqual([2, 1]);
  closeSync(device);
});

test('[CLI21] a file that takes a part of the output only', () => {
  const folder = mkdtempSync(join(tmpdir(), 'placet-'));
  const script = 'ulimit -f 1; "$0" "$@" > "$FILE"';
  const { status, stderr } = spawnSync(
    'sh',
    ['-c', script, process.execPath, main, 'completion', 'bash'],
    // Node could not keep what it compiled either.
    { encoding: 'utf8', env: { FILE: join(folder, 'out'), NODE_DISABLE_COMPILE_CACHE: '1' } },
  );
  rmSync(folder, { recursive: true });
  expect([status, stderr]).toEqual([1, 'placet: cannot write the output: file too large\n']);
});
