import { goProgram } from './build.ts';
import { needed } from './needed.ts';

/** Builds all programs that live tests need. */

let failed = false;
for (const recipe of new Set(needed.flatMap(({ recipes }) => recipes))) {
  try {
    console.log((await goProgram(recipe)).folder);
  } catch (error) {
    failed = true;
    console.error(error instanceof Error ? error.message : error);
  }
}
process.exitCode = failed ? 1 : 0;
