import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const hook = fileURLToPath(new URL('fixtures/loaded.mjs', import.meta.url));

/** The modules, by path under the repository, that a command loaded. */
function loadedBy(...args: readonly string[]): string[] {
  const { stderr } = spawnSync(process.execPath, ['--import', hook, main, ...args], { encoding: 'utf8' });
  return stderr
    .split('\n')
    .filter((line) => line.startsWith('loaded '))
    .map((line) => line.slice('loaded '.length));
}

test('[CLI6] a version is answered by one module, without any package', () => {
  for (const flag of ['--version', '-V']) {
    expect(loadedBy(flag)).toEqual([expect.stringMatching(/src\/cli\/main\.ts$/)]);
  }
});

test('[CLI6] help loads the parser of command lines, and nothing of policies', () => {
  const loaded = loadedBy('--help');
  expect(loaded.some((url) => url.includes('/commander/'))).toBe(true);
  expect(loaded.filter((url) => /\/(?:yaml|zod)\/|\/src\/(?:policy|pdp)\//.test(url))).toEqual([]);
});

test('[CLI6] a command loads what it needs', () => {
  const loaded = loadedBy('check', 'policies/01-default-deny');
  for (const part of ['/commander/', '/yaml/', '/zod/', '/src/policy/load.ts']) {
    expect(
      loaded.some((url) => url.includes(part)),
      part,
    ).toBe(true);
  }
});

test('[CLI6] a version starts about as fast as Node itself (reported, not asserted)', () => {
  const time = (args: readonly string[]) => {
    const times = Array.from({ length: 7 }, () => {
      const start = performance.now();
      spawnSync(process.execPath, args);
      return performance.now() - start;
    });
    return times.sort((a, b) => a - b)[3]!;
  };
  const ratio = time([main, '--version']) / time(['-e', '0']);
  console.log(`placet --version takes ${ratio.toFixed(2)} times as long as node -e 0`);
  expect(ratio).toBeGreaterThan(0);
});
