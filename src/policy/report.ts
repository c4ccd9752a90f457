import { limits } from '../pdp/model/limits.ts';
import { byPlace, formatPlace, type Path, type Place, type Violation } from '../pdp/model/violation.ts';
import type { Document } from './document.ts';

/** Collects what is wrong, gives each its place in a file, and keeps one bad file from filling the memory. */
export class Report {
  readonly #found: { readonly document: number; readonly violation: Violation }[] = [];
  readonly #said = new Set<string>();
  readonly #documents: readonly Document[];
  readonly #counts = new Map<string | number, { count: number; document: number }>();

  constructor(documents: readonly Document[]) {
    this.#documents = documents;
  }

  add(document: number, found: Violation): void {
    const source = this.#documents[document]?.file ?? document;
    const tally = this.#counts.get(source) ?? { count: 0, document };
    if (tally.count < limits.violationsPerFile) {
      const violation = this.#placed(document, found);
      if (this.#wasSaid(document, violation)) return;
      this.#found.push({ document, violation });
    }
    tally.count++;
    tally.document = Math.max(tally.document, document);
    this.#counts.set(source, tally);
  }

  /** What aliases share is wrong once, where it is written. */
  #wasSaid(document: number, { place, path, message }: Violation): boolean {
    if (place === undefined) return false;
    const key = JSON.stringify([document, place.line, place.column, path.at(-1), message]);
    if (this.#said.has(key)) return true;
    this.#said.add(key);
    return false;
  }

  place(document: number, path: Path, of: 'value' | 'key' = 'value'): Place | undefined {
    return this.#documents[document]?.place(path, of);
  }

  /** A document as another violation would point at it. */
  whereabouts(document: number, path: Path): string {
    const place = this.place(document, path);
    return place === undefined ? (this.#called(document) ?? `document ${document}`) : formatPlace(place);
  }

  /** In the order of documents and of places in them; what is not listed is counted by file. */
  finish(): readonly Violation[] {
    const all = [...this.#found];
    for (const { count, document } of this.#counts.values()) {
      const unlisted = count - limits.violationsPerFile;
      if (unlisted <= 0) continue;
      const message = `got ${unlisted} more violations in this file, which are not listed`;
      const violation = this.#placed(document, { path: [], code: 'limit', message, unlisted });
      all.push({ document, violation });
    }
    all.sort((a, b) => a.document - b.document || byPlace(a.violation, b.violation));
    return all.map((one) => one.violation);
  }

  #placed(document: number, found: Violation): Violation {
    const place = this.place(document, found.path, found.code === 'unknown-field' ? 'key' : 'value');
    if (place !== undefined) return { ...found, place };
    const called = this.#called(document);
    return called === undefined ? found : { ...found, called };
  }

  #called(document: number): string | undefined {
    return this.#documents[document]?.called;
  }
}
