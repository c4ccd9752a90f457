import { readFileSync } from 'node:fs';
import type { Mutant } from './mutants.ts';

const root = new URL('../../', import.meta.url);

/** The file with the mistake in it. Throws where the snippet is not there exactly once. */
export function planted(mutant: Mutant): string {
  const text = readFileSync(new URL(mutant.file, root), 'utf8');
  const parts = text.split(mutant.original);
  if (parts.length === 2) return parts.join(mutant.mistake);
  const found = parts.length === 1 ? 'nowhere' : `${parts.length - 1} times`;
  throw new Error(`${mutant.name}: the snippet stands ${found} in ${mutant.file}, want it once`);
}
