import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Recipe } from './recipe.ts';

/** The name of the file that says what the binaries beside it must be, as `sha256sum` writes it. */
export const sumsFile = 'SHA256SUMS';

export async function sumsOf(folder: string, { binaries }: Recipe): Promise<string> {
  const lines = Object.keys(binaries).map(async (name) => {
    const hash = createHash('sha256');
    await pipeline(createReadStream(join(folder, name)), hash);
    return `${hash.digest('hex')}  ${name}\n`;
  });
  return (await Promise.all(lines)).join('');
}

/** Whether a folder of the cache holds what was built: `broken` where it is no longer that. */
export async function stateOf(folder: string, recipe: Recipe): Promise<'absent' | 'broken' | 'whole'> {
  if (!isThere(folder)) return 'absent';
  try {
    const want = readFileSync(join(folder, sumsFile), 'utf8');
    return want === (await sumsOf(folder, recipe)) ? 'whole' : 'broken';
  } catch {
    return 'broken';
  }
}

export function isThere(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
