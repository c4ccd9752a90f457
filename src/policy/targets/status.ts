import { byPlace, type Path, type Place, type Violation } from '../../pdp/model/violation.ts';
import type { Head } from '../kinds/head.ts';

/** Something wrong with a document that stops nothing else: it is said, and the rest keeps working (SPEC REF6). */
export interface Status extends Violation {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly mesh: string;
  readonly document: number;
}

export type Say = (head: Head, found: Violation) => void;

/** Collects statuses; in the order of documents and of places in them at the end. */
export class Statuses {
  readonly #found: Status[] = [];
  readonly #place: (document: number, path: Path) => Place | undefined;

  constructor(place: (document: number, path: Path) => Place | undefined) {
    this.#place = place;
  }

  readonly say: Say = ({ kind, name, namespace, mesh, document }, found) => {
    const place = this.#place(document, found.path);
    const at = place === undefined ? {} : { place };
    this.#found.push({ ...found, ...at, kind, name, namespace, mesh, document });
  };

  finish(): readonly Status[] {
    return this.#found.sort((a, b) => a.document - b.document || byPlace(a, b));
  }
}
