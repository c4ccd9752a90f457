import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const program = fileURLToPath(new URL('./channel-program.ts', import.meta.url));

test('[RUN5] who fails to answer is left out and goes on, and nobody waits for ever', async () => {
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'pipe'] });
  const said: unknown[][] = [[], [], []];
  const errors: string[] = [];
  createInterface(child.stderr).on('line', (line) => errors.push(line));
  createInterface(child.stdout).on('line', (line) => {
    const [place, ...what] = JSON.parse(line) as [number, string, unknown];
    said[place]!.push(what);
  });
  // Until the last of the workers has ended too.
  await once(child, 'close');
  expect(said[1]).toEqual([
    ['own', [1]],
    ['async', [1]],
    ['odd', [1]],
    ['nobody', []],
    ['place', [2, 1]],
    ['lost', []],
    ['place', []],
    ['drained', false],
  ]);
  expect(said[2]).toEqual([
    ['failed', 'of the second'],
    ['failed', 'of the second, later'],
    ['failed', expect.stringContaining('could not be cloned')],
    ['drained', false],
  ]);
  expect(errors).toEqual([]);
});
