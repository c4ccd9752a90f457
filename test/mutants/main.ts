import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Mutant, mutants } from './mutants.ts';
import { planted } from './plant.ts';

/**
 * `npm run mutants`: plants mistakes one at a time in a copy of the sources, and sees whether the comparison
 * with the twin finds each. Ends with 1 if one is not found, or can no longer be planted.
 */

const root = fileURLToPath(new URL('../../', import.meta.url));
const sets = 400;
const atOnce = 2;

interface Outcome {
  name: string;
  caught: boolean;
  how: string;
}

/** A copy of what the probe needs, once for each of those that run at once. */
function workplace(): string {
  const folder = mkdtempSync(join(tmpdir(), 'placet-mutants-'));
  for (const part of ['package.json', 'src', 'test/oracle', 'test/mutants', 'test/pdp/regressions'])
    cpSync(join(root, part), join(folder, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

function probe(folder: string, what: 'decide' | 'explain'): Promise<string> {
  return new Promise((resolve) => {
    const script = join(folder, 'test/mutants/probe.ts');
    execFile(process.execPath, [script, String(sets), what], { timeout: 60_000 }, (error, stdout) => {
      const word = stdout.trim();
      if (word !== '') resolve(word);
      else
        resolve(error?.killed ? 'ran for ever' : `did not run: ${error?.message.split('\n').at(-2) ?? ''}`);
    });
  });
}

async function tryMutant(mutant: Mutant, folder: string): Promise<Outcome> {
  const file = join(folder, mutant.file);
  try {
    writeFileSync(file, planted(mutant));
  } catch (error) {
    return { name: mutant.name, caught: false, how: (error as Error).message };
  }
  const what = /\bdecide\.ts$|\/index\/|\/(values|targets|origins)\.ts$/.test(mutant.file)
    ? 'decide'
    : 'explain';
  const how = await probe(folder, what);
  cpSync(join(root, mutant.file), file);
  return { name: mutant.name, caught: /^(seed|kept) /.test(how) || how === 'ran for ever', how };
}

async function worker(queue: Mutant[], outcomes: Outcome[]): Promise<void> {
  const folder = workplace();
  try {
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
      const outcome = await tryMutant(mutant, folder);
      outcomes.push(outcome);
      const word = outcome.caught ? 'caught  ' : 'SURVIVES';
      console.log(`${word} ${outcome.name.padEnd(52)} ${outcome.how}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function main(): Promise<number> {
  const clean = workplace();
  const sound = await probe(clean, 'explain');
  rmSync(clean, { recursive: true, force: true });
  if (sound !== 'same') {
    console.log(`without any mistake the comparison must pass, got: ${sound}`);
    return 1;
  }
  const queue = [...mutants];
  const outcomes: Outcome[] = [];
  await Promise.all(Array.from({ length: atOnce }, () => worker(queue, outcomes)));
  const survivors = outcomes.filter((outcome) => !outcome.caught);
  console.log(`${outcomes.length - survivors.length} of ${outcomes.length} mistakes caught`);
  return survivors.length === 0 ? 0 : 1;
}

process.exitCode = await main();
