import type { Document, Reading } from '../document.ts';
import { remember } from '../readings.ts';
import type { Source } from './source.ts';
import { SourceDocument } from './source-document.ts';

/** The same reading as of another file with the same content. */
export function rename(reading: Reading, file: string): Reading {
  let source: Source | undefined;
  const renamed = (document: Document): Document => {
    if (!(document instanceof SourceDocument)) return document;
    source ??= document.source.in(file);
    return document.in(source);
  };
  return remember({
    documents: reading.documents.map(renamed),
    cases: reading.cases.map(renamed),
    flawed: (reading.flawed ?? []).map(renamed),
    ...(reading.isBlank === undefined ? {} : { isBlank: reading.isBlank }),
    violations: reading.violations.map((violation) =>
      violation.place ? { ...violation, place: { ...violation.place, file } } : violation,
    ),
  });
}
