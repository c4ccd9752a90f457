import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadYaml, saidOf } from './loading.ts';

/** Every way to be wrong, with its exact words and place. `--update=all` writes them anew. */
test.each([
  ['[REF1] target references', 'target-refs'],
  ['[REF3] the two forms', 'forms'],
  ['[REF8] kinds that documents describe', 'policy-kinds'],
  ['[NS1] [NS2] [NS7] [NS8] [NS9] [NS11] [NS12] policies of namespaces', 'namespaces'],
])('%s', async (_title, name) => {
  const folder = join(import.meta.dirname, 'fixtures');
  const loaded = loadYaml(readFileSync(join(folder, `${name}.yaml`), 'utf8'), `${name}.yaml`);
  const lines = `${saidOf(loaded).join('\n')}\n`;
  await expect(lines).toMatchFileSnapshot(join(folder, `${name}.golden.txt`));
});

test('[REF1] [REF3] [REF5] every shape that is right', () => {
  const loaded = loadYaml(
    readFileSync(join(import.meta.dirname, 'fixtures', 'good.yaml'), 'utf8'),
    'good.yaml',
  );
  expect(saidOf(loaded)).toEqual([]);
  expect(loaded.targeted).toHaveLength(5);
  expect(loaded.resources.all).toHaveLength(3);
});
