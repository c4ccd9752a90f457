import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { isThere, stateOf, sumsFile, sumsOf } from './cache.ts';
import { locked } from './lock.ts';
import { cacheFolder, ProgramUnavailable, type Recipe } from './recipe.ts';

/** Tells the person who waits; one line each. */
export type Say = (line: string) => void;

export interface Program {
  /** Where its binaries are, under their names. */
  readonly folder: string;
}

const toStderr: Say = (line) => process.stderr.write(`${line}\n`);
const sayEvery = 15_000;
const known = new Map<string, Promise<Program>>();

/** Built once and kept in the user's cache; throws ProgramUnavailable where that cannot be. */
export async function goProgram(recipe: Recipe, say: Say = toStderr): Promise<Program> {
  const folder = cacheFolder(recipe);
  let program = known.get(folder);
  if (program === undefined) {
    program = provide(recipe, folder, say);
    known.set(folder, program);
  }
  return program;
}

async function provide(recipe: Recipe, folder: string, say: Say): Promise<Program> {
  if ((await stateOf(folder, recipe)) === 'whole') return { folder };
  mkdirSync(dirname(folder), { recursive: true });
  let told = false;
  const wait = () => {
    if (!told) say(`${recipe.name}: another process is building it; waiting`);
    told = true;
  };
  return await locked(`${folder}.lock`, wait, async () => {
    const state = await stateOf(folder, recipe);
    if (state === 'whole') return { folder };
    if (state === 'broken') {
      say(`${recipe.name}: ${folder} is not what was built; building it again`);
      rmSync(folder, { recursive: true, force: true });
    }
    await make(recipe, folder, say);
    return { folder };
  });
}

async function make(recipe: Recipe, folder: string, say: Say): Promise<void> {
  const [parent, name] = [dirname(folder), basename(folder)];
  // Of those who died while they built.
  for (const left of readdirSync(parent))
    if (left.startsWith(`${name}.new-`)) rmSync(join(parent, left), { recursive: true, force: true });
  const work = mkdtempSync(`${folder}.new-`);
  try {
    for (const [binary, source] of Object.entries(recipe.binaries))
      await compile(recipe, source, join(work, binary), say);
    writeFileSync(join(work, sumsFile), await sumsOf(work, recipe));
    if (!isThere(folder)) renameSync(work, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function compile(
  { name, module, ldflags, cgo }: Recipe,
  source: string,
  to: string,
  say: Say,
): Promise<void> {
  const start = performance.now();
  const args = ['build', '-v', '-mod=readonly', '-trimpath', '-buildvcs=false', '-ldflags', ldflags];
  const child = spawn('go', [...args, '-o', to, source], {
    cwd: module,
    env: { ...process.env, CGO_ENABLED: cgo ? '1' : '0', GOWORK: 'off' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [counts, errors] = [{ downloads: 0, packages: 0 }, [] as string[]];
  const tell = (word: string) => {
    const seconds = Math.round((performance.now() - start) / 1000);
    say(
      `${name}: ${word} ${basename(to)}: ${counts.downloads} modules downloaded, ${counts.packages} packages compiled, ${seconds} s`,
    );
  };
  tell('building');
  const progress = setInterval(tell, sayEvery, 'building');
  try {
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (line.startsWith('go: downloading ')) counts.downloads++;
      else if (/^[^\s:]+$/.test(line)) counts.packages++;
      else errors.push(line);
    });
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject).on('close', resolve);
    });
    if (code === 0) return tell('built');
    const why = errors.slice(0, 3).join('; ') || `go ended with ${code}`;
    throw new ProgramUnavailable(`${name} cannot be built: ${why.slice(0, 600)}`);
  } finally {
    clearInterval(progress);
  }
}
