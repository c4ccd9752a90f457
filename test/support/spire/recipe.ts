import { join } from 'node:path';
import type { Recipe } from '../programs/recipe.ts';

/** SPIRE keeps its data in SQLite, which is C. */
export const spire: Recipe = {
  name: 'spire',
  module: join(import.meta.dirname, 'program'),
  binaries: {
    'spire-server': 'github.com/spiffe/spire/cmd/spire-server',
    'spire-agent': 'github.com/spiffe/spire/cmd/spire-agent',
  },
  ldflags: '-s -w',
  cgo: true,
};
