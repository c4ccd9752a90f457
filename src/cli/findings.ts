import { type Finding, lint } from '../policy/lint/lint.ts';
import type { PolicySet } from './set.ts';

/** What lint says of a set: errors fail `check`, warnings are shown by it, `lint` prints both. */
export function findingsOf(set: PolicySet): readonly Finding[] {
  return lint(set.loaded, set.documents);
}

export function isError({ severity }: Finding): boolean {
  return severity === 'error';
}
