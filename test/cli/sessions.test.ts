import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { play, stepsOf, words } from './sessions.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const folder = fileURLToPath(new URL('sessions/', import.meta.url));

// Written anew with: npx vitest run test/cli/sessions.test.ts --update
/** Rules that a session shows beside those of the command line. */
const shows: Readonly<Record<string, string>> = {
  'conf.txt': '[MRG15]',
  'inspect.txt': '[INS4]',
  'masks.txt': '[LINT13]',
  'test.txt': '[CLI7]',
};

describe('sessions', () => {
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.txt'))) {
    const text = readFileSync(`${folder}${name}`, 'utf8');
    test(`[CLI4] [CLI9] ${shows[name] ?? ''} ${name.replace(/\.txt$/, '')}`, async () => {
      const steps = stepsOf(text);
      expect(steps.length).toBeGreaterThan(0);
      const played = steps.map((step) => play(step, root, main)).join('\n');
      await expect(played).toMatchFileSnapshot(`${folder}${name}`);
    });
  }
});

test('[CLI4] a session reads its words as a shell would', () => {
  expect(words(`placet decide -p a --source 'k8s:ns=a b' --path "/x y" --to=''`)).toEqual([
    'placet',
    'decide',
    '-p',
    'a',
    '--source',
    'k8s:ns=a b',
    '--path',
    '/x y',
    '--to=',
  ]);
  expect(stepsOf('# why\n$ placet x\n< in\nout\n< out\n[1]\n')).toEqual([
    { comment: ['# why'], command: 'placet x', input: ['in'] },
  ]);
});
