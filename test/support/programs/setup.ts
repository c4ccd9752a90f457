import { relative } from 'node:path';
import type { TestProject } from 'vitest/node';
import { goProgram } from './build.ts';
import { needed } from './needed.ts';
import { ProgramUnavailable } from './recipe.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Of each program that was wanted and cannot be had, why. */
    readonly programs: Readonly<Record<string, string>>;
  }
}

/** For the tests' runner: what the chosen tests need is built before the first of them, where people see it. */
export async function setup(project: TestProject): Promise<void> {
  const chosen = project.vitest.state.getPaths().map((path) => relative(project.config.root, path));
  const recipes = needed
    .filter(({ tests }) => chosen.some((path) => path.startsWith(tests)))
    .flatMap((one) => one.recipes);
  const lacking: Record<string, string> = {};
  for (const recipe of new Set(recipes)) {
    try {
      await goProgram(recipe);
    } catch (error) {
      if (!(error instanceof ProgramUnavailable)) throw error;
      process.stderr.write(`${error.message}\n`);
      lacking[recipe.name] = error.message;
    }
  }
  project.provide('programs', lacking);
}
