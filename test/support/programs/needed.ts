import { ghz } from '../../bench/authz/ghz.ts';
import { etcd, kubeApiserver } from '../kubernetes/programs/recipes.ts';
import { spire } from '../spire/recipe.ts';
import type { Recipe } from './recipe.ts';

/** Which tests need which programs: they are built before the first of these tests, and only for them. */
export const needed: readonly { readonly tests: string; readonly recipes: readonly Recipe[] }[] = [
  { tests: 'test/live/kubernetes/', recipes: [etcd, kubeApiserver] },
  { tests: 'test/live/spire/', recipes: [spire] },
  { tests: 'test/live/envoy/authz/ghz.test.ts', recipes: [ghz] },
];
