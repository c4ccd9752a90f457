import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { packageOf } from './check.ts';
import { filesUnder, readModule, readSources } from './modules.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const used = new Set(
  [...readSources(root, filesUnder(root, 'src', /\.ts$/))]
    .flatMap(([file, text]) => readModule(file, text).imports)
    .map(({ target }) => target ?? '')
    .filter((target) => target !== '' && !target.startsWith('.') && !target.startsWith('node:'))
    .map(packageOf),
);

test('src imports only packages that a user installs', () => {
  const installed = { ...manifest.dependencies, ...manifest.peerDependencies };
  expect([...used].filter((name) => !Object.hasOwn(installed, name))).toEqual([]);
});

test('a user installs only packages that src imports', () => {
  expect(Object.keys(manifest.dependencies).filter((name) => !used.has(name))).toEqual([]);
});

test('versions are exact, so that what was tested is what is installed', () => {
  const loose = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
    // Types follow the major version of Node that they describe.
    .filter(([name, version]) => name !== '@types/node' && !/^\d+\.\d+\.\d+$/.test(version));
  expect(loose).toEqual([]);
});
