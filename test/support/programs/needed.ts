import { etcd, kubeApiserver } from '../kubernetes/programs/recipes.ts';
import type { Recipe } from './recipe.ts';

/** Which tests need which programs: they are built before the first of these tests, and only for them. */
export const needed: readonly { readonly tests: string; readonly recipes: readonly Recipe[] }[] = [
  { tests: 'test/live/kubernetes/', recipes: [etcd, kubeApiserver] },
];
