import { inject } from 'vitest';
import type { Missing } from '../../live.ts';
import type { Recipe } from './recipe.ts';
import type {} from './setup.ts';

/** What live tests of these programs lack, in words; `./needed.ts` has to know of them. */
export function programsMissing(recipes: readonly Recipe[]): Missing {
  const lacking = inject('programs');
  const why = recipes.flatMap(({ name }) => lacking[name] ?? []);
  return why.length === 0 ? undefined : why.join('; ');
}
