import { join } from 'node:path';
import type { Recipe } from '../../support/programs/recipe.ts';

/** A client of gRPC that measures. */
export const ghz: Recipe = {
  name: 'ghz',
  module: join(import.meta.dirname, 'ghz'),
  binaries: { ghz: 'github.com/bojand/ghz/cmd/ghz' },
  ldflags: '-s -w',
};
