import { limits } from '../pdp/model/limits.ts';
import type { Place, Violation } from '../pdp/model/violation.ts';
import type { Document } from './document.ts';
import type { Path } from './kinds/head.ts';

/** Collects what is wrong, gives each its place in a file, and keeps one bad file from filling the memory. */
export class Report {
  readonly violations: Violation[] = [];
  readonly #documents: readonly Document[];
  readonly #counts = new Map<string | number, { count: number; document: number }>();

  constructor(documents: readonly Document[]) {
    this.#documents = documents;
  }

  add(document: number, found: Violation): void {
    const source = this.#documents[document]?.file ?? document;
    const tally = this.#counts.get(source) ?? { count: 0, document };
    tally.count++;
    this.#counts.set(source, tally);
    if (tally.count > limits.violationsPerFile) return;
    const place = this.place(document, found.path, found.code === 'unknown-field' ? 'key' : 'value');
    this.violations.push(place === undefined ? found : { ...found, place });
  }

  place(document: number, path: Path, of: 'value' | 'key' = 'value'): Place | undefined {
    return this.#documents[document]?.place(path, of);
  }

  /** A document as another violation would point at it. */
  whereabouts(document: number, path: Path): string {
    const place = this.place(document, path);
    return place === undefined ? `document ${document}` : `${place.file}:${place.line}:${place.column}`;
  }

  /** Says how many violations of each file are not listed. */
  finish(): readonly Violation[] {
    for (const { count, document } of this.#counts.values()) {
      const more = count - limits.violationsPerFile;
      if (more <= 0) continue;
      const message = `got ${more} more violations in this file, which are not listed`;
      const place = this.place(document, []);
      const found: Violation = { path: [], code: 'limit', message };
      this.violations.push(place === undefined ? found : { ...found, place });
    }
    return this.violations;
  }
}
