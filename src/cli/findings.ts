import { type Finding, lint } from '../policy/lint/lint.ts';
import type { PolicySet } from './set.ts';

/** What lint says of a set: errors fail `check`, warnings and notes are shown by it, `lint` prints all. */
export function findingsOf(set: PolicySet): readonly Finding[] {
  return lint(set.loaded, set.documents);
}

export interface Sorted {
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
  readonly notes: readonly Finding[];
}

export function bySeverity(findings: readonly Finding[]): Sorted {
  const of = (severity: Finding['severity']) => findings.filter((one) => one.severity === severity);
  return { errors: of('error'), warnings: of('warning'), notes: of('note') };
}
