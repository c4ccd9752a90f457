import { pushTo } from '../../pdp/model/lists.ts';
import type { Violation } from '../../pdp/model/violation.ts';
import type { Document } from '../../policy/document.ts';

/** What counts as a whole or not at all: a file, a resource. */
export interface Unit {
  readonly name: string;
  readonly documents: readonly Document[];
  /** Why it cannot be read; then it has no documents. */
  readonly violations: readonly Violation[];
}

/** Where documents come from, and go on coming from. */
export interface Source {
  /** As status shows it. */
  readonly name: string;
  /** All that there is now; undefined until all of it was seen once. */
  read(): readonly Unit[] | undefined;
  /** Told that there is something to read; also when there turns out not to be. */
  onChange(listener: () => void): void;
  report(): SourceReport;
  /** Of documents for which it gave their last good version by itself. */
  wrong?(): readonly Violation[];
  close(): void;
}

export interface SourceReport {
  readonly synced: boolean;
  /** Milliseconds since what it gave was last known to be all there is, by a clock that nobody sets. */
  readonly age?: number;
  readonly problems: readonly string[];
}

/** Of documents that carry the name of their file or resource. */
export function unitsOf(documents: readonly Document[]): readonly Unit[] {
  const byName = new Map<string, Document[]>();
  for (const document of documents) pushTo(byName, document.file ?? '', document);
  return [...byName].map(([name, documents]) => ({ name, documents, violations: [] }));
}

/** Whether nothing changed; documents that did not are the same objects. */
export function sameUnits(before: readonly Unit[], after: readonly Unit[]): boolean {
  return (
    before.length === after.length &&
    before.every((unit, i) => unit.name === after[i]!.name && sameUnit(unit, after[i]!))
  );
}

export function sameUnit(before: Unit, after: Unit): boolean {
  if (before === after) return true;
  const { documents, violations } = after;
  return (
    before.documents.length === documents.length &&
    before.documents.every((document, i) => document === documents[i]) &&
    before.violations.length === violations.length &&
    before.violations.every(({ message }, i) => message === violations[i]!.message)
  );
}
